import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

import { GoogleProvider } from "@cdktf/provider-google/lib/provider";
import { App, type TerraformStack } from "cdktf";

import { PortableStack, type PortableStackProps, type StackOutput } from "../../lib/core/portable-stack";
import { temporaryFolder } from "./temporary-folder";

export type Block = Readonly<Record<string, unknown>>;

type Named = Readonly<Record<string, Block>>;
type Typed = Readonly<Record<string, Named>>;

/** A synthesized configuration, as far as tests use it. */
export interface Terraform {
  readonly "//": { readonly metadata: Block };
  readonly terraform: Block;
  readonly check?: Named;
  readonly data?: Typed;
  readonly ephemeral?: Typed;
  readonly locals?: Block;
  readonly output?: Named;
  readonly provider?: Readonly<Record<string, readonly Block[]>>;
  readonly resource?: Typed;
  readonly variable?: Named;
}

/** A stack of the library with only its provider; tests may declare outputs. */
export class BareStack extends PortableStack {
  override addOutputs(outputs: Readonly<Record<string, StackOutput>>): void {
    super.addOutputs(outputs);
  }
}

/** An app with its own temporary output folder, which is removed after the tests of the file. */
export function testApp(): App {
  return new App({ outdir: temporaryFolder() });
}

/** A stack named `test` in an app of its own, with the google provider configured. */
export function bareStack(props: Partial<PortableStackProps> = {}): BareStack {
  const stack = new BareStack(testApp(), "test", { providers: ["google", "random"], ...props });
  new GoogleProvider(stack, "google", { project: "demo-project", region: "us-central1" });
  return stack;
}

/**
 * What Terraform would read of a stack: validated and rendered as in a real synth.
 *
 * Values pass through JSON, so undefined ones are absent.
 */
export function terraformOf(stack: TerraformStack): Terraform {
  // This renders everything once more, only to find what refers to another stack.
  if (stack.node.root.node.children.length > 1) stack.prepareStack();
  stack.runAllValidations();
  return JSON.parse(JSON.stringify(stack.toTerraform())) as Terraform;
}

/** The same of a stack, a bare one by default, in which there is this. */
export function terraformWith(fill: (stack: BareStack) => void, stack = bareStack()): Terraform {
  fill(stack);
  return terraformOf(stack);
}

export function warningsOf(stack: TerraformStack): unknown[] {
  return stack.node
    .findAll()
    .flatMap((construct) => construct.node.metadata)
    .filter(({ type }) => type === "@cdktf/warn")
    .map(({ data }) => data as unknown);
}

/**
 * The arguments of one resource, or of another block that is addressed by type and name.
 *
 * @throws Error that lists the blocks of the type if there is none of the name
 */
export function resourceOf(
  terraform: Terraform,
  type: string,
  name: string,
  block: "data" | "ephemeral" | "resource" = "resource",
): Block {
  const elements = terraform[block]?.[type] ?? {};
  const found = elements[name];
  if (found !== undefined) return found;
  throw new Error(`no ${block} ${type}.${name}; the names of that type are: ${Object.keys(elements).join(", ")}`);
}

/** Addresses of all resources, sorted: `<type>.<name>`. */
export function resourceAddresses({ resource = {} }: Terraform): string[] {
  return Object.entries(resource)
    .flatMap(([type, elements]) => Object.keys(elements).map((name) => `${type}.${name}`))
    .sort();
}

export interface SynthesizedFolder {
  readonly path: string;
  readonly files: readonly string[];
  read(pathInFolder: string): string;
}

/** Synthesizes a `testApp` on every call and returns the folder of one of its stacks. */
export function synthesizeInto(app: App, stackName = "test"): SynthesizedFolder {
  app.synth();
  const path = join(app.outdir, "stacks", stackName);
  const files = readdirSync(path, { recursive: true, encoding: "utf8" })
    .filter((file) => statSync(join(path, file)).isFile())
    .sort();
  return { path, files, read: (pathInFolder) => readFileSync(join(path, pathInFolder), "utf8") };
}
