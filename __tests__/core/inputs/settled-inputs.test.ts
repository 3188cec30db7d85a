import { declaredInputs, declareInputs } from "../../../lib/core/inputs/declared-inputs";
import { valuesFrom } from "../../../lib/core/inputs/inputs";
import { needs } from "../../../lib/core/inputs/needs";
import { flag, number, object, text, texts } from "../../../lib/core/inputs/rows";
import { type DeploymentSettings, type Settlement } from "../../../lib/core/inputs/settled-inputs";
import { bareStack, terraformOf } from "../../support/synthesis";

const TABLE = {
  project: text({ description: "Project." }),
  size: number({ default: 1, description: "Size." }),
  domain: text({ default: null, description: "Domain." }),
  receivers: texts({ default: [], description: "Receivers." }),
  isOpen: flag({ default: false, description: "Whether it is open." }),
  password: text({ default: null, description: "Password.", ephemeral: true, sensitive: true }),
  mail: object(
    {
      host: text({ description: "host" }),
      port: number({ default: 25, description: "port" }),
      secret: text({ default: null, description: "secret" }),
      user: text({ default: null, description: "user" }),
    },
    { description: (members) => `Mail. ${members}` },
  ),
};

/** What is declared under some settings, and the values that a construct gets. */
function settled(values: DeploymentSettings["values"], settlements: Readonly<Record<string, Settlement>>) {
  const stack = bareStack();
  const settings = { values, settlements: new Map(Object.entries(settlements)) };
  const props = declareInputs(stack, TABLE, [], settings);
  const given = valuesFrom(stack, TABLE, props);
  return { variable: terraformOf(stack).variable ?? {}, given, left: Object.keys(declaredInputs(stack)) };
}

describe("Inputs of a folder for one deployment", () => {
  it("have the settings as defaults, unless they decide which parts there are", () => {
    const { left, variable } = settled({ project: "acme", size: 3 }, {});
    expect(left).toEqual(Object.keys(TABLE));
    expect(variable.project).toMatchObject({ default: "acme" });
    expect(variable.size).toMatchObject({ default: 3 });
    expect(variable.is_open).toMatchObject({ default: false });
  });

  it("have no variable where they are fixed, but the value of the settings, or the default", () => {
    const { given, left } = settled({ is_open: true }, { is_open: "fixed", domain: "fixed", receivers: "fixed" });
    expect(left).toEqual(["project", "size", "password", "mail"]);
    expect([given.isOpen, given.domain, given.receivers].map(({ literal }) => literal)).toEqual([true, null, []]);
    expect([given.domain.isLeftOut, given.receivers.isLeftOut]).toEqual([true, false]);
  });

  it("are known to be set where they must be, and refuse null and empty lists", () => {
    const { given, variable } = settled(
      { domain: "a.example", receivers: ["a@example.com"] },
      { domain: "present", receivers: "present" },
    );
    expect(variable.domain).toMatchObject({ default: "a.example", nullable: false });
    expect(given.domain.isSet().literal).toBe(true);
    expect(given.receivers.length().gt(0).literal).toBe(true);
    expect(given.receivers.length().eq(0).literal).toBe(false);
    expect(variable.receivers?.validation).toEqual([
      {
        condition: "${try(length(var.receivers) > 0, false)}",
        error_message: expect.stringContaining("receivers is empty; it must have a value") as string,
      },
    ]);
  });

  it("are objects with the members that are left, of which some must be set", () => {
    const { given, variable } = settled(
      { mail: { host: "a.example", secret: "first" } },
      { mail: "present", "mail.secret": "present", "mail.user": "fixed" },
    );
    expect(variable.mail).toMatchObject({
      type: "object({ host = string, port = optional(number, 25), secret = string, user = optional(string, null) })",
      description: "Mail. host: host. port: port. secret: secret.",
      default: { host: "a.example", secret: "first" },
      nullable: false,
    });
    const { at } = given.mail;
    expect([given.mail.isSet().literal, at.secret.isSet().literal, at.user.literal]).toEqual([true, true, null]);
    expect(at.port.isLiteral).toBe(false);
    expect(variable.mail?.validation).toEqual([
      {
        condition: "${try(var.mail.secret != null, false)}",
        error_message: expect.stringContaining("mail.secret is null; it must have a value") as string,
      },
      {
        condition: "${try(var.mail.user, null) == null}",
        error_message: expect.stringContaining("one of mail.user has another value") as string,
      },
    ]);
  });

  it("leave members that are settled their own value, also inside others", () => {
    const inner = object({ size: number({ default: 1, description: "size" }) }, { description: (members) => members });
    const table = {
      disk: object(
        { inner, name: text({ default: "a", description: "a name" }) },
        { description: (each) => `Disk. ${each}` },
      ),
    };
    const stack = bareStack();
    const values = { disk: { inner: { size: 5 } } };
    const settlements = new Map<string, Settlement>([
      ["disk", "present"],
      ["disk.inner.size", "fixed"],
    ]);
    declareInputs(stack, table, [], { values, settlements });
    expect(terraformOf(stack).variable?.disk).toMatchObject({
      type: [
        'object({ inner = optional(object({ size = optional(number, 1) }), {"size":5}),',
        'name = optional(string, "a") })',
      ].join(" "),
      description: "Disk. name: a name.",
      default: {},
      validation: [{ condition: "${try(var.disk.inner.size, null) == 5}" }],
    });
  });

  it("refuse settings that are wrong, misspelt, of no such input, or secret, all at once", () => {
    expect(() =>
      settled({ project: 5, domian: "a.example", mail: { host: "a", prot: 26 }, password: "a" }, {}),
    ).toThrow(
      [
        "test: 4 problems",
        "  - password is given; it must not be in the settings, because the folder would have it; pass it to each apply, as TF_VAR_password",
        "  - domian is no input; did you mean domain?",
        "  - mail.prot is no input; did you mean mail.port?",
        "  - project is 5, a number; it must be a string; put it in quotes",
      ].join("\n"),
    );
  });

  it("refuse settings that do not go together beside others that are wrong, and a misspelt one only once", () => {
    const settings = { values: { size: "3", domain: "a.example", mail: { hots: "a" } }, settlements: new Map() };
    const relations = [
      needs<typeof TABLE>("domain", { with: ["isOpen"], because: "it is public" }),
      needs<typeof TABLE>("size", { with: ["receivers"], because: "a wrong size is judged alone" }),
    ];
    expect(() => declareInputs(bareStack(), TABLE, relations, settings)).toThrow(
      [
        "test: 3 problems",
        "  - mail.hots is no input; did you mean mail.host?",
        '  - size is "3", a string; it must be a number; write it without quotes',
        "  - domain is given; it needs is_open true, because it is public; set is_open to true, or remove domain",
      ].join("\n"),
    );
  });
});
