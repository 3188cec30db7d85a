import { TerraformLocal } from "cdktf";

import { reference } from "../../../lib/core/expr/expr";
import { planned } from "../../../lib/core/inputs/rules";
import { BLUEPRINT_FILE_RULES } from "../../../lib/idp/blueprint-rules";
import { evaluated } from "../../stacks/terraform-run";
import { describeWith } from "../../support/programs";
import { bareStack, terraformOf } from "../../support/synthesis";

const TEXT = `version: 1
metadata:
  name: Own
entries:
  - model: authentik_brands.brand
    conditions: [!Condition [NOR, !Find [authentik_brands.brand, [default, True]]]]
    attrs:
      title: !Env [TITLE, "Hello!Env"]
      list: !Enumerate
        - !If [true, !KeyOf a, !Context [b, c]]
        - SEQ
        - !Value 0
`;

const entry = (attribute: string) => `entries:\n  - model: a.b\n    attrs:\n      ${attribute}\n`;

const GOOD: Readonly<Record<string, string>> = {
  "every-tag.yaml": TEXT,
  "from-a-variable.yaml": entry("client_secret: !Env IDP_BLUEPRINT_SECRET"),
  "from-a-file.yaml": entry("password: !File /run/secrets/password"),
  "without-a-secret.yaml": entry("password: null # none"),
  "a-switch.yaml": entry("include_claims_in_id_token: true"),
  "nothing.yaml": entry("password:\n      name: a"),
  "in-a-text.yaml": entry("description: |\n        password: as in the letter"),
  "a-field.yaml": entry("field_key: password"),
  "python.yaml": entry('expression: |\n        return {"token": request.user.name}'),
};

const BAD: Readonly<Record<string, readonly [text: string, rule: string]>> = {
  "folder/nested.yaml": [TEXT, "each must be directly in the folder"],
  "ending.yml": [TEXT, "each must be directly in the folder"],
  "large.yaml": [`${TEXT}#${"x".repeat(60_000)}\n`, "each may have 60000 bytes"],
  "no-yaml.yaml": ["entries: [", "each must be YAML"],
  "empty.yaml": ["", "each must be YAML"],
  "unknown-tag.yaml": [entry("name: !Envy X"), "each must be YAML"],
  "password.yaml": [entry("password: hunter2"), "none may contain a literal"],
  "key.yaml": [entry("key: abc"), "none may contain a literal"],
  "default.yaml": [entry("token: !Env [TOKEN, hunter2]"), "none may contain a literal"],
  "next-line.yaml": [entry("password:\n        hunter2"), "none may contain a literal"],
  "from-an-anchor.yaml": [entry("name: &name hunter2\n      password: *name"), "none may contain a literal"],
  "as-json.yaml": ['{"entries":[{"model":"a.b","attrs":{"password":"hunter2"}}]}', "none may contain a literal"],
  "in-braces.yaml": ["entries:\n  - {model: a.b, attrs: {password: hunter2}}\n", "none may contain a literal"],
};

const FILES = { ...GOOD, ...Object.fromEntries(Object.entries(BAD).map(([name, [text]]) => [name, text])) };

const said = (names: (rule: number) => readonly string[]) =>
  BLUEPRINT_FILE_RULES.map((_, index) => [...names(index)].sort());

const EXPECTED = ["directly", "60000", "YAML", "literal"].map((word) =>
  Object.entries(BAD)
    .filter(([, [, rule]]) => rule.includes(word))
    .map(([name]) => name)
    .sort(),
);

describeWith(["terraform"], "A blueprint in a folder that is handed over", () => {
  it("is refused at plan for the same rules", () => {
    const file = reference<object>("{ (name) = text }", { knownAt: "plan", mayBeNull: false });
    const stack = bareStack();
    for (const [index, rule] of BLUEPRINT_FILE_RULES.entries())
      new TerraformLocal(stack, `rule_${index}`, planned(rule, "x", file).condition);
    const verdicts = Object.values(terraformOf(stack).locals ?? {}).map((rule) => String(rule).slice(2, -1));
    const locals = Object.fromEntries(
      verdicts.map((verdict, index) => [
        `rule_${index}`,
        `\${[for name, text in jsondecode(${JSON.stringify(JSON.stringify(FILES))}) : name if !(${verdict})]}`,
      ]),
    );
    const values = evaluated({ locals });
    expect(said((index) => values[`rule_${index}`] as string[])).toEqual(EXPECTED);
  });
});
