import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { type Body } from "../../../lib/core/hcl/hcl-body";
import { withoutTransitiveDependencies } from "../../../lib/core/hcl/transitive-dependencies";
import { describeWith, programPath } from "../../support/programs";
import { temporaryFolder } from "../../support/temporary-folder";

const CHAIN = {
  google_a: { first: {} },
  google_b: { middle: { count: "${var.count}", depends_on: ["google_a.first"] } },
};

const leftOf = (last: Body, configuration: Body = {}): unknown => {
  const resource = { ...CHAIN, google_c: { last } };
  const { resource: shortened } = withoutTransitiveDependencies({ ...configuration, resource }) as {
    readonly resource: { readonly google_c: { readonly last: Body } };
  };
  return shortened.google_c.last.depends_on;
};

describe("A dependency of a resource in HCL", () => {
  it.each([
    ["that another dependency waits for", { depends_on: ["google_a.first", "google_b.middle"] }, ["google_b.middle"]],
    [
      "that an attribute of another resource waits for",
      { x: "${google_b.middle[0].id}", depends_on: ["google_a.first"] },
      undefined,
    ],
    ["that a local waits for", { x: "${local.of_middle}", depends_on: ["google_a.first"] }, undefined],
  ])("is left out %s", (_, last, left) => {
    expect(leftOf(last, { locals: { of_middle: "${one(google_b.middle[*].id)}" } })).toEqual(left);
  });

  it.each([
    ["nothing else waits for it", { depends_on: ["google_b.middle", "google_d.other"] }],
    [
      "a sentence alone names what waits for it",
      { description: "of ${google_b.middle.id}", depends_on: ["google_a.first"] },
    ],
    ["a text without a template names what waits for it", { x: "google_b.middle", depends_on: ["google_a.first"] }],
  ])("stays where %s", (_, last) => {
    expect(leftOf(last)).toEqual(last.depends_on);
  });

  it("stays of what is read, which is read later where a dependency changes", () => {
    const read = { google_c: { last: { depends_on: ["google_a.first", "google_b.middle"] } } };
    const configuration = { data: read, ephemeral: read, resource: CHAIN };
    expect(withoutTransitiveDependencies(configuration)).toEqual(configuration);
  });
});

describeWith(["terraform"], "What Terraform makes and destroys", () => {
  it("is in order through a dependency of which there is none, and through one that does not change", () => {
    const folder = temporaryFolder();
    const logged = (word: string) => ({ "local-exec": { command: `echo ${word} >>order` } });
    const part = (name: string, seconds: number, before: readonly string[]) => ({
      triggers_replace: "${var.edition}",
      provisioner: [
        { "local-exec": { command: `sleep ${seconds} && echo ${name} >>order` } },
        { "local-exec": { ...logged(`no-${name}`)["local-exec"], when: "destroy" } },
      ],
      depends_on: before,
    });
    const resource = {
      terraform_data: {
        first: part("first", 1, []),
        middle: { count: "${var.middles}", depends_on: ["terraform_data.first"] },
        last: part("last", 0, ["terraform_data.middle"]),
      },
    };
    const variable = { edition: { default: 1 }, middles: { default: 0 } };
    writeFileSync(join(folder, "main.tf.json"), JSON.stringify({ variable, resource }));
    const terraform = (...args: string[]) =>
      spawnSync(programPath("terraform"), args, { cwd: folder, encoding: "utf8", timeout: 60_000 });
    const orderAfter = (...args: string[]) => {
      expect(terraform(...args)).toMatchObject({ status: 0 });
      const order = readFileSync(join(folder, "order"), "utf8").trim().split("\n");
      rmSync(join(folder, "order"));
      return order;
    };
    terraform("init");
    const apply = (edition: number, middles: number) =>
      orderAfter("apply", "-auto-approve", `-var=edition=${edition}`, `-var=middles=${middles}`);
    expect(apply(1, 0)).toEqual(["first", "last"]);
    expect(apply(2, 1)).toEqual(["no-last", "no-first", "first", "last"]);
    // The one in the middle stays as it is.
    expect(apply(3, 1)).toEqual(["no-last", "no-first", "first", "last"]);
    expect(orderAfter("destroy", "-auto-approve")).toEqual(["no-last", "no-first"]);
  });
});
