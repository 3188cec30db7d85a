import { Token, type IResolvable, type TerraformVariableValidationConfig } from "cdktf";

import { type Rule } from "./rules";

type Collection = Readonly<Record<string, string>> | readonly string[];

/** Rule for every entry of a map or item of a list. One description checks a prop at synth and an input at plan. */
interface CheckedEntriesSpec {
  /** True for an acceptable literal; the key of a list item is its index. */
  readonly accepts: (key: string, value: string) => boolean;

  /** The same as a Terraform expression of `key` and `value`; one that fails to evaluate counts as false. */
  readonly condition: string;

  /** Part of an entry that the message shows: never the value if the map may hold secrets. */
  readonly show: "entry" | "key" | "value";

  /** Rest of the sentence: the rule, the reason if it is not obvious, and the fix. */
  readonly rule: string;
}

/** Rule for every entry of a collection, for a prop and for the validation of an input. */
export class CheckedEntries {
  constructor(private readonly spec: CheckedEntriesSpec) {}

  /** One sentence that lists all entries that break the rule; empty if there are none. */
  problemsOf(name: string, collection: Collection): string[] {
    const { accepts, rule, show } = this.spec;
    const wrong = Object.entries(collection)
      .filter(([key, value]) => !Token.isUnresolved(value) && !accepts(key, value))
      .map(([key, value]) => SHOWN[show].of(key, value));
    return wrong.length === 0 ? [] : [`${name} has ${wrong.join(", ")}; ${rule}`];
  }

  /** Rule on a prop; absent values and values known only to Terraform pass. */
  ruleOn<Props>(name: string, valueOf: (props: Props) => Collection | IResolvable | undefined): Rule<Props> {
    const problems = (props: Props): string[] => {
      const collection = valueOf(props);
      if (collection === undefined || Token.isUnresolved(collection)) return [];
      return this.problemsOf(name, collection as Collection);
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
    const { condition, rule, show } = this.spec;
    const holds = `try(${condition}, false)`;
    return {
      condition: `\${alltrue([for key, value in ${collection} : ${holds}])}`,
      errorMessage: `${name} has \${join(", ", [for key, value in ${collection} : ${SHOWN[show].expression} if !${holds}])}; ${rule}.`,
    };
  }
}

/** How an entry is shown, for a literal and as a Terraform expression. */
interface Shown {
  readonly of: (key: string, value: string) => string;
  readonly expression: string;
}

const SHOWN: Readonly<Record<CheckedEntriesSpec["show"], Shown>> = {
  entry: { of: (key, value) => `${key} = ${value}`, expression: '"${key} = ${value}"' },
  key: { of: (key) => JSON.stringify(key), expression: "jsonencode(key)" },
  value: { of: (_, value) => JSON.stringify(value), expression: "jsonencode(value)" },
};
