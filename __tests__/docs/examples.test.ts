import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runInThisContext } from "node:vm";

import { CloudRunV2Service } from "@cdktf/provider-google/lib/cloud-run-v2-service";
import { ModuleKind, ScriptTarget, transpile } from "typescript";

import { deploymentContext } from "../../lib/core/deployment-context";
import { packageFile } from "../../lib/core/package-file";
import { BOOTSTRAP_TOKEN } from "../../lib/idp/contract";
import { MediaBucket } from "../../lib/idp/media-bucket";
import { KubernetesIdentityProvider } from "../../lib/kubernetes-identity-provider";
import { ServerlessIdentityProvider } from "../../lib/serverless-identity-provider";
import { OWN_IMAGES } from "../stacks/accepted-inputs";
import { serverlessTerraform } from "../stacks/serverless-stack";
import { bareStack, type Block, type Terraform, terraformOf } from "../support/synthesis";
import { temporaryFolder } from "../support/temporary-folder";
import { blocksIn, exampleFolders, pageOf, programs } from "../tools/pages";

/** The library by the names under which a user imports it. */
const LIBRARY: Readonly<Record<string, () => unknown>> = {
  "cdktf-idp-stacks": () => jest.requireActual("../../lib/index"),
  "cdktf-idp-stacks/kubernetes": () => jest.requireActual("../../lib/kubernetes"),
  "cdktf-idp-stacks/lab": () => jest.requireActual("../../lib/lab/index"),
};

/** A stack of the program that has it, with the library's sources in the place of the package. */
function synthesized(stack: string): Terraform {
  const program = programs().find(({ stacks }) => stacks.includes(stack));
  const outdir = temporaryFolder();
  const before = process.env.CDKTF_OUTDIR;
  process.env.CDKTF_OUTDIR = outdir;
  try {
    const code = transpile(program?.text ?? "", { module: ModuleKind.CommonJS, target: ScriptTarget.ES2022 });
    const run = runInThisContext(`(require, exports) => {${code}\n}`) as (require: unknown, exports: object) => void;
    run((name: string) => LIBRARY[name]?.() ?? jest.requireActual(name), {});
  } finally {
    if (before === undefined) delete process.env.CDKTF_OUTDIR;
    else process.env.CDKTF_OUTDIR = before;
  }
  expect(readdirSync(join(outdir, "stacks"))).toEqual(program?.stacks);
  return JSON.parse(readFileSync(join(outdir, "stacks", stack, "cdk.tf.json"), "utf8")) as Terraform;
}

describe("The TypeScript examples", () => {
  it("each synthesize stacks of their own", () => {
    expect(programs().flatMap(({ stacks }) => stacks)).toEqual([
      "sign-in",
      "sign-in-in-two-accounts",
      "sign-in-by-hand",
      "sign-in-at-a-domain",
      "sign-in-on-kubernetes",
      "sign-in-with-network",
      "training",
      "acme",
      "globex",
    ]);
  });

  it("are named on the page of the constructs", () => {
    const named = pageOf("lib/README.md").text.matchAll(/^\| \[`(\S+)`\]\(..\/stacks\/examples\/\1\/main\.ts\) \|/gm);
    expect([...named].map(([, name]) => name).sort()).toEqual(exampleFolders());
  });

  it.each(programs().flatMap(({ stacks }) => stacks))(
    "include %s, which has resources and states its providers",
    (stack) => {
      const { resource = {}, terraform } = synthesized(stack);
      expect(Object.keys(resource).length).toBeGreaterThan(5);
      expect(Object.keys(terraform.required_providers as object)).toContain("google");
    },
  );

  it("include an override, and names that differ by tenant", () => {
    const [database] = Object.values(synthesized("sign-in").resource?.google_sql_database_instance ?? {});
    const settings = { insights_config: { query_insights_enabled: true, query_string_length: 4096 } };
    expect(database).toMatchObject({ settings });
    expect(JSON.stringify(synthesized("acme"))).not.toContain("globex");
  });
});

it("A service of one's own mounts the bucket as the library's own service does, by the override on the page", () => {
  const stack = bareStack();
  const context = deploymentContext(stack, { projectId: "my-project", tenantId: "acme" });
  const media = new MediaBucket(stack, "Media", { context });
  const service = new CloudRunV2Service(stack, "Server", {
    name: "server",
    location: context.region,
    template: { volumes: [{ name: "media", gcs: { bucket: media.bucketName } }] },
  });
  const line = blocksIn(pageOf("lib/README.md").text, "text").find((block) => block.includes("mount_options")) ?? "";
  (runInThisContext(`(service, media) => {${line}}`) as (...parts: unknown[]) => void)(service, media);
  const mountOptionsOf = ({ resource }: Terraform) => {
    const [{ template }] = Object.values(resource?.google_cloud_run_v2_service ?? {}) as [
      { template: { volumes: { gcs?: Block }[] } },
    ];
    return template.volumes[0]?.gcs?.mount_options;
  };
  expect(mountOptionsOf(terraformOf(stack))).toEqual(mountOptionsOf(serverlessTerraform()));
  expect(mountOptionsOf(terraformOf(stack))).toContain("uid=1000");
});

/** The releases of the framework's own bindings, before those of its successor. */
const usualOf = (range?: string) => range?.split(" || ")[0];

const json = (path: string) => JSON.parse(pageOf(path).text) as Record<string, Record<string, string>>;
const { devDependencies: here = {}, peerDependencies: accepted = {} } = json("package.json");
const projects = exampleFolders().filter((name) => existsSync(packageFile(`stacks/examples/${name}/package.json`)));

it.each(projects)(
  "The examples that are whole projects install what the library accepts, and the tools that it is tested with: %s",
  (name) => {
    const { dependencies = {}, devDependencies = {} } = json(`stacks/examples/${name}/package.json`);
    const { "cdktf-idp-stacks": library, ...peers } = dependencies;
    expect(library).toMatch(/^file:cdktf-idp-stacks-[\d.]+\.tgz$/);
    for (const [peer, release] of Object.entries(peers))
      expect([peer, release]).toEqual([
        peer,
        release.startsWith("npm:") ? `npm:cdktn@${here.cdktn}` : usualOf(accepted[peer]),
      ]);
    for (const [tool, release] of Object.entries(devDependencies)) expect([tool, release]).toEqual([tool, here[tool]]);
  },
);

it("The command that installs the library names its peers, each in the releases that it accepts", () => {
  const { version } = JSON.parse(pageOf("package.json").text) as { version: string };
  const page = pageOf("lib/README.md").text;
  expect(page).toContain(`npm install ./cdktf-idp-stacks-${version}.tgz`);
  for (const [peer, range] of Object.entries(accepted)) expect(page).toContain(`"${peer}@${usualOf(range)}"`);
});

it.each(Object.keys(LIBRARY))(
  "The tables of classes and functions name each class and function of %s, and no other",
  (name) => {
    const [, table = ""] = pageOf("lib/README.md").text.split(`\n| \`${name}\` | What it is |\n`);
    const rows = table.split("\n\n")[0]?.match(/^\| `.*? \|/gm) ?? [];
    const told = rows.flatMap((row) => [...row.matchAll(/`(\w+)`/g)].map(([, each]) => each));
    const library = LIBRARY[name]?.() as Record<string, unknown>;
    expect(told.sort()).toEqual(
      Object.keys(library)
        .filter((each) => typeof library[each] === "function")
        .sort(),
    );
  },
);

it("The table of what can be referred to names properties that an identity provider has", () => {
  const [, chapter = ""] = pageOf("lib/README.md").text.split("\n## References and overrides\n");
  const [table = ""] = chapter.split("\n## ");
  const paths = [...table.matchAll(/^\| `.*$/gm)].flatMap(([row]) =>
    [...row.matchAll(/`([\w.]+)`/g)].map(([, path = ""]) => path),
  );
  const props = {
    projectId: "my-project",
    tenantId: "acme",
    domain: "sign-in.example.com",
    alertEmails: ["admin@example.com"],
    dumps: { schedule: "30 4 * * *" },
    protection: {},
    workerMode: "separate",
  };
  const variants = [
    new ServerlessIdentityProvider(bareStack(), "IdentityProvider", props),
    new KubernetesIdentityProvider(bareStack(), "IdentityProvider", props),
  ];
  const missing = paths.filter((path) => variants.every((variant) => propertyOf(variant, path) === undefined));
  expect(paths.length).toBeGreaterThan(20);
  expect(missing).toEqual([]);
});

function propertyOf(construct: object, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>((owner, name) => (owner as Record<string, unknown> | undefined)?.[name], construct);
}

it("The example of a second stack reads the secret that the first stack makes with its defaults", () => {
  const [, prefix = ""] = /\/idp-(\w+-\w+)\/$/.exec(OWN_IMAGES) ?? [];
  expect(pageOf("stacks/guides/configuration-as-files.md").text).toContain(
    `"secret-${prefix}-idp-${BOOTSTRAP_TOKEN.suffix}"`,
  );
});
