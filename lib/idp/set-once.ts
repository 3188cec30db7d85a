import { CheckedRelation } from "../core/checked-relation";
import { type EnvironmentOverrides } from "./container-spec";
import { bothPrefixes } from "./environment-rules";
import { type SecretReferences } from "./secret-references";

interface SetOnceSpec<Setter> {
  /** Names of the variables, with our prefix. */
  readonly variables: readonly string[];

  /** True for a literal that sets them. */
  readonly isOn: (setter: Setter) => boolean;

  /** The opposite as a Terraform expression. */
  readonly isOff: (setter: string) => string;

  /** What the message says of the setter, after its name. */
  readonly is: string;

  /** The remedy that keeps the setter from setting them, given its name. */
  readonly remedy: (setter: string) => string;
}

/** Rule against variables of the caller, with either prefix, that another input sets. */
export function setOnce<Setter>({ is, isOff, isOn, remedy, variables: own }: SetOnceSpec<Setter>) {
  const names = own.flatMap(bothPrefixes).sort();
  const taken = (variables: EnvironmentOverrides | SecretReferences) => names.filter((name) => name in variables);
  const takenExpression = (variables: string) => `setintersection(keys(${variables}), ${JSON.stringify(names)})`;
  return new CheckedRelation<{ setter: Setter; variables: EnvironmentOverrides | SecretReferences }, "taken">({
    accepts: ({ setter, variables }) => !isOn(setter) || taken(variables).length === 0,
    condition: ({ setter, variables }) => `${isOff(setter)} || length(${takenExpression(variables)}) == 0`,
    figures: {
      taken: {
        of: ({ variables }) => taken(variables).join(", "),
        expression: ({ variables }) => `join(", ", sort(${takenExpression(variables)}))`,
      },
    },
    problem: (props, _, { taken: both }) =>
      `${props.variables} has ${both} and ${props.setter} is ${is}; only one of them can set it, because a variable has one value; remove it from ${props.variables}, or ${remedy(props.setter)}`,
  });
}
