import { Token, type IResolvable, type TerraformVariableValidationConfig } from "cdktf";

import { shownValue, type CheckedValue, type SchemaFacts } from "./checked-value";
import { type Rule } from "./rules";

/** A map, or a list, whose keys are its indexes. */
type Collection<Value> = Readonly<Record<string, Value>> | readonly Value[];

/** Rule for every entry of a map or item of a list. One description checks a prop at synth and an input at plan. */
interface CheckedEntriesSpec<Value> {
  /** True for an acceptable literal; the key of a list item is its index. */
  readonly accepts: (key: string, value: Value) => boolean;

  /**
   * The same as a Terraform expression of `key` and `value`; one that fails to evaluate counts as false. The members of
   * objects have their Terraform names.
   */
  readonly condition: string;

  /** Part of an entry that the message shows: never the value if the map may hold secrets. */
  readonly show: "entry" | "key" | "value" | Shown<Value>;

  /** JSON Schema keywords for a key; they may accept more than the rule, never less. */
  readonly keySchema?: SchemaFacts;

  /** The same for the value of an entry. */
  readonly schema?: SchemaFacts;

  /** Rest of the sentence: the rule, the reason if it is not obvious, and the fix. */
  readonly rule: string;
}

/** Rule for every entry of a collection, for a prop and for the validation of an input. */
export class CheckedEntries<Value = string> {
  constructor(private readonly spec: CheckedEntriesSpec<Value>) {}

  /** JSON Schema keywords for a key. */
  get keySchema(): SchemaFacts {
    return this.spec.keySchema ?? {};
  }

  /** JSON Schema keywords for the value of an entry. */
  get schema(): SchemaFacts {
    return this.spec.schema ?? {};
  }

  /** One sentence that lists all entries that break the rule; empty if there are none. */
  problemsOf(name: string, collection: Collection<Value>): string[] {
    const { accepts, rule } = this.spec;
    const wrong = Object.entries(collection as Readonly<Record<string, Value>>)
      .filter(([key, value]) => !Token.isUnresolved(value) && !accepts(key, value))
      .map(([key, value]) => this.shown.of(key, value));
    return wrong.length === 0 ? [] : [`${name} has ${wrong.join(", ")}; ${rule}`];
  }

  /** Rule on a prop; absent values and values known only to Terraform pass. */
  ruleOn<Props>(name: string, valueOf: (props: Props) => Collection<Value> | IResolvable | undefined): Rule<Props> {
    const problems = (props: Props): string[] => {
      const collection = valueOf(props);
      if (collection === undefined || Token.isUnresolved(collection)) return [];
      return this.problemsOf(name, collection as Collection<Value>);
    };
    return { holds: (props) => problems(props).length === 0, message: problems };
  }

  /** Validation of an input that must not be null. */
  validationOf(variable: string): TerraformVariableValidationConfig {
    return this.memberValidationOf(variable, `var.${variable}`);
  }

  /**
   * Validation of a member of an input.
   *
   * @param name name in the message
   * @param collection Terraform expression for it, also where the input is null
   */
  memberValidationOf(name: string, collection: string): TerraformVariableValidationConfig {
    const { condition, rule } = this.spec;
    const holds = `try(${condition}, false)`;
    return {
      condition: `\${alltrue([for key, value in ${collection} : ${holds}])}`,
      errorMessage: `${name} has \${join(", ", [for key, value in ${collection} : ${this.shown.expression} if !${holds}])}; ${rule}.`,
    };
  }

  private get shown(): Shown<Value> {
    const { show } = this.spec;
    return typeof show === "string" ? SHOWN[show] : show;
  }
}

/** How an entry is shown, for a literal and as a Terraform expression. */
interface Shown<Value> {
  readonly of: (key: string, value: Value) => string;
  readonly expression: string;
}

const SHOWN: Readonly<Record<"entry" | "key" | "value", Shown<unknown>>> = {
  entry: { of: (key, value) => `${key} = ${String(value)}`, expression: '"${key} = ${value}"' },
  key: { of: (key) => JSON.stringify(key), expression: "jsonencode(key)" },
  value: { of: (_, value) => JSON.stringify(value), expression: "jsonencode(value)" },
};

/**
 * Applies the rule for a value to one member of every object in a map; objects without that member pass.
 *
 * @param member name of the member as a prop; its Terraform name is the same in snake case
 */
export function everyMember<Value>(
  member: string,
  rule: CheckedValue<Value>,
): CheckedEntries<Readonly<Record<string, unknown>>> {
  const terraformName = member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const value = `value.${terraformName}`;
  return new CheckedEntries({
    accepts: (_, { [member]: given }) =>
      given === undefined || given === null || Token.isUnresolved(given) || rule.accepts(given as Value),
    condition: `${value} == null ? true : ${rule.condition(value)}`,
    show: {
      of: (key, { [member]: given }) => `${key}.${member} = ${shownValue(given)}`,
      expression: `"\${key}.${terraformName} = \${jsonencode(${value})}"`,
    },
    rule: rule.requirement,
  });
}
