import { TerraformLocal } from "cdktf";

import { matching, wholeNumber } from "../../lib/core/checked-value";
import { declareInputs, type Input } from "../../stacks/inputs/input-table";
import { describeWith } from "../support/programs";
import { bareStack, terraformOf } from "../support/synthesis";
import { evaluated, refusals } from "./terraform-run";

const HOST = matching("^[a-z.]+$", { must: "be a host name", remedy: "use for example mail.example.com" });
const VERSION = wholeNumber(
  { from: 1 },
  { reason: "a rollout must be visible", remedy: "use the number of a version" },
);

const SECRET = {
  secret_id: { type: "string", description: "name of the secret" },
  version: { type: "number", must: VERSION, description: "number of its version" },
} as const;

const TABLE = {
  mail: {
    type: {
      members: {
        host: { type: "string", must: HOST, description: "name of the server" },
        port: { type: "number", default: 587, description: "port of the server" },
        password: { type: { members: SECRET }, default: null, description: "secret with the password" },
      },
    },
    default: null,
    description: "Server.",
  },
  settings: {
    type: {
      mapOf: { members: { ...SECRET, version: { ...SECRET.version, default: null } } },
    },
    default: {},
    description: "Secrets.",
  },
} as const satisfies Record<string, Input>;

const stack = bareStack();
declareInputs(stack, TABLE);
const { variable: variables = {} } = terraformOf(stack);

describe("An input that is an object", () => {
  it("has the type that Terraform writes, with the defaults of its members", () => {
    expect(variables.mail).toMatchObject({
      type: "object({ host = string, port = optional(number, 587), password = optional(object({ secret_id = string, version = number }), null) })",
    });
    expect(variables.settings).toMatchObject({
      type: "map(object({ secret_id = string, version = optional(number, null) }))",
    });
  });
});

describeWith(["terraform"], "An input that is an object, in Terraform", () => {
  it("gives its members, also of an object in it, or their defaults where it is null", () => {
    const given = (mail: unknown) => {
      const locals = bareStack();
      const { mail: value } = declareInputs(locals, { mail: { ...TABLE.mail, default: mail } });
      new TerraformLocal(locals, "found", [
        value.enabled,
        value.host,
        value.port,
        value.password.enabled,
        value.password.secretId,
        value.password.version,
      ]);
      return evaluated(terraformOf(locals)).found;
    };
    expect(given(null)).toEqual([false, null, 587, false, null, null]);
    expect(given({ host: "mail.example.com" })).toEqual([true, "mail.example.com", 587, false, null, null]);
    expect(given({ host: "a.b", port: 465, password: { secret_id: "s", version: 3 } })).toEqual([
      true,
      "a.b",
      465,
      true,
      "s",
      3,
    ]);
  });

  const CASES = [
    [{ mail: { host: "mail.example.com" }, settings: {} }, []],
    [{ mail: null }, []],
    [
      { mail: { host: "Mail", password: { secret_id: "s", version: 0 } } },
      [
        'mail.host is "Mail"; it must be a host name; use for example mail.example.com.',
        "mail.password.version is 0; it must be a whole number from 1, because a rollout must be visible; use the number of a version.",
      ],
    ],
    [{ settings: { A: { secret_id: "s" }, B: { secret_id: "s", version: 2 } } }, []],
    [
      { settings: { A: { secret_id: "s", version: 0 }, B: { secret_id: "s", version: 1.5 } } },
      [
        "settings has A.version = 0, B.version = 1.5; it must be a whole number from 1, because a rollout must be visible; use the number of a version.",
      ],
    ],
  ] as const;
  const found = refusals(
    variables,
    CASES.map(([inputs]) => inputs),
  );

  it.each(CASES.map(([inputs, said], index) => [inputs, said, found[index]] as const))(
    "is refused by the rules of its members: %j",
    (_, said, refused) => {
      expect(refused).toEqual(said);
    },
  );
});
