import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runInThisContext } from "node:vm";

import { CloudRunV2Service } from "@cdktf/provider-google/lib/cloud-run-v2-service";
import { ModuleKind, ScriptTarget, transpile } from "typescript";

import { packageFile } from "../../lib/core/package-file";
import { tenantContext } from "../../lib/core/place";
import { MediaBucket } from "../../lib/idp/media-bucket";
import { KubernetesIdentityProvider } from "../../lib/kubernetes-identity-provider";
import { ServerlessIdentityProvider } from "../../lib/serverless-identity-provider";
import { bareStack, terraformOf, type Block, type Terraform } from "../support/synthesis";
import { temporaryFolder } from "../support/temporary-folder";
import { installedPackages } from "../tools/install-commands";
import { blocksIn, exampleFolders, pageOf, programs } from "../tools/pages";
import { shippedStacks } from "../stacks/shipped-stacks";

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

const typesIn = ({ resource = {} }: Terraform) => Object.keys(resource);

describe("The TypeScript examples", () => {
  it("each synthesize stacks of their own", () => {
    expect(programs().flatMap(({ stacks }) => stacks)).toEqual([
      "sign-in",
      "sign-in-at-a-domain",
      "sign-in-on-kubernetes",
      "sign-in-with-network",
      "acme",
      "globex",
      "sign-in-by-hand",
      "training",
    ]);
  });

  it("show every folder of examples on a page, and name it on the page of examples", () => {
    const shown = ["README.md", "lib/README.md"].flatMap((path) => [
      ...pageOf(path).text.matchAll(/^<!-- example: (\S+) -->$/gm),
    ]);
    const named = [...pageOf("stacks/examples/README.md").text.matchAll(/^\| \[`(\S+)`\]\(\1\/main\.ts\) \|/gm)];
    expect(shown.map(([, name]) => name).sort()).toEqual(exampleFolders());
    expect(named.map(([, name]) => name).sort()).toEqual(exampleFolders());
  });

  it("include a whole identity provider, with an override", () => {
    const terraform = synthesized("sign-in");
    expect(typesIn(terraform)).toContain("google_cloud_run_v2_service");
    const [database] = Object.values(terraform.resource?.google_sql_database_instance ?? {});
    expect(database).toMatchObject({ settings: { maintenance_window: { day: 6, hour: 3 } } });
  });

  it("include one with a domain, rules, logs, mail and the records to enter", () => {
    const { locals, output, resource = {} } = synthesized("sign-in-at-a-domain");
    const [policy] = Object.values(resource.google_compute_security_policy ?? {});
    const [backend] = Object.values(resource.google_compute_backend_service ?? {});
    expect((policy?.rule as Block[]).map(({ action, priority }) => [priority, action])).toEqual(
      expect.arrayContaining([
        [1000, "allow"],
        [2000, "deny(403)"],
      ]),
    );
    expect(backend).toMatchObject({ log_config: { enable: true, sample_rate: 1 } });
    const shown = JSON.stringify(output);
    for (const text of ["sign-in.example.com", "google_compute_global_address.identity_provider_address", "test_email"])
      expect(shown).toContain(text);
    expect(JSON.stringify(locals)).toContain("smtp.example.com");
  });

  it("alert by the table and by a custom policy, in the first apply", () => {
    const { locals, resource = {} } = synthesized("sign-in-at-a-domain");
    const policies = resource.google_monitoring_alert_policy ?? {};
    const own = policies.deadlocks;
    expect(Object.keys(policies).sort()).toEqual(["deadlocks", "identity_provider_monitoring_alerts"]);
    const [{ condition_prometheus_query_language: condition }] = own?.conditions as [Record<string, Block>];
    expect(condition).toMatchObject({ disable_metric_validation: true });
    const alerts = policies.identity_provider_monitoring_alerts;
    expect(own?.notification_channels).toBe(alerts?.notification_channels);
    expect(JSON.stringify(condition)).toContain("${google_sql_database_instance.identity_provider_database.name}");
    expect(own?.depends_on).toContain("google_monitoring_alert_policy.identity_provider_monitoring_alerts");
    expect(locals).toMatchObject({
      identity_provider_monitoring_settings: { latency: { threshold: 5000 }, memory: { enabled: false } },
    });
  });

  it("include one on Kubernetes, on an existing network, with the records of its domain", () => {
    const { output, resource = {} } = synthesized("sign-in-on-kubernetes");
    expect(Object.keys(resource)).toContain("kubernetes_deployment_v1");
    const [database] = Object.values(resource.google_sql_database_instance ?? {});
    for (const part of [resource.google_container_cluster, database])
      expect(JSON.stringify(part)).toContain("projects/shared-network/global/networks/vpc");
    expect(JSON.stringify(output?.dns_records)).toContain("google_compute_global_address.identity_provider_address");
  });

  it("include one on Kubernetes, on a network of the same stack, after NAT and private services access", () => {
    const { resource = {} } = synthesized("sign-in-with-network");
    const consistsOf = ["google_service_networking_connection.services_access", "google_compute_router_nat.nat"];
    for (const type of ["google_container_cluster", "google_sql_database_instance", "kubernetes_namespace_v1"]) {
      const [part] = Object.values(resource[type] ?? {});
      expect([type, part?.depends_on]).toEqual([type, expect.arrayContaining(consistsOf)]);
    }
  });

  it("include two tenants with names of their own, which otherwise differ only as requested", () => {
    const [acme, globex] = ["acme", "globex"].map((tenant) => JSON.stringify(synthesized(tenant)));
    expect(acme).toMatch(/"secret-acme-[0-9a-f]{6}-idp-secret-key"/);
    expect(acme).not.toContain("globex");
    expect(acme).toContain('"availability_type":"REGIONAL"');
    expect(globex).toContain('"availability_type":"ZONAL"');
  });

  it("include single parts, and a lab", () => {
    expect(typesIn(synthesized("sign-in-by-hand"))).toContain("google_sql_database_instance");
    const { resource = {} } = synthesized("training");
    expect(resource.google_compute_instance?.lab_linux_vm).toMatchObject({ count: 10 });
    expect(resource.google_compute_firewall?.lab_firewall_allow_rdp).toMatchObject({
      source_ranges: ["203.0.113.0/24"],
    });
  });
});

describe("A service of one's own", () => {
  it("mounts the bucket as the library's own service does, by the override on the page", () => {
    const stack = bareStack();
    const place = tenantContext(stack, { projectId: "my-project", tenantId: "acme" });
    const media = new MediaBucket(stack, "Media", { place });
    const service = new CloudRunV2Service(stack, "Server", {
      name: "server",
      location: place.region,
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
    const { "idp-serverless": shipped } = shippedStacks();
    expect(mountOptionsOf(terraformOf(stack))).toEqual(mountOptionsOf(shipped));
    expect(mountOptionsOf(terraformOf(stack))).toContain("uid=1000");
  });
});

describe("The examples that are whole projects", () => {
  const json = (path: string) => JSON.parse(pageOf(path).text) as Record<string, Record<string, string>>;
  const { devDependencies: here = {}, peerDependencies: accepted = {} } = json("package.json");
  const projects = exampleFolders().filter((name) => existsSync(packageFile(`stacks/examples/${name}/package.json`)));

  it.each(projects)("install what the library accepts, and the tools that it is tested with: %s", (name) => {
    const { dependencies = {}, devDependencies = {} } = json(`stacks/examples/${name}/package.json`);
    const { "cdktf-idp-stacks": library, ...peers } = dependencies;
    const [packed = ""] = installedPackages();
    expect(library).toBe(packed.replace("./", "file:"));
    for (const [peer, release] of Object.entries(peers))
      expect([peer, release]).toEqual([peer, release.startsWith("npm:") ? `npm:cdktn@${here.cdktn}` : accepted[peer]]);
    for (const [tool, release] of Object.entries(devDependencies)) expect([tool, release]).toEqual([tool, here[tool]]);
  });
});

describe("The tables of classes and functions", () => {
  it.each(Object.keys(LIBRARY))("name each class and function of %s, and no other", (name) => {
    const [, table = ""] = pageOf("lib/README.md").text.split(`\n| \`${name}\` | What it is |\n`);
    const rows = table.split("\n\n")[0]?.match(/^\| `.*? \|/gm) ?? [];
    const told = rows.flatMap((row) => [...row.matchAll(/`(\w+)`/g)].map(([, each]) => each));
    const library = LIBRARY[name]?.() as Record<string, unknown>;
    expect(told.sort()).toEqual(
      Object.keys(library)
        .filter((each) => typeof library[each] === "function")
        .sort(),
    );
  });
});

describe("The table of what can be referred to", () => {
  const [, chapter = ""] = pageOf("lib/README.md").text.split("\n## References and overrides\n");
  const [table = ""] = chapter.split("\n## ");
  const paths = [...table.matchAll(/^\| `.*$/gm)].flatMap(([row]) =>
    [...row.matchAll(/`([\w.]+)`/g)].map(([, path = ""]) => path),
  );

  it("names properties that an identity provider has", () => {
    const props = { projectId: "my-project", tenantId: "acme", domain: "sign-in.example.com", workerMode: "separate" };
    const variants = [
      new ServerlessIdentityProvider(bareStack(), "IdentityProvider", props),
      new KubernetesIdentityProvider(bareStack(), "IdentityProvider", props),
    ];
    const missing = paths.filter((path) => variants.every((variant) => propertyOf(variant, path) === undefined));
    expect(paths.length).toBeGreaterThan(20);
    expect(missing).toEqual([]);
  });
});

function propertyOf(construct: object, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>((owner, name) => (owner as Record<string, unknown> | undefined)?.[name], construct);
}
