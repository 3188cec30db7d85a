import { mebibytes, MIB_PER_GIB } from "../../lib/platform/instance-rules";

/** Values of all inputs by their Terraform names, including defaults. */
export type CostInputs = Readonly<Record<string, unknown>>;

/** Reads inputs that the quantities depend on. */
export class InputValues {
  constructor(private readonly inputs: CostInputs) {}

  number(name: string): number {
    return this.valueOf(name, "number") as number;
  }

  text(name: string): string {
    return this.valueOf(name, "string") as string;
  }

  flag(name: string): boolean {
    return this.valueOf(name, "boolean") as boolean;
  }

  /** A number, or the fallback for null. */
  numberOr(name: string, fallback: number): number {
    return this.has(name) ? this.number(name) : fallback;
  }

  /** A flag, or the fallback for null. */
  flagOr(name: string, fallback: boolean): boolean {
    return this.has(name) ? this.flag(name) : fallback;
  }

  /** Memory in GiB, of a text like `4Gi` or the fallback for null. */
  gibibytes(name: string, fallback?: string): number {
    return gibibytes(fallback === undefined || this.has(name) ? this.text(name) : fallback);
  }

  has(name: string): boolean {
    if (!Object.hasOwn(this.inputs, name))
      throw new Error(`the price depends on the input ${name}, which has no value`);
    return this.inputs[name] !== null && this.inputs[name] !== undefined;
  }

  /** Members of an object; none of null. */
  members(name: string): Readonly<Record<string, unknown>> {
    return this.has(name) ? (this.valueOf(name, "object") as Readonly<Record<string, unknown>>) : {};
  }

  private valueOf(name: string, type: "boolean" | "number" | "object" | "string"): unknown {
    const value = this.has(name) ? this.inputs[name] : undefined;
    if (typeof value !== type) throw new Error(`the price depends on the input ${name}, which is not a ${type}`);
    return value;
  }
}

/** Memory as Kubernetes writes it, in GiB. */
export function gibibytes(memory: string): number {
  return mebibytes(memory) / MIB_PER_GIB;
}

/** CPUs as Kubernetes writes them, such as `100m`. */
export function cpus(text: string): number {
  return text.endsWith("m") ? Number(text.slice(0, -1)) / 1000 : Number(text);
}
