import { join } from "node:path";

import { GcsBackend, LocalBackend } from "cdktf";

import { parseStateBackend, requireStatesApart } from "../../lib/core/state-backend";
import { brokenRules } from "../support/broken-rules";
import { type BareStack, bareStack, terraformOf } from "../support/synthesis";

const SETTING = "STATE_BACKEND";

/** The block of a stack with the setting, or with a backend of the framework beside the default. */
const blockOf = (setting?: string, add: (stack: BareStack) => unknown = () => undefined) => {
  const backend = setting === undefined ? undefined : parseStateBackend(SETTING, setting);
  const stack = bareStack({ backend });
  add(stack);
  return terraformOf(stack).terraform.backend;
};

const bucket = (stack: BareStack) => new GcsBackend(stack, { bucket: "states" });

describe("The state of a stack", () => {
  it.each<[string | undefined, unknown]>([
    [undefined, { local: { path: "terraform.tfstate" } }],
    [" local\n", { local: { path: "terraform.tfstate" } }],
    ['{"local": {"path": "../states/{stack}.tfstate"}}', { local: { path: "../states/test.tfstate" } }],
    ["gcs", { gcs: { prefix: "test" } }],
    ["none", undefined],
    [' {"gcs": {"bucket": "states"}} ', { gcs: { bucket: "states", prefix: "test" } }],
  ])("is kept where the setting says: %j", (setting, block) => {
    expect(blockOf(setting)).toEqual(block);
  });

  it.each([['{"gcs": {"secret_key": "hunter2"}'], ["{gcs: {secret_key: hunter2}}"]])(
    "is refused where it is no JSON, without what may be secret: %s",
    (setting) => {
      expect(() => blockOf(setting)).toThrow(
        brokenRules(SETTING, [
          'the value begins with { and is no JSON; it must be complete, with all braces closed and all names in double quotes, because it is read as one; write for example {"gcs": {"bucket": "my-states"}}, in single quotes',
        ]),
      );
    },
  );

  it("is refused in a bucket without a name, as of a variable that is not set", () => {
    expect(() => blockOf('{"gcs": {"bucket": ""}}')).toThrow(/the bucket of gcs is empty; it must have a name/);
  });

  it.each([
    ["azurerm"],
    ['{"s3": {"secret_key": "hunter2"}}'],
    ['{"gcs": {}, "s3": {"secret_key": "hunter2"}}'],
    ['{"gcs": "hunter2"}'],
    ['{"local": {"workspace_dir": "x"}}'],
  ])("is refused elsewhere, without a value that may be secret: %s", (setting) => {
    expect(() => blockOf(setting)).toThrow(
      brokenRules(SETTING, [
        'the value must be local, gcs, none, {"local": {"path": "…"}} or {"gcs": {"bucket": "…"}}; for any other backend, add a file backend_override.tf.json to the synthesized folder',
      ]),
    );
  });

  it.each(["gsc", '{"gsc": {"bucket": "hunter2"}}'])("is told the nearest one, for a misspelt word: %s", (setting) => {
    const said = /gsc is no place for a state; did you mean gcs[?] Otherwise the value must be/;
    expect(() => blockOf(setting)).toThrow(said);
    expect(() => blockOf(setting)).not.toThrow(/hunter2/);
  });

  it("is refused with arguments that Terraform does not know, which are named without their values", () => {
    const setting = '{"gcs": {"buckets": "hunter2", "prefix": "idp", "encryptionKey": "hunter2"}}';
    expect(() => blockOf(setting)).toThrow(
      /^STATE_BACKEND: 1 problem\n {2}- gcs has buckets and encryptionKey; it must have no arguments but access_token, /,
    );
    expect(() => blockOf(setting)).toThrow(/; write bucket and encryption_key, or leave it out$/m);
    expect(() => blockOf(setting)).not.toThrow(/hunter2/);
  });

  it("may be kept by a backend of the framework, which replaces the default alone", () => {
    expect(blockOf(undefined, bucket)).toEqual({ gcs: { bucket: "states" } });
    expect(() => blockOf("gcs", bucket)).toThrow(
      "the state is kept by the prop backend (gcs) and by test/backend (gcs); only one is possible",
    );
    expect(() => blockOf(undefined, (stack) => new LocalBackend(stack))).toThrow(
      `the local path of the state is ${join(process.cwd(), "terraform.test.tfstate")}; it must be relative`,
    );
  });
});

describe("The states of several stacks", () => {
  const judged = (setting: string, stacks: readonly string[]) => () => {
    requireStatesApart(SETTING, parseStateBackend(SETTING, setting), stacks);
  };
  const SHARED = '{"gcs": {"bucket": "states", "prefix": "idp"}}';

  it("are refused with one prefix for all", () => {
    expect(judged(SHARED, ["first", "second"])).toThrow(
      "the prefix of gcs is the same for first, second; it must contain {stack}",
    );
    expect(judged(SHARED, ["first"])).not.toThrow();
  });
});
