import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { parseStateBackend } from "../../lib/core/state-backend";
import { plannedResources } from "../../stacks/planned-resources";
import { summary } from "../../stacks/summary";
import { bareStack } from "../support/synthesis";
import { temporaryFolder } from "../support/temporary-folder";

const VARIABLES = {
  none: { default: null },
  empty: { default: "" },
  text: { default: "fixed" },
  yes: { default: true },
  no: { default: false },
  three: { default: 3 },
  required: {},
};

describe("The number of planned resources", () => {
  it.each([
    [undefined, 1],
    [0, 0],
    ["${var.three}", 3],
    ["${(var.yes) ? 1 : 0}", 1],
    ["${(var.no) ? 1 : 0}", 0],
    ["${(var.none == null) ? 1 : 0}", 1],
    ["${(var.none != null) ? 1 : 0}", 0],
    ["${(var.text == null) ? 1 : 0}", 0],
    ['${var.text == "fixed" ? 2 : 1}', 2],
    ['${(var.empty != "" && (var.yes)) ? 1 : 0}', 0],
    ['${(var.empty == "" && (var.yes)) ? 1 : 0}', 1],
    ['${(var.empty == "" && (var.no)) ? 1 : 0}', 0],
    ["${length(var.required)}", 1],
  ])("counts a resource with count %j as %d", (count, resources) => {
    const resource = { some_type: { counted: { count } }, other_type: { always: {} } };
    expect(plannedResources({ resource, variable: VARIABLES })).toBe(resources + 1);
  });

  it("is none without resources", () => {
    expect(plannedResources({})).toBe(0);
  });
});

describe("The summary of a synthesis", () => {
  const summaryWith = (setting: string, files: Readonly<Record<string, object>> = {}) => {
    const out = temporaryFolder();
    const folder = join(out, "stacks/test");
    const resource = { some_type: { one: {}, two: { count: 0 } } };
    for (const [path, content] of Object.entries({ "cdk.tf.json": { resource }, ...files })) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), JSON.stringify(content));
    }
    const text = summary(out, [bareStack()], parseStateBackend("STATE_BACKEND", setting));
    return text.replaceAll(folder, "F").trimEnd().split("\n");
  };

  const line = (init: string) =>
    `F: 1 resources with the defaults; next: terraform -chdir=F ${init} && terraform -chdir=F apply -var project_id=<your project>`;

  const LOCAL = `warning: each state will be a file in its folder, and is lost with it; for anything but a trial, keep it in a bucket: STATE_BACKEND='{"gcs": {"bucket": "<your bucket>"}}' npm run synth`;

  it.each([
    ["local", [line("init"), LOCAL]],
    ['{"gcs": {"bucket": "states"}}', [line("init")]],
    ["gcs", [line('init -backend-config="bucket=<your bucket>"')]],
  ])("prints the next command, and warns of a state that is easily lost, with the backend %s", (setting, lines) => {
    expect(summaryWith(setting)).toEqual(lines);
  });

  const initialized = (type: string) => ({ ".terraform/terraform.tfstate": { version: 3, backend: { type } } });

  it("warns when the state is in another backend than the folder now says", () => {
    const warning = (before: string, now: string) =>
      `warning: the state of F is in the backend ${before}, and the folder now names ${now}; synthesize with the former STATE_BACKEND, or move the state with init -migrate-state`;
    const bucket = '{"gcs": {"bucket": "states"}}';
    expect(summaryWith(bucket, initialized("local"))).toEqual([line("init -migrate-state"), warning("local", "gcs")]);
    expect(summaryWith("local", initialized("gcs"))).toEqual([
      line("init -migrate-state"),
      warning("gcs", "local"),
      LOCAL,
    ]);
    expect(summaryWith(bucket, initialized("gcs"))).toEqual([line("init")]);
    expect(summaryWith(bucket, { ...initialized("s3"), "backend_override.tf": {} })).toEqual([line("init")]);
  });
});
