import { Token, type IResolvable, type TerraformVariableValidationConfig } from "cdktf";

import { type Rule } from "./rules";

type Collection = Readonly<Record<string, string>> | readonly string[];

/** What every entry of a map, or item of a list, must be. The same description judges a prop and an input. */
interface CheckedEntriesSpec {
  /** True of an acceptable literal; of a list, the key is the index. */
  readonly accepts: (key: string, value: string) => boolean;

  /** The same in Terraform's language, of the variables `key` and `value`; an expression that fails counts as false. */
  readonly condition: string;

  /** What of an entry the message shows: never the values of a map that may hold secrets. */
  readonly show: "entry" | "key" | "value";

  /** The rule, the reason where it is not obvious, and the way out, as the rest of the sentence. */
  readonly rule: string;
}

/** What every entry of a collection must be, as a rule on a prop and as the validation of an input. */
export class CheckedEntries {
  constructor(private readonly spec: CheckedEntriesSpec) {}

  /** The one sentence about all entries that break the rule; none when there are none. */
  problemsOf(name: string, collection: Collection): string[] {
    const { accepts, rule, show } = this.spec;
    const wrong = Object.entries(collection)
      .filter(([key, value]) => !Token.isUnresolved(value) && !accepts(key, value))
      .map(([key, value]) => SHOWN[show].of(key, value));
    return wrong.length === 0 ? [] : [`${name} has ${wrong.join(", ")}; ${rule}`];
  }

  /** A rule on a prop; one that is absent passes, and one that only Terraform knows. */
  ruleOn<Props>(name: string, valueOf: (props: Props) => Collection | IResolvable | undefined): Rule<Props> {
    const problems = (props: Props): string[] => {
      const collection = valueOf(props);
      if (collection === undefined || Token.isUnresolved(collection)) return [];
      return this.problemsOf(name, collection as Collection);
    };
    return { holds: (props) => problems(props).length === 0, message: problems };
  }

  /** The validation of an input that may not be null. */
  validationOf(variable: string): TerraformVariableValidationConfig {
    const { condition, rule, show } = this.spec;
    const holds = `try(${condition}, false)`;
    return {
      condition: `\${alltrue([for key, value in var.${variable} : ${holds}])}`,
      errorMessage: `${variable} has \${join(", ", [for key, value in var.${variable} : ${SHOWN[show].expression} if !${holds}])}; ${rule}.`,
    };
  }
}

/** How an entry is shown: of a literal, and in Terraform's language. */
interface Shown {
  readonly of: (key: string, value: string) => string;
  readonly expression: string;
}

const SHOWN: Readonly<Record<CheckedEntriesSpec["show"], Shown>> = {
  entry: { of: (key, value) => `${key} = ${value}`, expression: '"${key} = ${value}"' },
  key: { of: (key) => JSON.stringify(key), expression: "jsonencode(key)" },
  value: { of: (_, value) => JSON.stringify(value), expression: "jsonencode(value)" },
};
