import { type Block, type Terraform } from "../support/synthesis";
import { valueAt } from "./configuration-graph";
import { kubernetesTerraform } from "./kubernetes-stack";
import { literalKubernetes } from "./literal-programs";

/** Every pod template that is emitted anywhere, by scenario and address. */
const podTemplates = (): [address: string, template: Block][] =>
  Object.entries({ stack: kubernetesTerraform(), literal: literalKubernetes() }).flatMap(
    ([scenario, { resource = {} }]) =>
      Object.entries(resource).flatMap(([type, elements]) =>
        Object.entries(elements)
          .map(([name, element]): [string, unknown] => [
            `${scenario}: ${type}.${name}`,
            valueAt(element, "spec.job_template.spec.template") ?? valueAt(element, "spec.template"),
          ])
          .filter((found): found is [string, Block] => found[1] !== undefined),
      ),
  );

/** With those that exist only with an input. */
const containersOf = (template: Block): Block[] => [
  ...(valueAt(template, "spec.container") as Block[]),
  ...(valueAt(template, "spec.init_container") as Block[]),
  ...([valueAt(template, "spec.dynamic.init_container.content") ?? []].flat() as Block[]),
];

const all = <Fact>(fact: (template: Block) => Fact) =>
  Object.fromEntries(podTemplates().map(([address, template]) => [address, fact(template)]));

const each = <Fact>(expected: Fact) => Object.fromEntries(podTemplates().map(([address]) => [address, expected]));

const objects = (pattern: RegExp, { resource = {} }: Terraform = kubernetesTerraform()): Block[] =>
  Object.entries(resource)
    .filter(([type]) => pattern.test(type))
    .flatMap(([, elements]) => Object.values(elements));

/** Thousandths of a CPU, and mebibytes. */
const quantity = (text: string): number => {
  const [, amount = "", unit = ""] = /^([\d.]+)(m|Mi|Gi)?$/.exec(text) ?? [];
  return Number(amount) * ({ m: 1, Mi: 1, Gi: 1024, "": 1000 }[unit] ?? NaN);
};

/** The admission of the platform writes what is missing, and the next plan would take it away again. */
describe("The second plan is empty on Autopilot, because", () => {
  it("there are a deployment and jobs, in the stack and in a composition with literals", () => {
    expect(podTemplates().map(([address]) => address)).toEqual([
      "stack: kubernetes_job_v1.db_init",
      "stack: kubernetes_job_v1.dump_at_apply",
      "stack: kubernetes_deployment_v1.workload",
      "stack: kubernetes_deployment_v1.worker",
      "stack: kubernetes_cron_job_v1.dump_job",
      "literal: kubernetes_job_v1.identity_provider_db_init",
      "literal: kubernetes_job_v1.identity_provider_dump_at_apply",
      "literal: kubernetes_deployment_v1.identity_provider_workload",
      "literal: kubernetes_deployment_v1.identity_provider_worker",
      "literal: kubernetes_cron_job_v1.identity_provider_dump_job",
    ]);
  });

  it("1. the provider leaves the platform's annotations alone", () => {
    expect(kubernetesTerraform().provider?.kubernetes?.[0]?.ignore_annotations).toEqual([
      "^autopilot\\.gke\\.io\\/.*",
      "^cloud\\.google\\.com\\/.*",
    ]);
  });

  it("2. every pod tolerates its architecture", () => {
    expect(all((template) => valueAt(template, "spec.toleration"))).toEqual(
      each([{ key: "kubernetes.io/arch", operator: "Equal", value: "amd64", effect: "NoSchedule" }]),
    );
  });

  it("3. every pod states the profile of system calls", () => {
    expect(all((template) => valueAt(template, "spec.security_context.seccomp_profile.type"))).toEqual(
      each("RuntimeDefault"),
    );
  });

  it("4. every container gives up its privileges and both capabilities", () => {
    const containers = podTemplates().flatMap(([, template]) => containersOf(template));
    expect([...new Set(containers.map(({ name }) => name))].sort()).toEqual(
      expect.arrayContaining(["database-proxy", "db-init", "geoip-updater", "server", "worker"]),
    );
    for (const { security_context: context } of containers) {
      expect(valueAt(context, "allow_privilege_escalation")).toBe(false);
      expect(valueAt(context, "capabilities.drop")).toEqual(["ALL", "NET_RAW"]);
    }
  });

  it("5. every container asks for CPU, memory and disk, as request and as limit alike", () => {
    for (const [, template] of podTemplates()) {
      for (const { resources } of containersOf(template)) {
        const { limits, requests } = resources as Record<string, Block>;
        expect(Object.keys(requests ?? {}).sort()).toEqual(["cpu", "ephemeral-storage", "memory"]);
        expect(limits).toEqual(requests);
      }
    }
  });

  it("5. every pod as a whole has a size that is not raised", () => {
    const sizes = podTemplates().map(([, template]) =>
      containersOf(template).map(({ resources }) => {
        const requests = valueAt(resources, "requests") as Record<string, string>;
        const { container_cpu: cpu, container_memory: memory } = kubernetesTerraform().variable ?? {};
        return {
          cpu: quantity((requests.cpu ?? "").replace("${var.container_cpu}", String(cpu?.default))),
          memory: quantity((requests.memory ?? "").replace("${var.container_memory}", String(memory?.default))),
        };
      }),
    );
    for (const containers of sizes) {
      const total = containers.reduce((sum, { cpu, memory }) => ({ cpu: sum.cpu + cpu, memory: sum.memory + memory }));
      expect(total.cpu).toBeGreaterThanOrEqual(50);
      expect(total.memory).toBeGreaterThanOrEqual(52);
      const gibPerCpu = total.memory / 1024 / (total.cpu / 1000);
      expect(gibPerCpu).toBeGreaterThanOrEqual(1);
      expect(gibPerCpu).toBeLessThanOrEqual(6.5);
    }
  });

  it.each([
    ["the stack", kubernetesTerraform],
    ["a composition with literals", literalKubernetes],
  ])("6. the number of pods is the autoscaler's alone, in %s", (_where, terraform) => {
    const deployments = objects(/^kubernetes_deployment_v1$/, terraform());
    expect(deployments.filter((deployment) => valueAt(deployment, "spec.replicas") !== undefined)).toEqual([]);
    expect(objects(/autoscaler/, terraform())).toHaveLength(deployments.length);
  });

  it("7. every service has its annotation of endpoint groups from the start", () => {
    const services = objects(/^kubernetes_service_v1$/);
    expect(services.map((service) => valueAt(service, "metadata.annotations"))).toEqual([
      expect.objectContaining({ "cloud.google.com/neg": '{"ingress":true}' }),
      expect.objectContaining({ "cloud.google.com/neg": '{"ingress":true}' }),
    ]);
  });

  it("8. every pod with a bucket says so on its template", () => {
    const withBucket = podTemplates().filter(([, template]) =>
      (valueAt(template, "spec.volume") as Block[]).some(
        (volume) => valueAt(volume, "csi.driver") === "gcsfuse.csi.storage.gke.io",
      ),
    );
    expect(withBucket.map(([address]) => address)).toEqual([
      "stack: kubernetes_job_v1.dump_at_apply",
      "stack: kubernetes_deployment_v1.workload",
      "stack: kubernetes_deployment_v1.worker",
      "stack: kubernetes_cron_job_v1.dump_job",
      "literal: kubernetes_job_v1.identity_provider_dump_at_apply",
      "literal: kubernetes_deployment_v1.identity_provider_workload",
      "literal: kubernetes_deployment_v1.identity_provider_worker",
      "literal: kubernetes_cron_job_v1.identity_provider_dump_job",
    ]);
    for (const [, template] of withBucket)
      expect(valueAt(template, "metadata.annotations")).toMatchObject({ "gke-gcsfuse/volumes": "true" });
  });

  it("nothing is ignored, because that would hide intended changes", () => {
    for (const object of objects(/^kubernetes_/)) expect(valueAt(object, "lifecycle.ignore_changes")).toBeUndefined();
  });
});

describe("Every pod", () => {
  it("runs as the application's user, without a token of the cluster and without the variables of services", () => {
    expect(
      all((template) => {
        const { automount_service_account_token, enable_service_links, security_context } = template.spec as Block;
        const { run_as_group, run_as_non_root, run_as_user } = security_context as Block;
        return { automount_service_account_token, enable_service_links, run_as_group, run_as_non_root, run_as_user };
      }),
    ).toEqual(
      each({
        automount_service_account_token: false,
        enable_service_links: false,
        run_as_group: "1000",
        run_as_non_root: true,
        run_as_user: "1000",
      }),
    );
  });

  it("has the same proxy beside it, which starts first, answers its probes and ends last", () => {
    const proxies = podTemplates().map(([, template]) => valueAt(template, "spec.init_container") as Block[]);
    const withoutArguments = (proxy: Block | undefined) => ({ ...proxy, args: "its own" });
    for (const [proxy, ...others] of proxies) {
      expect(others).toEqual([]);
      expect(withoutArguments(proxy)).toEqual(withoutArguments(proxies[0]?.[0]));
      expect(proxy).toMatchObject({
        restart_policy: "Always",
        startup_probe: { http_get: { path: "/startup", port: "9090" } },
        liveness_probe: { http_get: { path: "/liveness", port: "9090" } },
      });
    }
  });

  it("carries no value of a secret: variables point to copies, annotations name versions", () => {
    for (const [, template] of podTemplates()) {
      const text = JSON.stringify(template);
      expect(text).not.toMatch(/ephemeral\.|secret_data/);
    }
  });

  it("is made of typed objects alone, none of which asks the cluster at plan", () => {
    expect(
      Object.keys(kubernetesTerraform().resource ?? {}).filter(
        (type) => type.startsWith("kubernetes_") && !/_v\d$/.test(type),
      ),
    ).toEqual([]);
    expect(kubernetesTerraform().data).toBeUndefined();
  });
});
