import { join } from "node:path";

import { CloudBackend, GcsBackend, LocalBackend, NamedCloudWorkspace, Testing, type TerraformStack } from "cdktf";
import { Construct } from "constructs";

import { parseStateBackend, requireStatesApart, type StateBackend } from "../../lib/core/state-backend";
import { bareStack, terraformOf } from "../support/synthesis";
import { brokenRules } from "../support/broken-rules";

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
    ["is left to the recipient", { type: "none" }, undefined],
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
    [
      "is in a bucket of another cloud, apart from those of other stacks",
      { type: "s3", arguments: { bucket: "states", region: "eu-central-1", use_lockfile: true } },
      { s3: { bucket: "states", key: "test.tfstate", region: "eu-central-1", use_lockfile: true } },
    ],
    [
      "is behind an address",
      { type: "http", arguments: { address: "https://states.example.com/{stack}", retry_max: 3 } },
      { http: { address: "https://states.example.com/test", retry_max: 3 } },
    ],
    [
      "is in a workspace of a remote service",
      { type: "remote", arguments: { organization: "acme", workspaces: [{ name: "idp-{stack}" }] } },
      { remote: { organization: "acme", workspaces: [{ name: "idp-test" }] } },
    ],
  ])("%s", (_, backend, block) => {
    expect(blockOf(backend)).toEqual({ backend: block });
  });

  it("is in a workspace of the vendor's service, under a block of its own", () => {
    const backend = { type: "cloud", arguments: { organization: "acme", workspaces: { tags: ["{stack}"] } } } as const;
    expect(blockOf(backend)).toEqual({ cloud: { organization: "acme", workspaces: { tags: ["test"] } } });
  });

  it.each(["gcs", "s3", "http", "remote"] as const)("is named to the command line: %s", (type) => {
    expect(terraformOf(bareStack({ backend: { type } }))["//"].metadata).toMatchObject({ backend: type });
  });

  it.each(["/var/lib/state.tfstate", "C:\\states\\idp.tfstate"])("is not at an absolute path: %s", (path) => {
    expect(() => bareStack({ backend: { type: "local", path } })).toThrow(
      brokenRules("test", [
        `the local path of the state is ${path}; it must be relative, because the folder is applied on other machines; use for example terraform.tfstate`,
      ]),
    );
  });
});

describe("a backend of the framework in a portable stack", () => {
  it.each<[string, (stack: TerraformStack) => unknown, unknown]>([
    ["GcsBackend", (stack) => new GcsBackend(stack, { bucket: "states" }), { backend: { gcs: { bucket: "states" } } }],
    ["LocalBackend", (stack) => new LocalBackend(stack, { path: "a" }), { backend: { local: { path: "a" } } }],
    [
      "CloudBackend",
      (stack) => new CloudBackend(stack, { organization: "acme", workspaces: new NamedCloudWorkspace("idp") }),
      { cloud: { organization: "acme", workspaces: { name: "idp" } } },
    ],
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
    const stack = bareStack({ backend: { type: "s3" } });
    new GcsBackend(stack, { bucket: "states" });
    expect(() => terraformOf(stack)).toThrow(
      brokenRules("test", [
        "the state is kept by the prop backend (s3) and by test/backend (gcs); only one is possible, because Terraform allows one backend; remove the others",
      ]),
    );
  });

  it("is refused beside another one, with both named", () => {
    const stack = bareStack();
    for (const id of ["One", "Two"]) new GcsBackend(new Construct(stack, id), { bucket: "states" });
    expect(() => terraformOf(stack)).toThrow(
      "the state is kept by test/One/backend (gcs) and by test/Two/backend (gcs); only one is possible",
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

  it.each([
    ["prefix", '{"gcs": {"bucket": "states", "prefix": "idp"}}'],
    ["key", '{"s3": {"bucket": "states", "key": "idp.tfstate"}}'],
    ["address", '{"http": {"address": "https://states.example.com/idp"}}'],
    ["workspaces.name", '{"cloud": {"organization": "acme", "workspaces": {"name": "idp"}}}'],
    ["workspaces.name", '{"remote": {"workspaces": {"name": "idp"}}}'],
  ])("are refused with one %s for all: %s", (argument, setting) => {
    expect(requireApart(setting, ["first", "second"])).toThrow(
      `${argument} of ${Object.keys(JSON.parse(setting) as object).join("")} is the same for first, second; it must contain {stack}`,
    );
    expect(requireApart(setting, ["first"])).not.toThrow();
  });

  it.each([
    "gcs",
    '{"gcs": {"bucket": "states", "prefix": "idp/{stack}"}}',
    '{"gcs": {"bucket": "states-{stack}", "prefix": "idp"}}',
    '{"cloud": {"workspaces": {"tags": ["idp"]}}}',
    '{"local": {"path": "state.json"}}',
    "none",
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
    ["none", { type: "none" }],
    ["gcs", { type: "gcs", arguments: {} }],
    ['{"local": {"path": "{stack}.tfstate"}}', { type: "local", path: "{stack}.tfstate" }],
    ['{"none": {}}', { type: "none" }],
    [' {"gcs": {"bucket": "states"}} ', { type: "gcs", arguments: { bucket: "states" } }],
    ['{"s3": {"use_lockfile": true}}', { type: "s3", arguments: { use_lockfile: true } }],
    ['{"http": {}}', { type: "http", arguments: {} }],
    ["remote", { type: "remote", arguments: {} }],
    ["cloud", { type: "cloud", arguments: {} }],
  ])("is understood: %j", (setting, backend) => {
    expect(parse(setting)).toEqual(backend);
  });

  const ONE_BACKEND =
    'it must be the name of one backend or a JSON object with that name as its only key and an object of arguments, because Terraform allows one backend; use for example {"gcs": {"bucket": "my-states"}}';
  const KNOWN_BACKENDS =
    'it must be one of local, none, gcs, s3, http, remote, cloud, because only these are supported; choose one, or use "none" and add a backend file to the synthesized folder';
  const LOCAL_ARGUMENTS = 'its only argument is path, a string; use for example {"local": {"path": "{stack}.tfstate"}}';

  it.each([
    ["azurerm", `the backend is "azurerm"; ${KNOWN_BACKENDS}`],
    ['{"consul": {}}', `the backend is "consul"; ${KNOWN_BACKENDS}`],
    ['{"s3": {"secret_key": "hunter2"}', `the value is not valid JSON; ${ONE_BACKEND}`],
    ["{}", `the value has no key; ${ONE_BACKEND}`],
    ['{"gcs": {}, "s3": {"secret_key": "hunter2"}}', `the value has the keys gcs, s3; ${ONE_BACKEND}`],
    ['{"gcs": "states"}', `the value has something other than an object under gcs; ${ONE_BACKEND}`],
    ['{"gcs": ["states"]}', `the value has something other than an object under gcs; ${ONE_BACKEND}`],
    ['{"local": {"workspace_dir": "x"}}', `local has the arguments workspace_dir; ${LOCAL_ARGUMENTS}`],
    ['{"local": {"path": 5}}', `local has the arguments path; ${LOCAL_ARGUMENTS}`],
    [
      '{"none": {"bucket": "states"}}',
      "none has the arguments bucket; it takes none, because no backend block is written; remove them, or name the backend that they belong to",
    ],
  ])("is refused, without a value that may be secret: %j", (setting, message) => {
    expect(() => parse(setting)).toThrow(new Error(`STATE_BACKEND: 1 problem\n  - ${message}`));
  });
});
