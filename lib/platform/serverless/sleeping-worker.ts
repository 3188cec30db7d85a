import { Token, type IResolvable } from "cdktf";
import { type Construct } from "constructs";

import { anyOf, isOn } from "../../core/conditional";
import { calledIn, expression } from "../../core/expression";
import { type Risk } from "../../core/risks";
import { type ContainerSpec } from "../../idp/container-spec";

/** A worker beside the server stops with the instance. */
export function sleepingWorkerRisks(
  scope: Construct,
  { maySleep = "false" }: ContainerSpec,
  minInstanceCount: number,
  cpuAlwaysAllocated: boolean | IResolvable,
): readonly Risk[] {
  const keepsOne = Token.isUnresolved(minInstanceCount)
    ? expression(`${Token.asString(minInstanceCount)} > 0`)
    : String(minInstanceCount > 0);
  const risk = (isMet: string, message: string): Risk => {
    const condition = anyOf(maySleep, isMet);
    return { value: condition, isAvoided: condition === "true", condition, message };
  };
  return [
    risk(
      keepsOne,
      `${calledIn(scope, minInstanceCount, "minInstanceCount")} is 0; mail, tasks and clean-ups wait for the next request, because the worker stops with the last instance; set it to 1, or run separate workers`,
    ),
    risk(
      isOn(cpuAlwaysAllocated),
      `${calledIn(scope, cpuAlwaysAllocated, "cpuAlwaysAllocated")} is false; mail, tasks and clean-ups wait for the next request, because the worker gets no CPU between requests; set it to true, or run separate workers`,
    ),
  ];
}
