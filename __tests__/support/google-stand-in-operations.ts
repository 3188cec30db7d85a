import { type Call } from "./google-stand-in-services";

export interface OperationFailure {
  readonly code: number | string;
  readonly message: string;
}

export interface Operation {
  readonly name: string;
  readonly target: string;
  /** Id of the method that began it, without the API's name. */
  readonly method: string;
  readonly insertTime: string;
  readonly endsAt: number;
  /** Called when the operation ends well; returns its response where it has one. */
  readonly effect: () => unknown;
  readonly failure: OperationFailure | undefined;
  done: boolean;
  response?: unknown;
}

/**
 * Long-running operations of one API: accepted at once, carried out a few calls later.
 *
 * The client's calls are the clock, so that a killed client finds everything as it was.
 */
export class Operations {
  /** Calls until an operation ends, not counting its own. */
  callsUntilDone = 1;
  /** Errors of the next operations, by method id without the API's name. */
  readonly failures = new Map<string, OperationFailure>();
  clock = 0;
  private readonly all: Operation[] = [];

  tick(): void {
    this.clock += 1;
    for (const operation of this.all) {
      if (operation.done || operation.endsAt > this.clock) continue;
      operation.done = true;
      if (operation.failure === undefined) operation.response = operation.effect();
    }
  }

  settle(): void {
    for (const { endsAt } of this.all) while (this.clock < endsAt) this.tick();
  }

  begin(call: Call, target: string, effect: Operation["effect"]): Operation {
    const method = call.method.id.replace(/^[^.]+\./, "");
    const operation: Operation = {
      name: `operation-${this.all.length + 1}`,
      target,
      method,
      effect,
      failure: this.failures.get(method),
      done: false,
      insertTime: new Date().toISOString(),
      endsAt: this.clock + this.callsUntilDone,
    };
    this.failures.delete(method);
    this.all.push(operation);
    return operation;
  }

  isBusy(...targets: readonly string[]): boolean {
    return this.all.some(({ done, target }) => !done && targets.includes(target));
  }

  find(name: string): Operation | undefined {
    return this.all.find((operation) => operation.name === name);
  }

  /** The operations on one target, the newest first. */
  on(target: string): readonly Operation[] {
    return this.all.filter((operation) => operation.target === target).reverse();
  }
}
