import { Token, type IResolvable } from "cdktf";
import { type Construct } from "constructs";

import { anyOf, isOn } from "../../core/conditional";
import { settingName, expression } from "../../core/expression";
import { type Warning } from "../../core/warnings";
import { type ContainerSpec } from "../../idp/container-spec";

/** A worker beside the server stops with the instance. */
export function idleWorkerWarnings(
  scope: Construct,
  { canIdle = "false" }: ContainerSpec,
  minInstanceCount: number,
  cpuAlwaysAllocated: boolean | IResolvable,
): readonly Warning[] {
  const keepsOne = Token.isUnresolved(minInstanceCount)
    ? expression(`${Token.asString(minInstanceCount)} > 0`)
    : String(minInstanceCount > 0);
  const risk = (isMet: string, message: string): Warning => {
    const condition = anyOf(canIdle, isMet);
    return { value: condition, ok: condition === "true", condition, message };
  };
  return [
    risk(
      keepsOne,
      `${settingName(scope, minInstanceCount, "minInstanceCount")} is 0; mail, tasks and clean-ups wait for the next request, because the worker stops with the last instance; set it to 1, or run separate workers`,
    ),
    risk(
      isOn(cpuAlwaysAllocated),
      `${settingName(scope, cpuAlwaysAllocated, "cpuAlwaysAllocated")} is false; mail, tasks and clean-ups wait for the next request, because the worker gets no CPU between requests; set it to true, or run separate workers`,
    ),
  ];
}
