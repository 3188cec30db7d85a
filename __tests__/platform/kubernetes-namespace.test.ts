import { TerraformOutput } from "cdktf";

import { InputVariable } from "../../lib/core/input-variable";
import { type SecretReference } from "../../lib/core/generated-secret";
import { FrontDoor } from "../../lib/platform/kubernetes/front-door";
import { KubernetesWorkload } from "../../lib/platform/kubernetes/kubernetes-workload";
import { WorkloadNamespace } from "../../lib/platform/kubernetes/workload-namespace";
import { WorkloadSecret } from "../../lib/platform/kubernetes/workload-secret";
import { valueAt } from "../stacks/configuration-graph";
import { resourceOf, terraformOf, warningsOf, type Block } from "../support/synthesis";
import { clusterParts, type ClusterParts } from "./kubernetes-parts";
import { addressOf, containerIn, PLACE } from "./serverless-parts";

const NAMESPACE = "${kubernetes_namespace_v1.namespace.metadata[0].name}";

describe("WorkloadNamespace", () => {
  it("is made after everything that its pods rely on, and so deleted before it", () => {
    const { stack } = clusterParts();
    expect(resourceOf(terraformOf(stack), "kubernetes_namespace_v1", "namespace")).toEqual({
      metadata: {
        name: "apps",
        labels: {
          "pod-security.kubernetes.io/enforce": "baseline",
          "pod-security.kubernetes.io/warn": "restricted",
        },
      },
      timeouts: { delete: "20m" },
      depends_on: ["google_sql_database_instance.database"],
    });
  });

  it.each(["default", "kube-public", "gke-gmp-system", "gmp-system", "Apps", "a-", ""])(
    "refuses a name that is the cluster's own or none: %s",
    (name) => {
      const { deployment, stack } = clusterParts();
      expect(() => new WorkloadNamespace(stack, "Other", { deployment, name, outlivedBy: [] })).toThrow(
        new Error(
          `test/Other: 1 problem\n  - name is "${name}"; it must be 1 to 63 lower-case letters, digits and hyphens that start and end with a letter or digit, and neither default nor start with kube-, gke- or gmp-, because it is made for this deployment alone and the cluster has those already; rename it`,
        ),
      );
    },
  );

  it("lets nobody in, and pods out to names, identities, the database and HTTPS", () => {
    const { stack } = clusterParts();
    const policy = resourceOf(terraformOf(stack), "kubernetes_network_policy_v1", "namespace_outbound");
    expect(policy).toMatchObject({
      metadata: { name: "idp-outbound", namespace: NAMESPACE },
      spec: { pod_selector: {}, policy_types: ["Ingress", "Egress"] },
    });
    expect(valueAt(policy, "spec.ingress")).toBeUndefined();
    const rules = valueAt(policy, "spec.egress") as Block[];
    const opened = rules.map((rule) => [
      valueAt(rule, "to.0.ip_block.cidr") ?? "every pod and address",
      (rule.ports as Block[]).map(({ protocol, port }) => `${String(protocol)} ${String(port)}`),
    ]);
    expect(opened).toEqual([
      ["every pod and address", ["UDP 53", "TCP 53"]],
      ["169.254.169.254/32", ["TCP 80"]],
      ["169.254.169.252/32", ["TCP 988"]],
      ["0.0.0.0/0", ["TCP 3307", "TCP 443"]],
    ]);
  });
});

describe("WorkloadAccount", () => {
  it("has the rights of its service account and no token of the cluster", () => {
    const { stack } = clusterParts();
    expect(resourceOf(terraformOf(stack), "kubernetes_service_account_v1", "account")).toEqual({
      metadata: {
        name: "idp",
        namespace: NAMESPACE,
        annotations: { "iam.gke.io/gcp-service-account": "${google_service_account.runtime.email}" },
      },
      automount_service_account_token: false,
    });
  });
});

describe("WorkloadSecret", () => {
  const secretIn = (values: Record<string, SecretReference>) => {
    const { namespace, projectId, stack } = clusterParts();
    const secret = new WorkloadSecret(stack, "Secrets", { name: "idp", namespace, projectId, values });
    const terraform = terraformOf(stack);
    return { secret, terraform, resource: resourceOf(terraform, "kubernetes_secret_v1", "secrets") };
  };

  it("holds values that are read at apply, at exactly the stored version, and written without a trace", () => {
    const { resource, terraform } = secretIn({ DB_PASSWORD: { secretId: "database", version: "3" } });
    expect(resource).toEqual({
      metadata: { name: "idp", namespace: NAMESPACE },
      type: "Opaque",
      data_wo: { DB_PASSWORD: "${ephemeral.google_secret_manager_secret_version.secrets_db_password.secret_data}" },
      data_wo_revision: "${sum([tonumber(3)])}",
    });
    expect(terraform.ephemeral?.google_secret_manager_secret_version).toMatchObject({
      secrets_db_password: { project: "demo-project", secret: "database", version: "3" },
    });
  });

  it("is written again when any of its versions is another, and tells which it holds", () => {
    const { resource, secret } = secretIn({
      A: { secretId: "a", version: "1" },
      B: { secretId: "b", version: "4" },
    });
    expect(resource.data_wo_revision).toBe("${sum([tonumber(1), tonumber(4)])}");
    expect(secret.versions).toBe("A=1,B=4");
  });

  it("may be empty", () => {
    expect(secretIn({}).resource).toMatchObject({ data_wo: {}, data_wo_revision: 1 });
  });
});

describe("FrontDoor", () => {
  const doorIn = (domain: (parts: ClusterParts) => string | undefined = () => undefined) => {
    const parts = clusterParts();
    const { stack } = parts;
    const workload = new KubernetesWorkload(stack, "Workload", { ...parts, container: containerIn(stack) });
    const door = new FrontDoor(stack, "FrontDoor", {
      ...PLACE,
      namespace: parts.namespace,
      workload,
      port: 9000,
      domain: domain(parts),
    });
    for (const [name, value] of Object.entries({ address: door.address, url: door.url, record: door.dnsRecord }))
      new TerraformOutput(stack, name, { value, staticId: true });
    const terraform = terraformOf(stack);
    return {
      stack,
      door,
      of: (type: string, name: string) => resourceOf(terraform, type, name),
      output: (name: string) => terraform.output?.[name]?.value,
    };
  };
  const NEVER = "${(false) ? 1 : 0}";
  const input = ({ stack }: ClusterParts) =>
    new InputVariable(stack, "domain", { type: "string", default: null, description: "A domain." }).stringValue;

  const knownDoorIn = (domain: (parts: ClusterParts) => string | undefined) => {
    const parts = clusterParts();
    const { stack } = parts;
    const door = new FrontDoor(stack, "FrontDoor", {
      ...PLACE,
      namespace: parts.namespace,
      port: 9000,
      domain: domain(parts),
    });
    const container = containerIn(stack);
    const workload = new KubernetesWorkload(stack, "Workload", { ...parts, container, frontDoor: door });
    return { stack, door, workload };
  };
  const toldOf = ({ stack, door, workload }: ReturnType<typeof knownDoorIn>) => {
    door.sendVisitorsTo(workload);
    const deployment = resourceOf(terraformOf(stack), "kubernetes_deployment_v1", "workload");
    const told = valueAt(deployment, "spec.template.spec.container.0.dynamic.env.for_each") as Record<string, string>;
    return { proxies: told.IDP_LISTEN__TRUSTED_PROXY_CIDRS, baseUrl: told.IDP_WEB__BASE_URL };
  };
  const FRONT_ENDS =
    "127.0.0.0/8,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,fe80::/10,::1/128,35.191.0.0/16,130.211.0.0/22";
  const GLOBAL_ADDRESS = "one(google_compute_global_address.front_door_global_address[*].address)";

  it("with a domain is among the proxies that the application trusts, and the base of its links", () => {
    expect(toldOf(knownDoorIn(() => "login.example.com"))).toEqual({
      proxies: `${FRONT_ENDS},\${${GLOBAL_ADDRESS}}/32`,
      baseUrl: "https://login.example.com",
    });
  });

  it("tells the application the same of a domain that only Terraform knows", () => {
    const regional = "one(google_compute_address.front_door_address[*].address)";
    expect(toldOf(knownDoorIn(input))).toEqual({
      proxies: `${FRONT_ENDS},\${(var.domain != null ? ${GLOBAL_ADDRESS} : ${regional})}/32`,
      baseUrl: `https://\${(var.domain != null ? var.domain : ${regional})}`,
    });
  });

  it("makes no circle: the workload waits for the address, and the load balancer for the workload", () => {
    const parts = knownDoorIn(() => "login.example.com");
    parts.door.sendVisitorsTo(parts.workload);
    const { resource = {} } = terraformOf(parts.stack);
    expect(resource.google_compute_global_address?.front_door_global_address?.depends_on).toBeUndefined();
    expect(resource.kubernetes_ingress_v1?.front_door_ingress?.depends_on).toEqual([
      "kubernetes_deployment_v1.workload",
    ]);
  });

  it("warns when a workload that visitors reach by a domain does not know it", () => {
    const warning = (domain: string) =>
      `domain is "${domain}" and the workload does not know its front door; from release 2026.8.1 on every visitor has the address of the load balancer, because the application takes the last address that it does not trust; make the front door first, give it to the workload as frontDoor, and call sendVisitorsTo`;
    expect(warningsOf(doorIn(() => "login.example.com").stack)).toEqual([warning("login.example.com")]);
    expect(warningsOf(doorIn().stack)).toEqual([]);
    const { stack } = doorIn(input);
    expect(warningsOf(stack)).toEqual([]);
    expect(terraformOf(stack).check?.front_door_known_to_workload).toEqual({
      assert: [{ condition: "${var.domain == null}", error_message: `${warning("${var.domain}")}.` }],
    });
    const known = knownDoorIn(() => "login.example.com");
    known.door.sendVisitorsTo(known.workload);
    expect(warningsOf(known.stack)).toEqual([]);
  });

  it("is refused when nobody says where it leads", () => {
    const { stack } = knownDoorIn(() => undefined);
    expect(() => terraformOf(stack)).toThrow("call sendVisitorsTo with it");
  });

  it("without a domain passes connections on to a static address, with the visitors' own addresses", () => {
    const { of, output } = doorIn();
    expect(of("google_compute_address", "front_door_address")).toMatchObject({
      name: "idp-demo-abc123-address",
      region: "us-central1",
    });
    expect(of("kubernetes_service_v1", "front_door_load_balancer")).toMatchObject({
      metadata: {
        name: "idp-load-balancer",
        annotations: { "cloud.google.com/neg": '{"ingress":true}', "cloud.google.com/l4-rbs": "enabled" },
      },
      spec: {
        type: "LoadBalancer",
        load_balancer_ip: "${one(google_compute_address.front_door_address[*].address)}",
        external_traffic_policy: "Local",
        port: [
          { name: "http", protocol: "TCP", port: 80, target_port: "9000" },
          { name: "https", protocol: "TCP", port: 443, target_port: "9443" },
        ],
      },
      wait_for_load_balancer: true,
    });
    for (const [type, name] of [
      ["google_compute_global_address", "front_door_global_address"],
      ["google_compute_managed_ssl_certificate", "front_door_certificate"],
      ["kubernetes_service_v1", "front_door_backend"],
      ["kubernetes_ingress_v1", "front_door_ingress"],
    ] as const)
      expect(of(type, name).count).toBe(NEVER);
    expect(output("url")).toBe("https://${one(google_compute_address.front_door_address[*].address)}");
    expect(output("record")).toBe("${null}");
  });

  it("with a domain speaks HTTPS alone, with a certificate for exactly this name", () => {
    const { of, output } = doorIn(() => "login.example.com");
    expect(of("google_compute_managed_ssl_certificate", "front_door_certificate")).toMatchObject({
      name: "idp-demo-abc123-0c6ca083",
      managed: { domains: ["login.example.com"] },
      lifecycle: { create_before_destroy: true },
    });
    expect(of("kubernetes_service_v1", "front_door_backend")).toMatchObject({
      metadata: { name: "idp-backend", annotations: { "cloud.google.com/neg": '{"ingress":true}' } },
      spec: { type: "ClusterIP", port: [{ name: "http", protocol: "TCP", port: 80, target_port: "9000" }] },
    });
    expect(of("kubernetes_ingress_v1", "front_door_ingress")).toMatchObject({
      metadata: {
        annotations: {
          "kubernetes.io/ingress.class": "gce",
          "kubernetes.io/ingress.allow-http": "false",
          "kubernetes.io/ingress.global-static-ip-name":
            "${one(google_compute_global_address.front_door_global_address[*].name)}",
          "ingress.gcp.kubernetes.io/pre-shared-cert":
            "${one(google_compute_managed_ssl_certificate.front_door_certificate[*].name)}",
        },
      },
      spec: {
        default_backend: {
          service: {
            name: "${one(kubernetes_service_v1.front_door_backend[*].metadata[0].name)}",
            port: { number: 80 },
          },
        },
      },
    });
    for (const [type, name] of [
      ["google_compute_address", "front_door_address"],
      ["kubernetes_service_v1", "front_door_load_balancer"],
    ] as const)
      expect(of(type, name).count).toBe(NEVER);
    expect(output("url")).toBe("https://login.example.com");
    expect(output("record")).toEqual({
      name: "login.example.com",
      type: "A",
      value: "${one(google_compute_global_address.front_door_global_address[*].address)}",
    });
  });

  it("makes the health check of the load balancer from pods that exist, so it waits for them", () => {
    expect(doorIn().of("kubernetes_ingress_v1", "front_door_ingress").depends_on).toEqual([
      "kubernetes_deployment_v1.workload",
    ]);
  });

  it("decides at plan when the domain is an input", () => {
    const { of, output } = doorIn(input);
    expect(of("kubernetes_service_v1", "front_door_load_balancer").count).toBe("${(var.domain == null) ? 1 : 0}");
    expect(of("kubernetes_ingress_v1", "front_door_ingress").count).toBe("${(var.domain != null) ? 1 : 0}");
    expect(output("url")).toBe(
      "https://${(var.domain != null ? var.domain : one(google_compute_address.front_door_address[*].address))}",
    );
    expect(output("record")).toMatch(/^\$\{\(var\.domain != null \? \{ name = var\.domain, type = "A", value = /);
  });

  it("lets visitors reach the two ports of the server; with a domain only the front ends, and only one port", () => {
    const opened = (domain?: string) => {
      const policy = doorIn(() => domain).of("kubernetes_network_policy_v1", "front_door_visitors");
      expect(valueAt(policy, "spec.pod_selector.match_labels")).toEqual({
        "app.kubernetes.io/name": "idp",
        "app.kubernetes.io/component": "server",
      });
      const rule = valueAt(policy, "spec.ingress.0.dynamic");
      return [valueAt(rule, "from.for_each"), valueAt(rule, "ports.for_each")];
    };
    expect(opened()).toEqual(['${["0.0.0.0/0"]}', "${[9000,9443]}"]);
    expect(opened("login.example.com")).toEqual(['${["35.191.0.0/16","130.211.0.0/22"]}', "${[9000]}"]);
  });

  it("names everything that belongs to it", () => {
    expect(doorIn().door.opened.map(addressOf)).toEqual([
      "kubernetes_network_policy_v1.front_door_visitors",
      "kubernetes_service_v1.front_door_load_balancer",
      "kubernetes_ingress_v1.front_door_ingress",
    ]);
  });

  it("refuses names that the platform refuses, of which a certificate's is the longest", () => {
    const parts = clusterParts();
    const workload = new KubernetesWorkload(parts.stack, "Workload", { ...parts, container: containerIn(parts.stack) });
    const doorOf = (length: number) => () =>
      new FrontDoor(parts.stack, `FrontDoor${length}`, {
        ...PLACE,
        deployment: { tenantPrefix: "demo-abc123", applicationName: "a".repeat(length) },
        namespace: parts.namespace,
        workload,
        port: 9000,
      });
    expect(doorOf(42)).not.toThrow();
    expect(doorOf(43)).toThrow(
      new Error(
        [
          "test/FrontDoor43: 1 problem",
          `  - certificate name ${"a".repeat(43)}-demo-abc123-e3b0c442 is 64 characters, the limit is 63, because the platform takes no longer one; shorten the application name or the tenant id by 1`,
        ].join("\n"),
      ),
    );
  });

  it.each(["Login.example.com", "login", "login.example.com.", "*.example.com", "https://login.example.com", "-a.b"])(
    "refuses a domain that no certificate is made for: %s",
    (domain) => {
      expect(() => doorIn(() => domain)).toThrow(
        new Error(
          `test/FrontDoor: 1 problem\n  - domain is "${domain}"; it must be a full domain name of lower-case letters, digits, hyphens and dots, at most 253 characters, without a dot at the end, because a certificate is made for exactly this name; write for example login.example.com`,
        ),
      );
    },
  );
});
