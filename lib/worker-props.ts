import { Token } from "cdktf";

import { numberOr, valueOr } from "./core/conditional";
import { numberText } from "./core/expression";
import { type Rule } from "./core/rules";
import { type ContainerSpec, type ResourcesSpec } from "./idp/container-spec";
import { LATEST_VERSION } from "./idp/contract";
import { workerContainer } from "./idp/worker-container";
import { workerConnections } from "./idp/worker-connections";
import {
  ALL_IN_ONE_RELEASE,
  DEFAULT_WORKER_COUNT,
  DEFAULT_WORKER_MODE,
  isSeparate,
  NEEDS_SEPARATE,
  WORKER_COUNT,
  WORKER_FORM_RULES,
  WORKER_MODES,
  WORKER_RESOURCES,
  type WorkerOptions,
} from "./idp/worker-mode";

/** Props of both variants for the worker. */
export interface WorkerProps extends WorkerOptions {
  /**
   * Number of separate workers; on GKE, the minimum.
   *
   * @default 1
   */
  readonly workerCount?: number;

  /**
   * CPUs of a separate worker: 1, 2, 4 or 8 on Cloud Run, 0.5 to 28 in steps of 0.25 on GKE.
   *
   * @default 1
   */
  readonly workerCpu?: number;

  /**
   * Memory of a separate worker, in Mi or Gi, shared with the cache of the media mount.
   *
   * @default "2Gi"
   */
  readonly workerMemory?: string;
}

/** Number of separate workers that always run. */
export function workerCountOf({ workerCount }: WorkerProps): number {
  return numberOr(workerCount, DEFAULT_WORKER_COUNT);
}

/** CPU and memory of a separate worker. */
function workerResourcesOf({ workerCpu, workerMemory }: WorkerProps): ResourcesSpec {
  return {
    cpu: numberText(numberOr(workerCpu, WORKER_RESOURCES.cpu)),
    memory:
      workerMemory === undefined
        ? WORKER_RESOURCES.memory
        : valueOr(workerMemory, JSON.stringify(WORKER_RESOURCES.memory)),
  };
}

/** Whether workers are separate, as a string: `true`, `false` or a boolean expression. */
export function hasSeparateWorker({ workerMode = DEFAULT_WORKER_MODE }: WorkerOptions): string {
  return isSeparate(workerMode);
}

/** Container of a separate worker. */
export function separateWorkerContainer(server: ContainerSpec, props: WorkerProps): ContainerSpec {
  return workerContainer(server, props, workerResourcesOf(props));
}

/**
 * Maximum number of connections of this many separate workers, 0 in the other modes; a token if any of it is known only
 * at plan.
 */
export function connectionsOfWorkers(props: WorkerProps, count: number): number {
  const { workerMode = DEFAULT_WORKER_MODE } = props;
  const ofOne = workerConnections(props);
  if ([workerMode, count, ofOne].some((value) => Token.isUnresolved(value))) return UNKNOWN;
  return workerMode === WORKER_MODES.separate ? count * ofOne : 0;
}

const UNKNOWN = Token.asNumber({ unknown: true });

/** A rule that a prop of separate workers is given only if there are any. */
export function needsSeparate<Props extends WorkerOptions>(
  name: string,
  given: (props: Props) => number | string | undefined,
): Rule<Props> {
  return NEEDS_SEPARATE.ruleOn<Props>({
    given: [name, given],
    workerMode: ["workerMode", ({ workerMode = DEFAULT_WORKER_MODE }) => workerMode],
  });
}

interface Props extends WorkerProps {
  readonly applicationVersion?: string;
}

export const WORKER_RULES: readonly Rule<Props>[] = [
  ...WORKER_FORM_RULES,
  WORKER_COUNT.ruleOn("workerCount", ({ workerCount }) => workerCount),
  needsSeparate("workerCount", ({ workerCount }) => workerCount),
  needsSeparate("workerCpu", ({ workerCpu }) => workerCpu),
  needsSeparate("workerMemory", ({ workerMemory }) => workerMemory),
  ALL_IN_ONE_RELEASE.ruleOn({
    workerMode: ["workerMode", ({ workerMode = DEFAULT_WORKER_MODE }) => workerMode],
    applicationVersion: ["applicationVersion", ({ applicationVersion = LATEST_VERSION }) => applicationVersion],
  }),
];
