import { join } from "node:path";

import { CloudBackend, GcsBackend, LocalBackend, NamedCloudWorkspace, Testing, type TerraformStack } from "cdktf";

import { parseStateBackend, requireStatesApart, type StateBackend } from "../../lib/core/state-backend";
import { bareStack, terraformOf } from "../support/synthesis";
import { brokenRules } from "../support/broken-rules";
import { describeWith } from "../support/programs";

const blockOf = (backend?: StateBackend) => {
  const { terraform } = terraformOf(bareStack({ backend }));
  return { backend: terraform.backend, cloud: terraform.cloud };
};

describe("the state of a stack", () => {
  it.each<[string, StateBackend | undefined, unknown]>([
    ["is a file in the folder by default", undefined, { local: { path: "terraform.tfstate" } }],
    ["is a file in the folder", { type: "local" }, { local: { path: "terraform.tfstate" } }],
    [
      "is a file at another place, named after the stack",
      { type: "local", path: "../states/{stack}.tfstate" },
      { local: { path: "../states/test.tfstate" } },
    ],
    [
      "is in a bucket, apart from those of other stacks",
      { type: "gcs", arguments: { bucket: "states" } },
      { gcs: { bucket: "states", prefix: "test" } },
    ],
    [
      "is in a bucket at a place of choice",
      { type: "gcs", arguments: { bucket: "states", prefix: "teams/identity/{stack}/{stack}" } },
      { gcs: { bucket: "states", prefix: "teams/identity/test/test" } },
    ],
    ["is in a bucket that is named later", { type: "gcs" }, { gcs: { prefix: "test" } }],
  ])("%s", (_, backend, block) => {
    expect(blockOf(backend)).toEqual({ backend: block });
  });
});

// The framework asks the program for its version.
describeWith(["terraform"], "the cloud backend of the framework in a portable stack", () => {
  it("replaces the default", () => {
    const stack = bareStack();
    new CloudBackend(stack, { organization: "acme", workspaces: new NamedCloudWorkspace("idp") });
    const { backend, cloud } = terraformOf(stack).terraform;
    expect({ backend, cloud }).toEqual({ cloud: { organization: "acme", workspaces: { name: "idp" } } });
  });
});

describe("a backend of the framework in a portable stack", () => {
  it.each<[string, (stack: TerraformStack) => unknown, unknown]>([
    ["GcsBackend", (stack) => new GcsBackend(stack, { bucket: "states" }), { backend: { gcs: { bucket: "states" } } }],
    ["LocalBackend", (stack) => new LocalBackend(stack, { path: "a" }), { backend: { local: { path: "a" } } }],
  ])("replaces the default: %s", (_, add, block) => {
    const stack = bareStack();
    add(stack);
    const { backend, cloud } = terraformOf(stack).terraform;
    expect({ backend, cloud }).toEqual(block);
  });

  it("is not replaced by the default where the framework renders a stack without preparing it", () => {
    const stack = bareStack();
    new GcsBackend(stack, { bucket: "states" });
    expect(Testing.synth(stack)).toMatch(/"backend": \{\s+"gcs": \{\s+"bucket": "states"\s+\}\s+\}/);
    expect(Testing.synth(bareStack())).toMatch(/"backend": \{\s+"local": /);
  });

  it("is refused beside one that the stack was given, with both named", () => {
    const stack = bareStack({ backend: { type: "gcs" } });
    new GcsBackend(stack, { bucket: "states" });
    expect(() => terraformOf(stack)).toThrow(
      brokenRules("test", [
        "the state is kept by the prop backend (gcs) and by test/backend (gcs); only one is possible, because Terraform allows one backend; remove the others",
      ]),
    );
  });

  it("is refused when it names a path of this machine, as the framework's default does", () => {
    const stack = bareStack();
    new LocalBackend(stack);
    expect(() => terraformOf(stack)).toThrow(
      `the local path of the state is ${join(process.cwd(), "terraform.test.tfstate")}; it must be relative`,
    );
  });
});

describe("the states of several stacks", () => {
  const requireApart = (setting: string, stacks: readonly string[]) => () => {
    requireStatesApart("STATE_BACKEND", parseStateBackend("STATE_BACKEND", setting), stacks);
  };

  it("are refused with one prefix for all", () => {
    const setting = '{"gcs": {"bucket": "states", "prefix": "idp"}}';
    expect(requireApart(setting, ["first", "second"])).toThrow(
      "the prefix of gcs is the same for first, second; it must contain {stack}",
    );
    expect(requireApart(setting, ["first"])).not.toThrow();
  });

  it.each([
    "gcs",
    '{"gcs": {"bucket": "states", "prefix": "idp/{stack}"}}',
    '{"gcs": {"bucket": "states-{stack}", "prefix": "idp"}}',
    '{"local": {"path": "state.json"}}',
  ])("are apart with %s", (setting) => {
    expect(requireApart(setting, ["first", "second"])).not.toThrow();
  });
});

describe("the setting STATE_BACKEND", () => {
  const parse = (setting: string | undefined) => parseStateBackend("STATE_BACKEND", setting);

  it.each<[string | undefined, StateBackend]>([
    [undefined, { type: "local" }],
    ["", { type: "local" }],
    [" local\n", { type: "local" }],
    ["gcs", { type: "gcs", arguments: {} }],
    ['{"local": {"path": "{stack}.tfstate"}}', { type: "local", path: "{stack}.tfstate" }],
    [' {"gcs": {"bucket": "states"}} ', { type: "gcs", arguments: { bucket: "states" } }],
  ])("is understood: %j", (setting, backend) => {
    expect(parse(setting)).toEqual(backend);
  });

  it.each([
    "azurerm",
    "none",
    '{"s3": {"secret_key": "hunter2"}}',
    '{"gcs": {"secret_key": "hunter2"}',
    "{}",
    '{"gcs": {}, "s3": {"secret_key": "hunter2"}}',
    '{"gcs": "hunter2"}',
    '{"gcs": ["states"]}',
    '{"local": {"workspace_dir": "x"}}',
    '{"local": {"path": 5}}',
  ])("is refused, without a value that may be secret: %j", (setting) => {
    expect(() => parse(setting)).toThrow(
      new Error(
        'STATE_BACKEND: 1 problem\n  - the value must be local, gcs, {"local": {"path": "…"}} or {"gcs": {"bucket": "…"}}; for any other backend, add a file backend_override.tf to the synthesized folder',
      ),
    );
  });
});
