import { readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename } from "node:path";

import { App, TerraformElement, TerraformStack } from "cdktf";

import { joinedScript } from "../../lib/core/joined-script";
import { packageFile } from "../../lib/core/package-file";
import { synthesizeInto, type SynthesizedFolder, type Terraform } from "../support/synthesis";
import { ConfigurationGraph, expressionsIn, referencesIn, stringsIn } from "./configuration-graph";
import { KUBERNETES_STACK_NAME } from "./kubernetes-stack";
import { STACK_NAME, withoutMetadata } from "./serverless-stack";
import { runAppCommand, type SynthesisProcess } from "./synthesis-process";
import { VARIANTS } from "./variants";

/** Every key and value of the configuration with the keys that lead there, root metadata aside. */
const entries = (value: unknown, path: string[] = []): [path: string, value: unknown][] =>
  typeof value !== "object" || value === null
    ? [[path.join("."), value]]
    : Object.entries(value).flatMap(([key, item]) => entries(item, [...path, key]));

let onNodeAlone: SynthesisProcess;
let bySuccessor: SynthesisProcess;

beforeAll(async () => {
  [onNodeAlone, bySuccessor] = await Promise.all([
    runAppCommand(),
    runAppCommand({
      environment: { NODE_OPTIONS: `--require ${require.resolve("./use-successor-framework")}` },
    }),
  ]);
});

const parsed = (text: string) => JSON.parse(text) as Terraform;

/** What one of the folders has beside what both have. */
interface Particulars {
  readonly absolutePaths: readonly string[];
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly providers: Readonly<Record<string, unknown>>;
  readonly secretCarriers: readonly string[];
}

const NOTHING: Particulars = {
  absolutePaths: [],
  inputs: [],
  outputs: [],
  providers: {},
  secretCarriers: [],
};

const ONLY: Readonly<Record<string, Particulars>> = {
  [STACK_NAME]: {
    ...NOTHING,
    absolutePaths: ["/cloudsql", "/cloudsql/${google_sql_database_instance.database.connection_name}"],
    inputs: ["close_default_address", "cpu_always_allocated", "public_access"],
    // Scripts and tokens of the jobs: db-init, the scheduled dump and the one at an apply.
    secretCarriers: ["secret_data", "secret_data", "secret_data", "run_execution_token", "run_execution_token"],
  },
  [KUBERNETES_STACK_NAME]: {
    ...NOTHING,
    absolutePaths: [
      "/cloud-entrypoint.sh",
      "/dev/shm",
      "/geoip",
      "/liveness",
      "/startup",
      "/usr/share/GeoIP",
      "/usr/share/GeoIP/.tried",
    ],
    inputs: ["authorized_networks", "namespace"],
    outputs: ["cluster_name", "connect_command", "namespace"],
    providers: { kubernetes: { source: "hashicorp/kubernetes", version: ">= 3.2.1, < 4.0.0" } },
    // The copies in the secrets of the namespace: those of db-init and the two dumps, and each an expression, those of
    // server and updater.
    secretCarriers: ["DB_ADMIN_PASSWORD", "DB_PASSWORD", "DB_PASSWORD", "DB_PASSWORD", "data_wo", "data_wo"],
  },
};

describe.each(VARIANTS)("The synthesized folder of $name", ({ name, stack, terraform }) => {
  const only = ONLY[name] ?? NOTHING;
  const synthesized = (): SynthesizedFolder => synthesizeInto(App.of(stack()), name);
  let folder: SynthesizedFolder;

  beforeAll(() => {
    folder = synthesized();
  });

  it("holds every file that its configuration, its pages or its scripts name, and nothing else", () => {
    const referred = stringsIn(terraform()).flatMap((text) =>
      [...text.matchAll(/\$\{path\.module\}\/([\w./-]+)/g)].map(([, path]) => path ?? ""),
    );
    // A file whose name an input decides is in a folder that is named; that of the operator's own blueprints is not there.
    const folders = referred.filter((path) => path.endsWith("/") && path !== "blueprints/");
    const files = referred.filter((path) => /[.]\w+$|Dockerfile/.test(path));
    expect(folder.files).toEqual(expect.arrayContaining(files));

    const isNamed = (path: string, texts: readonly string[]) => texts.some((text) => text.includes(basename(path)));
    const page = readFileSync(packageFile("stacks/identity-provider.md"), "utf8");
    const scripts = folder.files.filter((path) => path.startsWith("scripts/"));
    const unnamed = folder.files.filter(
      (path) =>
        path.includes("/") &&
        !files.includes(path) &&
        !folders.some((each) => path.startsWith(each)) &&
        !isNamed(path, [page, ...scripts.filter((script) => script !== path).map((script) => folder.read(script))]),
    );
    expect(unnamed).toEqual([]);
  });

  it("contains documentation beside the configuration", () => {
    expect(folder.files.filter((path) => !path.includes("/"))).toEqual(
      ["cdk.tf.json", "README.md", "VERSION", "inputs.schema.json", "terraform.tfvars.example"].sort(),
    );
    const { version } = JSON.parse(readFileSync(packageFile("package.json"), "utf8")) as { version: string };
    expect(folder.read("VERSION")).toBe(`${version}\n`);
    expect(folder.read("README.md").replaceAll(/\s+/g, " ")).toContain(`version ${version} of \`${name}\``);
    for (const path of folder.files.filter((each) => !each.includes("/")))
      for (const local of [process.cwd(), homedir(), packageFile("")])
        expect([path, folder.read(path).includes(`${local.replace(/\/$/, "")}/`)]).toEqual([path, false]);
  });

  it("holds the files as they are in the package, scripts with their parts in them", () => {
    const inPackage = ["image", "lib"].flatMap((room) =>
      readdirSync(packageFile(room), { recursive: true, encoding: "utf8" }).map((path) => `${room}/${path}`),
    );
    for (const path of folder.files.filter((each) => each.includes("/"))) {
      const sources = inPackage.filter((source) =>
        path.startsWith("image/") ? source === path : basename(source) === basename(path),
      );
      expect([path, sources]).toEqual([path, [expect.any(String)]]);
      expect(folder.read(path)).toBe(joinedScript(packageFile(sources[0] ?? "")));
    }
  });

  it("is the same bytes when synthesized again, elsewhere, and in another process", () => {
    const again = synthesized();
    expect(again.files).toEqual(folder.files);
    for (const path of folder.files) expect(again.read(path)).toBe(folder.read(path));
    for (const path of folder.files) expect(onNodeAlone.textOf(name, path)).toBe(folder.read(path));
  });

  it("is made on a machine that has Node alone", () => {
    expect(onNodeAlone.output).toContain(`stacks/${name}: terraform -chdir=`);
  });

  it("is the same with the framework's successor, its own metadata aside", () => {
    const [ours, successors] = [parsed(onNodeAlone.textOf(name)), parsed(bySuccessor.textOf(name))];
    expect(successors["//"].metadata.version).not.toEqual(ours["//"].metadata.version);
    expect(withoutMetadata(successors)).toEqual(withoutMetadata(ours));
    for (const path of folder.files.filter((each) => each !== "cdk.tf.json"))
      expect(bySuccessor.textOf(name, path)).toBe(folder.read(path));
  });

  it("keeps its state beside itself, and no path of this machine is in it", () => {
    expect(terraform().terraform.backend).toEqual({ local: { path: "terraform.tfstate" } });
    for (const text of [process.cwd(), homedir(), packageFile("")])
      expect(folder.read("cdk.tf.json").includes(`"${text.replace(/\/$/, "")}`)).toBe(false);
    // What lies in a container or on the platform may be absolute.
    const absolute = stringsIn(terraform()).filter((text) => /^(\/|[A-Za-z]:\\|file:)/.test(text));
    expect([...new Set(absolute)].sort()).toEqual(
      [
        "/-/health/live/",
        "/-/health/ready/",
        "/bin/sh",
        "/dumps",
        "/media",
        "/scripts",
        "/scripts/db-init.sh",
        "/scripts/dump-database.sh",
        ...only.absolutePaths,
      ].sort(),
    );
  });

  it("states the releases of Terraform and the providers that it needs, as ranges", () => {
    expect(terraform().terraform).toMatchObject({
      required_version: ">= 1.11.0",
      required_providers: {
        google: { source: "hashicorp/google", version: ">= 7.42.0, < 8.0.0" },
        random: { source: "hashicorp/random", version: ">= 3.7.2, < 4.0.0" },
        ...only.providers,
      },
    });
    expect(Object.keys(terraform().terraform.required_providers as object)).toHaveLength(
      2 + Object.keys(only.providers).length,
    );
  });

  it("has no value that was lost on the way", () => {
    const lost = entries(withoutMetadata(terraform())).filter(
      ([path, value]) =>
        /undefined|NaN|\[object|TfToken|Token\[/.test(`${path} ${String(value)}`) ||
        // The framework's tokens for numbers are far below.
        (typeof value === "number" && Math.abs(value) > Number.MAX_SAFE_INTEGER),
    );
    expect(lost).toEqual([]);
  });

  it("refers to variables, locals, resources and its own folder, and to nothing of another stack", () => {
    const roots = new Set(referencesIn(withoutMetadata(terraform())).map((reference) => reference.split(".")[0] ?? ""));
    const own = Object.keys(terraform().resource ?? {});
    const ofLoops = stringsIn(terraform())
      .flatMap(expressionsIn)
      .flatMap((body) => [...body.matchAll(/\bfor (\w+)(?:, (\w+))? in\b/g)].flatMap(([, ...names]) => names));
    const ofBlocks = entries(terraform().resource).flatMap(([path]) => /[.]dynamic[.](\w+)[.]/.exec(path)?.[1] ?? []);
    const known = new Set([...own, ...ofLoops, ...ofBlocks]);
    // `self` is the resource of a provisioner, `each` one of several.
    expect([...roots].filter((root) => root !== "each" && !known.has(root)).sort()).toEqual([
      "ephemeral",
      "local",
      "path",
      "self",
      "var",
    ]);
    expect(folder.read("cdk.tf.json")).not.toMatch(/terraform_remote_state/);
  });

  it("uses every input and every local value", () => {
    const used = new Set(
      new ConfigurationGraph(terraform()).elements.flatMap((element) =>
        new ConfigurationGraph(terraform()).namedBy(element),
      ),
    );
    const provider = referencesIn(terraform().provider);
    const declared = [
      ...Object.keys(terraform().variable ?? {}).map((name) => `var.${name}`),
      ...Object.keys(terraform().locals ?? {}).map((name) => `local.${name}`),
    ];
    expect(declared.filter((name) => !used.has(name) && !provider.includes(name))).toEqual([]);
  });

  it("writes every element of the construct tree once", () => {
    const addressed = (terraform: Readonly<Record<string, unknown>>): string[] =>
      Object.entries(terraform).flatMap(([block, elements]) => {
        if (["resource", "ephemeral"].includes(block)) return Object.values(elements as object).flatMap(Object.keys);
        return ["check", "locals", "output", "variable"].includes(block) ? Object.keys(elements as object) : [];
      });
    const declared = stack()
      .node.findAll()
      .filter((construct) => TerraformElement.isTerraformElement(construct) && !TerraformStack.isStack(construct))
      .flatMap((element) => addressed(element.toTerraform() as Record<string, unknown>));
    expect(addressed(withoutMetadata(terraform())).sort()).toEqual(declared.sort());
  });

  it("contains no secret: every sensitive argument is a reference to an ephemeral value or to the secret store", () => {
    const carriers = entries(terraform().resource).filter(([path]) =>
      /(^|[._])(secret_data|secret_data_wo|password|password_wo|root_password|root_password_wo|(?<!automount_service_account_)token)$|[.]data_wo([.]|$)/.test(
        path,
      ),
    );
    expect(carriers.map(([path]) => path.split(".").at(-1)).sort()).toEqual(
      [...Array<string>(5).fill("secret_data_wo"), "password_wo", ...only.secretCarriers].sort(),
    );
    for (const [, value] of carriers) {
      const bodies = expressionsIn(String(value));
      expect(bodies).not.toEqual([]);
      expect(String(value)).toMatch(/^\$\{.*\}$/);
    }
  });

  it("reports no secret: an output names secrets and never reads one", () => {
    const graph = new ConfigurationGraph(terraform());
    for (const name of Object.keys(terraform().output ?? {})) {
      const references = graph.namedBy(`output.${name}`);
      expect(references.filter((reference) => /^ephemeral\.|var\.bootstrap_password/.test(reference))).toEqual([]);
    }
    expect(stringsIn(terraform().output).filter((text) => text.includes("secret_data"))).toEqual([]);
  });

  it("asks for the bootstrap password as an ephemeral, sensitive value", () => {
    expect(terraform().variable?.bootstrap_password).toMatchObject({ ephemeral: true, sensitive: true });
  });

  it("has for every input its type, its meaning and what a later change does, and refuses null where it means nothing", () => {
    const inputs = Object.entries(terraform().variable ?? {});
    for (const [name, input] of inputs) {
      expect([name, typeof input.type]).toEqual([name, "string"]);
      expect([name, input.description]).toEqual([name, expect.stringMatching(/\b(?:later|a change)\b/i)]);
      expect([name, input.nullable]).toEqual([name, input.default === null ? undefined : false]);
    }
    expect(inputs.filter(([, input]) => !("default" in input)).map(([name]) => name)).toEqual(["project_id"]);
  });

  it("keeps every input and output that is promised", () => {
    expect(Object.keys(terraform().variable ?? {})).toEqual(
      expect.arrayContaining([
        "application_name",
        "application_version",
        "bootstrap_password",
        "bootstrap_password_version",
        "certificate_validation",
        "container_cpu",
        "container_memory",
        "database_availability",
        "database_final_backup_days",
        "database_tier",
        "deletion_protection",
        "dns_zone",
        "domain",
        "environment_variables",
        "existing_container_image",
        "existing_security_policy",
        "labels",
        "max_instance_count",
        "min_instance_count",
        "network",
        "project_id",
        "protection",
        "region",
        "request_log_sample_rate",
        "subnetwork",
        "tenant_id",
        ...only.inputs,
      ]),
    );
    expect(Object.keys(terraform().output ?? {})).toEqual(
      expect.arrayContaining([
        "bootstrap_password_secret",
        "container_image",
        "database_instance_name",
        "database_name",
        "database_password_secret",
        "database_user",
        "bootstrap_token_command",
        "dns_records",
        "domain_next_steps",
        "first_sign_in",
        "initialization_jobs",
        "load_balancer_address",
        "secret_key_secret",
        "service_url",
        "storage_buckets",
        "tenant_prefix",
        ...only.outputs,
      ]),
    );
  });

  it("has addresses that read like hand-written ones", () => {
    const names = Object.values(terraform().resource ?? {}).flatMap(Object.keys);
    expect(names.filter((name) => !/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name) || /[0-9a-f]{8}$/i.test(name))).toEqual(
      [],
    );
  });
});
