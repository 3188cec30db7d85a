import { TerraformVariable } from "cdktf";

import { isDistinct } from "../../../lib/core/expr/functions";
import { valuesFrom } from "../../../lib/core/inputs/inputs";
import { type Relation } from "../../../lib/core/inputs/relations";
import {
  choice,
  flag,
  mapOf,
  number,
  object,
  requiredObject,
  text,
  textMap,
  texts,
} from "../../../lib/core/inputs/rows";
import { eachMatching, matching, type Rule, wholeNumber } from "../../../lib/core/inputs/rules";
import { bareStack, terraformOf } from "../../support/synthesis";

/** A rule for a list as a whole. */
const EACH_ONCE: Rule<readonly string[]> = {
  must: "contain each only once, because one of the two was probably meant to be another; correct or remove it",
  condition: (items) => isDistinct(items),
};

const TABLE = {
  host: text({ description: "Host.", must: [matching("^[a-z.]+$", "be a host name; use for example a.example")] }),
  kept: choice(["ALL", "LATEST"], { default: "ALL", description: "Which.", fix: "use ALL" }),
  place: choice(["HERE", "THERE"], { default: "HERE", description: "Where, which the provider judges." }),
  names: texts({
    default: [],
    description: "Names.",
    must: [eachMatching("^[a-z]+$", "each must be a word; rewrite it"), EACH_ONCE],
  }),
  login: object(
    { key: number({ default: null, description: "key", must: [wholeNumber(1, Infinity, "; count")] }) },
    { description: (members) => `Login. ${members}` },
  ),
};

it("Props of a table are refused at synth, all at once, if a literal breaks a rule of its own", () => {
  const made = (props: object) => () => valuesFrom(bareStack(), TABLE, props as never, []);
  expect(made({ host: "A", kept: "NONE", place: "there", names: ["a", "B", "a"], login: { key: 0 } })).toThrow(
    [
      "test: 6 problems",
      '  - host is "A"; it must be a host name; use for example a.example',
      '  - kept is "NONE"; it must be ALL or LATEST; use ALL',
      '  - place is "there"; it must be HERE or THERE; did you mean THERE?',
      '  - names has "B"; each must be a word; rewrite it',
      '  - names is ["a","B","a"]; it must contain each only once, because one of the two was probably meant to be another; correct or remove it',
      "  - login.key is 0; it must be a whole number from 1; count",
    ].join("\n"),
  );
  expect(made({ login: null })).toThrow("host is missing; it has no default; set it");
});

it("An object that lacks a member is refused with what to put there, and not with the rule of the whole", () => {
  const secret = { name: text({ description: "name of the secret" }), version: text({ description: "its version" }) };
  const table = {
    login: object(
      {
        user: text({ description: "the login" }),
        secret: requiredObject(secret, { description: () => "its password" }),
      },
      {
        description: (members) => members,
        must: {
          condition: (login) => login.member<string>("user").matches("^[a-z]+$"),
          must: "have a user; look it up",
        },
      },
    ),
  };
  const made = (login: object) => () => valuesFrom(bareStack(), table, { login } as never, []);
  expect(made({ user: "A", secret: { name: "a" } })).toThrow(
    "test: 1 problem\n  - login.secret.version is missing; it has no default; set it: its version",
  );
  expect(made({ user: "A", secret: { name: "a", version: "1" } })).toThrow("it must have a user; look it up");
});

it("A key of a map that must be one of some names is answered with the one that was probably meant", () => {
  const names = ["database-cpu", "database-down"];
  const table = {
    alerts: mapOf(
      { on: flag({ default: true, description: "on" }) },
      {
        description: (members) => members,
        must: {
          each: (key) => key.isOneOf(names),
          shows: "key",
          message: "each must be the name of an alert; look it up",
          keySchema: { enum: names },
          keyIs: "alert",
        },
      },
    ),
  };
  const alerts = { "databse-cpu": {}, "database-down": {}, xyzzy: {} };
  expect(() => valuesFrom(bareStack(), table, { alerts }, [])).toThrow(
    [
      "test: 2 problems",
      '  - alerts has "databse-cpu", which is no alert; did you mean "database-cpu"?',
      '  - alerts has "xyzzy"; each must be the name of an alert; look it up',
    ].join("\n"),
  );
});

it("A value of another type is shown, but never a secret or what may hold one", () => {
  const table = {
    emails: texts({ default: [], description: "Emails." }),
    password: number({ default: null, description: "Password.", sensitive: true }),
    variables: textMap({ default: {}, description: "Variables." }),
    key: texts({ default: [], description: "Key.", must: { must: "be", condition: isDistinct, hides: true } }),
  };
  const wrong = { emails: "x@y.com", password: "unsaid", variables: { A: 5 }, key: "unsaid" };
  const made = () => valuesFrom(bareStack(), table, wrong as never, []);
  expect(made).toThrow(
    [
      "test: 4 problems",
      '  - emails is "x@y.com", a string; it must be a list; write ["x@y.com"]',
      "  - password is a string; it must be a number; write one",
      '  - variables["A"] is a number; it must be a string; put it in quotes',
      "  - key is a string; it must be a list; write it as [ … ]",
    ].join("\n"),
  );
});

type Numbers = Relation<typeof NUMBERS>;

const NUMBERS = {
  least: number({ default: 1, description: "Least." }),
  most: number({ default: 3, description: "Most." }),
  word: text({ default: null, description: "Word.", must: matching("^[a-z$\\{\\}]+$", "be a word; rewrite it") }),
};

const IN_ORDER: Numbers = {
  host: "most",
  holds: ({ least, most }) => least.le(most),
  message: ({ least, most, word }) =>
    `${least.name} is ${least.shown}, ${most.name} is ${most.shown} and ${word.name} is ${word.shown}; exchange them`,
};

describe("A relation of props", () => {
  const make = (props: object, stack = bareStack()) => {
    valuesFrom(stack, NUMBERS, props, [IN_ORDER]);
    return JSON.stringify(terraformOf(stack).resource ?? {});
  };

  it("is refused at synth if literals break it, with the values as they were written", () => {
    expect(() => make({ least: 5, word: "a${b}" })).toThrow(
      'test: 1 problem\n  - least is 5, most is 3 and word is "a${b}"; exchange them',
    );
  });

  it("is left to what is wrong with one of the values alone", () => {
    expect(() => make({ least: "5", word: "A" })).toThrow(
      [
        "test: 2 problems",
        '  - least is "5", a string; it must be a number; write it without quotes',
        '  - word is "A"; it must be a word; rewrite it',
      ].join("\n"),
    );
  });

  it("is a precondition only where the plan decides", () => {
    expect(make({ least: 2 })).toBe("{}");
    const stack = bareStack();
    const open = new TerraformVariable(stack, "open", { type: "number" }).numberValue;
    expect(make({ least: open }, stack)).toContain("${local.given_least <= 3}");
  });
});
