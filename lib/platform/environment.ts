import { Fn, type ITerraformDependable, TerraformLocal, type TerraformResource, Token } from "cdktf";

import { addDynamicBlock, type DynamicBlock } from "../core/expr/blocks";
import { allOf, hcl } from "../core/expr/expr";
import { localReference } from "../core/expr/locals";
import { escapedTexts } from "../core/expr/terraform-text";
import { type WorkloadIdentity } from "../core/identity";
import { type ContainerSpec, type EnvironmentSpec } from "../idp/container-spec";

/**
 * Adds the plain variables beside the secret ones, as a dynamic block, because the caller's variables may be unknown at
 * synth.
 *
 * @param containerPath path of the container block in the resource, for example `template.containers.0`
 * @param secrets variables with secret values
 * @param spelling escapes a value, where the container would otherwise not get it unchanged
 */
export function addEntries(
  resource: TerraformResource,
  containerPath: string,
  environment: EnvironmentSpec,
  { further, own }: SecretEntries,
  spelling = (value: string) => `\${${value}}`,
): void {
  const plain = {
    forEach: mergedEnvironment(resource, environment, further),
    content: { name: "${env.key}", value: spelling("env.value") },
  };
  const secrets = [further, own].filter((block) => block !== undefined);
  addDynamicBlock(resource, containerPath, "env", plain, ...secrets);
}

/** The variables of a container that have secret values. */
interface SecretEntries {
  /** Secret variables of the deployment itself, unless the container's own block has them. */
  readonly own?: DynamicBlock | undefined;
  /** Secret variables of the caller, as a map by name that only a plan knows; they override plain variables. */
  readonly further?: DynamicBlock | undefined;
}

/** Variables that a platform sets in a container's environment; undefined members are not set. */
interface PlatformEnvironment {
  readonly baseUrl?: string | undefined;
  /** Base URL that is null at plan if there is none. */
  readonly optionalBaseUrl?: string;
  /** Host name or socket folder. */
  readonly databaseHost: string | undefined;
  /** Source ranges of the load balancers. */
  readonly loadBalancerRanges: readonly string[];
  /** URL that stops the database proxy beside the container. */
  readonly proxyQuitUrl?: string;
  /** Whether load balancers pass TLS through to the container. */
  readonly passesTls?: boolean;
}

/** The variables of a container and of its platform; the caller can override only the baseline. */
export function environmentOn(facts: PlatformEnvironment, container: ContainerSpec): EnvironmentSpec {
  const { baseUrlVariable, database, environment, tlsPort, trustedProxies } = container;
  const variable = (name: string | undefined, value: string | undefined) =>
    name === undefined || value === undefined ? {} : { [name]: value };
  const optional = { ...variable(baseUrlVariable, facts.optionalBaseUrl), ...environment.optional };
  return {
    ...(Object.keys(optional).length > 0 && { optional }),
    baseline: {
      ...(facts.passesTls && tlsPort?.environment),
      ...variable(baseUrlVariable, facts.baseUrl),
      ...environment.baseline,
    },
    ...(environment.common && { common: environment.common }),
    overrides: environment.overrides,
    required: {
      ...environment.required,
      ...trustedProxies?.(facts.loadBalancerRanges, environment.overrides),
      ...variable(database?.hostVariable, facts.databaseHost),
      ...variable(database?.proxyQuitVariable, facts.proxyQuitUrl),
    },
  };
}

/** The container with a variable that is empty until a caller sets it. */
export function withVariable(container: ContainerSpec, name: string): ContainerSpec {
  const { environment } = container;
  return { ...container, environment: { ...environment, required: { ...environment.required, [name]: "" } } };
}

/** The buckets and the database of a container, and the grants of an identity to them. */
export function storesOf(identity: WorkloadIdentity, { database, mounts = [] }: ContainerSpec): ITerraformDependable[] {
  return [
    ...mounts.flatMap((store) => [...store.ready, ...store.grantReadWrite(identity)]),
    ...(database === undefined ? [] : [...database.instance.ready, ...database.instance.grantConnect(identity)]),
  ];
}

/** Dependencies of a container that starts under an identity: grants, and the container's own dependencies. */
export function grantsTo(identity: WorkloadIdentity, container: ContainerSpec): ITerraformDependable[] {
  const { dependsOn = [], image, secretEnvironment, secretSettings = [] } = container;
  const secrets = [...Object.values(secretEnvironment), ...secretSettings];
  return [
    ...secrets.flatMap((secret) => [...secret.ready, ...secret.grantAccess(identity)]),
    ...storesOf(identity, container),
    ...image.ready,
    ...dependsOn,
  ];
}

function mergedEnvironment(
  resource: TerraformResource,
  environment: EnvironmentSpec,
  further: DynamicBlock | undefined,
): unknown {
  const all = allVariables(resource, environment);
  const isSet = environment.optional === undefined ? true : hcl<unknown>`value`.isSet();
  // Removes the baseline's value, because a variable may occur only once; like a plain value, a secret of the caller
  // overrides the baseline.
  const isPlain = further === undefined ? true : hcl<boolean>`contains(keys(${further.forEach}), name)`.not();
  const isLeft = allOf(isSet, isPlain);
  if (isLeft.isLiteral) return all;
  const local = localReference<object>(new TerraformLocal(resource, "Environment", all));
  return hcl`{ for name, value in ${local} : name => value if ${isLeft} }`;
}

function allVariables(resource: TerraformResource, environment: EnvironmentSpec): unknown {
  const { common, optional, overrides, required } = environment;
  const baseline = { ...optional, ...environment.baseline };
  if (!Token.isUnresolved(overrides))
    return escapedTexts({ ...baseline, ...(overrides as typeof required), ...required });
  // The literal layers are put into locals, because CDKTF does not escape quotes in function arguments.
  const local = (id: string, layer: Readonly<Record<string, string>>): unknown =>
    new TerraformLocal(resource, id, escapedTexts(layer)).expression;
  const ownVariables = Object.entries(baseline).filter(([name, value]) => common?.variables[name] !== value);
  return Fn.merge([
    ...(common === undefined ? [] : [common.local().expression as unknown]),
    ...(ownVariables.length === 0 ? [] : [local("BaselineEnvironment", Object.fromEntries(ownVariables))]),
    overrides,
    local("RequiredEnvironment", required),
  ]) as unknown;
}
