import { TerraformVariable } from "cdktf";

import { valuesFrom } from "../../../lib/core/inputs/inputs";
import { needs } from "../../../lib/core/inputs/needs";
import { choice, flag, text, texts } from "../../../lib/core/inputs/rows";
import { bareStack, type Block, terraformOf } from "../../support/synthesis";

const TABLE = {
  domain: text({ default: null, description: "Domain." }),
  check: flag({ default: null, description: "Whether it is checked." }),
  closed: flag({ default: false, description: "Whether it is closed." }),
  names: texts({ default: [], description: "Names." }),
  kind: choice(["plain", "special"], { default: "plain", description: "Kind." }),
  policy: text({ default: null, description: "Policy." }),
};

const OF_KIND = needs<typeof TABLE>("kind", {
  whenWord: "special",
  with: ["domain", "closed"],
  without: ["policy", "check", "names"],
  because: "nothing else is special",
});

const OF_POLICY = needs<typeof TABLE>("policy", {
  with: ["domain"],
  withWords: { kind: "plain" },
  because: "a policy is of a domain",
});

/** The conditions of the plan, and their messages. */
function judged(props: object, stack = bareStack()): readonly Block[] {
  valuesFrom(stack, TABLE, props as never, [OF_KIND, OF_POLICY]);
  const checks = Object.values<Block>(terraformOf(stack).resource?.terraform_data ?? {});
  return checks.flatMap(({ lifecycle }) => (lifecycle as Block).precondition as Block[]);
}

describe("What an input needs", () => {
  it("is nothing as long as it does not ask", () => {
    expect(judged({ closed: true, names: ["a"] })).toEqual([]);
    expect(judged({ domain: "a.example", kind: "special", closed: true, check: false })).toEqual([]);
  });

  it.each([
    [{ kind: "special", domain: "a.example" }, "closed true", "set closed to true, or leave out kind"],
    [
      { kind: "special", closed: true, check: true },
      "domain and check false",
      "set domain, set check to false, or leave out kind",
    ],
    [
      { kind: "special", closed: true, policy: "p", names: ["n"] },
      "domain, no policy and no names",
      "set domain, remove policy and names, or leave out kind",
    ],
  ])("is named as far as it is not there: %j", (props, needed, remedy) => {
    expect(() => judged(props)).toThrow(
      `kind is "special"; it needs ${needed}, because nothing else is special; ${remedy}`,
    );
  });

  it("is a word of another input", () => {
    const both = { domain: "a.example", policy: "p", kind: "special", closed: true };
    expect(() => judged(both)).toThrow(
      "policy is given; it needs kind plain, because a policy is of a domain; set kind to plain, or remove policy",
    );
  });

  it("is named by a plan as far as it is not there", () => {
    const stack = bareStack();
    const variable = (id: string, type: string) => new TerraformVariable(stack, id, { type });
    const domain = variable("domain", "string").stringValue;
    const closed = variable("closed", "bool").value as unknown;
    const [judging] = judged({ kind: "special", domain, closed, policy: null }, stack);
    expect(judging?.error_message).toBe(
      [
        'kind is "special"; it needs',
        '${join(", ", compact([local.given_domain != null ? null : "domain", local.given_closed ? null : "closed true"]))},',
        "because nothing else is special;",
        '${join(", ", compact([local.given_domain != null ? null : "set domain", local.given_closed ? null :',
        '"set closed to true"]))}, or leave out kind.',
      ].join(" "),
    );
  });

  it("is named without a choice where a plan decides on it alone", () => {
    const stack = bareStack();
    const domain = new TerraformVariable(stack, "domain", { type: "string" }).stringValue;
    expect(judged({ domain, policy: "p" }, stack)).toEqual([
      {
        condition: "${local.given_domain != null}",
        error_message:
          "policy is given; it needs domain, because a policy is of a domain; set domain, or remove policy.",
      },
    ]);
  });
});
