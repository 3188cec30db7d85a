import { TerraformBackend, TerraformElement, TerraformOutput, type TerraformRemoteState, TerraformStack } from "cdktf";
import { Construct, type Node } from "constructs";

import { elementNamePart, MAIN_CHILD_ID } from "./element-names";
import { rendered } from "./expr/locals";
import { withNamedSteps } from "./expr/named-steps";
import { type HclBlocks, hclFilesOf } from "./hcl/stack-origin";
import { withNotes } from "./inputs/message-notes";
import { RulesBrokenError } from "./inputs/rules-broken-error";
import { prose } from "./prose";
import { type ProviderName, requireProvider } from "./provider-requirements";
import { addStackText, filesOf, HCL_MAIN_FILE } from "./stack-file";
import { crossStackError, isObject, localPathProblems, StackBackend, type StateBackend } from "./state-backend";

export { MAIN_CHILD_ID } from "./element-names";

export interface PortableStackProps {
  /**
   * Backend for the state; a CDKTF backend can be added instead.
   *
   * @default - `terraform.tfstate` in its folder
   */
  readonly backend?: StateBackend;

  /**
   * Nested blocks of resource types that the library itself does not use, each with its inner blocks; only for HCL: `{
   * google_pubsub_topic: { schema_settings: {} } }`. Data sources, ephemeral resources and providers have `data.`,
   * `ephemeral.` or `provider.` before the type.
   *
   * @default - none; HCL refuses such types by name
   */
  readonly hclBlocks?: HclBlocks;

  /** Providers that the stack uses; the configuration states their accepted releases as ranges. */
  readonly providers: readonly ProviderName[];
}

/** A stack output: its value and its purpose. */
export interface StackOutput {
  /** A literal, an expression or an object. */
  readonly value: unknown;

  /** Use of the output. */
  readonly description: string;
}

/**
 * A stack with a synthesized folder that can be applied with nothing but Terraform.
 *
 * The folder is self-contained, contains no paths of this machine, states the required releases and is byte-identical
 * wherever it is synthesized. Addresses are the construct path in snake case (`google_sql_database_instance.database`),
 * so renaming a construct renames its resource.
 */
export class PortableStack extends TerraformStack {
  private readonly givenBackend?: StateBackend;
  private readonly hclBlocks: HclBlocks;

  constructor(scope: Construct, id: string, props: PortableStackProps) {
    super(scope, id);
    this.givenBackend = props.backend;
    this.hclBlocks = props.hclBlocks ?? {};
    // Installs the synthesizer that removes files of an earlier synthesis in the other format.
    filesOf(this);
    if (props.backend?.type === "local") requireNone(this, localPathProblems(props.backend.path));
    for (const provider of props.providers) requireProvider(this, provider);
  }

  /** Declares the outputs of the root module, each under exactly its name. */
  protected addOutputs(outputs: Readonly<Record<string, StackOutput>>): void {
    for (const [name, output] of Object.entries(outputs)) {
      // A variable and an output may share a name; two constructs in one scope may not.
      const scope = this.node.tryFindChild(name) === undefined ? this : new Construct(this, `${name}-output`);
      new TerraformOutput(scope, name, { ...output, staticId: true });
    }
  }

  /**
   * Adds the default backend late, so that a CDKTF backend can replace it. Without a backend, CDKTF would add one with
   * the absolute working directory of this machine as its path.
   *
   * @throws RulesBrokenError if there is more than one, or one with a path of this machine
   */
  override ensureBackendExists(): TerraformBackend {
    const [backend, ...others] = this.node.findAll().filter((construct) => TerraformBackend.isBackend(construct));
    if (backend === undefined) return new StackBackend(this, "StateBackend", this.givenBackend ?? { type: "local" });
    if (backend instanceof StackBackend) return backend;
    const chosen = [
      ...(this.givenBackend === undefined ? [] : [`the prop backend (${this.givenBackend.type})`]),
      ...[backend, ...others].map(
        (each) => `${each.node.path} (${(each.toMetadata() as { backend: string }).backend})`,
      ),
    ];
    const tooMany = prose`
      the state is kept by ${chosen.join(" and by ")}; only one is possible, because Terraform allows one backend;
      remove the others
    `;
    const { terraform } = backend.toTerraform() as { terraform: { backend?: { local?: { path?: unknown } } } };
    requireNone(this, [...(chosen.length > 1 ? [tooMany] : []), ...localPathProblems(terraform.backend?.local?.path)]);
    return backend;
  }

  /** @throws RulesBrokenError always: CDKTF would read the other stack's state by a path of this machine */
  override registerIncomingCrossStackReference(producer: TerraformStack): TerraformRemoteState {
    throw crossStackError(this, producer);
  }

  /** Prepares only the backend. The framework also prepares cross-stack references, which `toTerraform` refuses. */
  override prepareStack(): void {
    this.ensureBackendExists();
  }

  /**
   * Renders each element once, where the framework renders it three times. The metadata for the CDKTF CLI contains no
   * list of outputs, because the CLI would then end a deployment with an exception if any output is null.
   *
   * @throws RulesBrokenError if two elements share an address; Terraform JSON would silently keep only the last one
   */
  override toTerraform(): Readonly<Record<string, unknown>> {
    const metadata = { version: this.node.tryGetContext("cdktfVersion") as unknown, stackName: this.node.id };
    const backend = this.ensureBackendExists().toMetadata() as object;
    const terraform: Body = { "//": { metadata: { ...metadata, ...backend } } };
    const owners = new Map<string, string[]>();
    for (const element of this.node.findAll()) {
      if (!TerraformElement.isTerraformElement(element) || element.cdktfStack !== this) continue;
      const fragment = rendered(this, element.toTerraform(), true) as Body;
      for (const address of declaredAddresses(fragment))
        owners.set(address, [...(owners.get(address) ?? []), element.node.path]);
      merge(terraform, fragment);
    }
    const shared = [...owners].filter(([, paths]) => paths.length > 1);
    const failures = shared.map(
      ([address, paths]) =>
        prose`
        ${address} is the address of ${paths.join(" and ")}; only the last would be written;
        give one of them another id
      `,
    );
    requireNone(this, failures);
    const { rawOverrides } = this as unknown as { readonly rawOverrides: Body };
    merge(terraform, rendered(this, rawOverrides) as Body);
    return withNotes(this, withoutReferencedDependencies(withNamedSteps(withoutElementMetadata(terraform)) as Body));
  }

  /**
   * The root module in HCL, as files by part. The framework's own renderer is not used, because its HCL differs from
   * its JSON.
   *
   * @returns the text of the first file; the others are written beside it
   * @throws RulesBrokenError if a resource type's nested blocks are not known
   */
  override toHclTerraform(): { hcl: string; metadata: Record<string, unknown> } {
    const { "//": metadata, ...configuration } = this.toTerraform();
    const files = hclFilesOf(this, withConfigurationAliases(configuration), this.hclBlocks);
    const { [HCL_MAIN_FILE]: hcl = "", ...others } = files;
    for (const [name, text] of Object.entries(others)) addStackText(this, text, name);
    return { hcl, metadata: { "//": metadata, terraform: configuration.terraform } };
  }

  /** The ids of the constructs around an element, from the outermost, without generic ids. */
  protected override allocateLogicalId(element: TerraformElement | Node): string {
    const { scopes } = TerraformElement.isTerraformElement(element) ? element.node : element;
    const names = scopes.slice(scopes.indexOf(this) + 1).map((scope) => scope.node.id);
    const speaking = names.filter((name) => name !== MAIN_CHILD_ID);
    const words = (speaking.length === 0 ? names.slice(-1) : speaking).map((name) => elementNamePart(name));
    // A Terraform name must not start with a digit.
    return words.join("_").replace(/^(?=\d)/, "_");
  }
}

type Body = Record<string, unknown>;

function requireNone(stack: PortableStack, failures: readonly string[]): void {
  if (failures.length > 0) throw new RulesBrokenError(stack.node.path, failures);
}

function declaredAddresses(fragment: Body): string[] {
  const named = ["check", "locals", "module", "output", "variable"].flatMap((block) =>
    namesIn(fragment[block]).map((name) => `${block}.${name}`),
  );
  const typed = ["resource", "data", "ephemeral"].flatMap((block) =>
    Object.entries((fragment[block] ?? {}) as Record<string, unknown>).flatMap(([type, elements]) =>
      namesIn(elements).map((name) => `${block}.${type}.${name}`),
    ),
  );
  return [...named, ...typed];
}

function namesIn(elements: unknown): string[] {
  return Object.keys((elements ?? {}) as Record<string, unknown>).filter((name) => name !== "//");
}

/** Removes construct paths, which mean nothing to a reader of the folder. */
function withoutElementMetadata(terraform: Body): Body {
  const { data, ephemeral, module, resource } = terraform as Record<string, Record<string, Body>>;
  const typed = [data, ephemeral, resource].flatMap((types) => Object.values(types ?? {}));
  for (const elements of [...typed, module ?? {}]) {
    for (const element of Object.values(elements)) delete (element as Body)["//"];
  }
  return terraform;
}

/** Arguments and blocks whose references do not determine the order of creation. */
const OTHER_REFERENCES = ["depends_on", "lifecycle", "provisioner"];

/** Removes dependencies on elements that are referred to anyway, so that each remaining dependency has a meaning. */
function withoutReferencedDependencies(terraform: Body): Body {
  const { data, resource } = terraform as Record<string, Record<string, Record<string, Body>>>;
  const elements = [data, resource].flatMap((types) => Object.values(types ?? {}).flatMap(Object.values<Body>));
  for (const element of elements) {
    const { depends_on: given } = element;
    if (!Array.isArray(given)) continue;
    const text = JSON.stringify(Object.entries(element).filter(([name]) => !OTHER_REFERENCES.includes(name)));
    // A doubled dollar sign escapes the template after it.
    const refersTo = (address: string) => new RegExp(`(?<!\\$)\\$\\{${address.replaceAll(".", "[.]")}[.[]`).test(text);
    const unreferenced = given.filter((address) => !refersTo(String(address)));
    if (unreferenced.length > 0) element.depends_on = unreferenced;
    else delete element.depends_on;
  }
  return terraform;
}

/**
 * Lists provider aliases among the required providers, so that a caller of the folder as a module can pass these
 * providers.
 */
function withConfigurationAliases(configuration: Body): Body {
  const { provider = {}, terraform = {} } = configuration as Record<string, Record<string, Body>>;
  const required = { ...terraform.required_providers } as Record<string, Body>;
  for (const [name, given] of Object.entries(provider)) {
    const aliases = [given].flat().flatMap(({ alias }) => (typeof alias === "string" ? [`\${${name}.${alias}}`] : []));
    if (aliases.length > 0) required[name] = { ...required[name], configuration_aliases: aliases };
  }
  return { ...configuration, terraform: { ...terraform, required_providers: required } };
}

/** Adds one rendered fragment to another: merges objects, joins lists, and overwrites other values. */
function merge(target: Body, source: Body): void {
  for (const [key, value] of Object.entries(source)) {
    const present = target[key];
    if (Array.isArray(value))
      target[key] = [...(Array.isArray(present) ? (present as unknown[]) : []), ...(value as unknown[])];
    else if (isObject(value) && isObject(present)) merge(present, value);
    else target[key] = value;
  }
}
