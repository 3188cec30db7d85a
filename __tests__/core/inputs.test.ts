import { choice, number, object, text, texts, valuesFrom } from "../../lib/core/inputs";
import { eachMatching, matching, whole, type Check } from "../../lib/core/checks";
import { bareStack } from "../support/synthesis";

/** A rule for a list as a whole. */
const EACH_ONCE: Check = {
  must: "contain each only once, because one of the two was probably meant to be another; correct or remove it",
  accepts: (items: readonly string[]) => new Set(items).size === items.length,
  condition: (items) => `length(distinct(${items})) == length(${items})`,
};

const TABLE = {
  host: text({ description: "Host.", must: [matching("^[a-z.]+$", "be a host name; use for example a.example")] }),
  kept: choice(["ALL", "LATEST"], "; use ALL", { default: "ALL", description: "Which." }),
  names: texts({
    default: [],
    description: "Names.",
    must: [eachMatching("^[a-z]+$", "each must be a word; rewrite it"), EACH_ONCE],
  }),
  login: object(
    { key: number({ default: null, description: "key", must: [whole(1, Infinity, "; count")] }) },
    { description: (members) => `Login. ${members}` },
  ),
};

it("Props of a table are refused at synth, all at once, if a literal breaks a rule of its own", () => {
  const made = (props: object) => () => valuesFrom(bareStack(), TABLE, props as never, []);
  expect(made({ host: "A", kept: "NONE", names: ["a", "B", "a"], login: { key: 0 } })).toThrow(
    [
      "test: 5 problems",
      '  - host is "A"; it must be a host name; use for example a.example',
      '  - kept is "NONE"; it must be ALL or LATEST; use ALL',
      '  - names has "B"; each must be a word; rewrite it',
      '  - names is ["a","B","a"]; it must contain each only once, because one of the two was probably meant to be another; correct or remove it',
      "  - login.key is 0; it must be a whole number from 1; count",
    ].join("\n"),
  );
  expect(made({ login: null })).toThrow("host is missing; it has no default; set it");
});
