import { Fn, TerraformLocal, Token, type TerraformResource } from "cdktf";

import { addDynamicBlock } from "../core/dynamic-block";
import { literal } from "../core/expression";
import { type EnvironmentOverrides, type EnvironmentSpec } from "../idp/container-spec";

/**
 * Adds plain entries beside the secret ones, as one dynamic block: the caller's variables may be known to Terraform alone.
 *
 * @param containerPath path of the container block in the resource, for example `template.containers.0`
 * @param spelling how the platform writes a value so that the container gets it unchanged
 */
export function addPlainEntries(
  resource: TerraformResource,
  containerPath: string,
  environment: EnvironmentSpec,
  spelling: (value: string) => string = (value) => `\${${value}}`,
): void {
  addDynamicBlock(resource, containerPath, "env", {
    forEach: mergedEnvironment(resource, environment),
    content: { name: "${env.key}", value: spelling("env.value") },
  });
}

/** The variables of a container with what its platform needs it to know below all others, so that its own win. */
export function onPlatform(
  platformEnvironment: Readonly<Record<string, string>>,
  environment: EnvironmentSpec,
): EnvironmentSpec {
  return { ...environment, baseline: { ...platformEnvironment, ...environment.baseline } };
}

function mergedEnvironment(resource: TerraformResource, { baseline, overrides, required }: EnvironmentSpec): unknown {
  if (isLiteral(overrides)) return literalMap({ ...baseline, ...overrides, ...required });
  // The literal layers go through locals, because the framework does not escape quotes in the arguments of a function.
  const local = (id: string, layer: Readonly<Record<string, string>>): unknown =>
    new TerraformLocal(resource, id, literalMap(layer)).expression;
  const layers = [local("BaselineEnvironment", baseline), overrides, local("RequiredEnvironment", required)];
  return Fn.merge(layers) as unknown;
}

function isLiteral(overrides: EnvironmentOverrides): overrides is Readonly<Record<string, string>> {
  return !Token.isUnresolved(overrides);
}

function literalMap(layer: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(layer).map(([name, value]) => [name, literal(value)]));
}
