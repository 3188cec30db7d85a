import { Token } from "cdktf";

import { numberExpression, numberText } from "../core/expression";
import { CONNECTIONS_PER_INSTANCE, SERVER_CONNECTIONS, WORKER_CONNECTIONS } from "./contract";
import { DEFAULT_WORKER_MODE, isSeparate, WORKER_PROCESSES, WORKER_THREADS, type WorkerOptions } from "./worker-mode";

/** Connections without those of requests, as Terraform expressions. */
interface ConnectionExpressions {
  /** Of one instance of the server. */
  readonly perInstance: string;

  /** Of one separate worker. */
  readonly perWorker: string;
}

/**
 * Connections to the database for the worker's mode and size, without those of requests, as Terraform expressions.
 *
 * @param form expressions without `${}`, of which processes and threads may be null
 */
export function connectionExpressions(form: Readonly<Record<keyof WorkerOptions, string>>): ConnectionExpressions {
  const { perProcess, pool } = WORKER_CONNECTIONS;
  const processes = `coalesce(${form.workerProcesses}, ${WORKER_PROCESSES.default})`;
  const threads = `coalesce(${form.workerThreads}, ${WORKER_THREADS.default})`;
  const perWorker = `(${pool} + ${processes} * (${threads} + ${perProcess}))`;
  const pair = `${CONNECTIONS_PER_INSTANCE - DEFAULT_WORKER} + ${perWorker}`;
  return { perInstance: `(${form.workerMode} == "separate" ? ${SERVER_CONNECTIONS} : ${pair})`, perWorker };
}

/** Peak connections of one worker; a token if its size is known only at plan. */
export function workerConnections(form: WorkerOptions): number {
  const { workerProcesses: processes = WORKER_PROCESSES.default, workerThreads: threads = WORKER_THREADS.default } =
    form;
  if (Token.isUnresolved(processes) || Token.isUnresolved(threads)) {
    return numberExpression(connectionExpressions(expressionsOf(form)).perWorker);
  }
  return ofWorker(processes, threads);
}

/**
 * Connections of one instance of the server without those of requests, with its worker if that is in it; a token if known
 * only at plan.
 */
export function instanceConnections(form: WorkerOptions): number {
  const mode = form.workerMode ?? DEFAULT_WORKER_MODE;
  const separate = isSeparate(mode);
  if (separate === "true") return SERVER_CONNECTIONS;
  const ofThisWorker = workerConnections(form);
  if (separate === "false" && !Token.isUnresolved(ofThisWorker)) {
    return CONNECTIONS_PER_INSTANCE - DEFAULT_WORKER + ofThisWorker;
  }
  return numberExpression(connectionExpressions(expressionsOf(form)).perInstance);
}

function ofWorker(processes: number, threads: number): number {
  return WORKER_CONNECTIONS.pool + processes * (threads + WORKER_CONNECTIONS.perProcess);
}

/** Connections of a worker with the application's default size. */
const DEFAULT_WORKER = ofWorker(WORKER_PROCESSES.default, WORKER_THREADS.default);

function expressionsOf({ workerMode = DEFAULT_WORKER_MODE, workerProcesses, workerThreads }: WorkerOptions) {
  return {
    workerMode: Token.isUnresolved(workerMode) ? workerMode : JSON.stringify(workerMode),
    workerProcesses: workerProcesses === undefined ? "null" : numberText(workerProcesses),
    workerThreads: workerThreads === undefined ? "null" : numberText(workerThreads),
  };
}
