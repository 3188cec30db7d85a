import { TerraformData } from "../../../lib/core/terraform-data";
import { WorkloadAccount } from "../../../lib/platform/kubernetes/workload-account";
import { valueAt } from "../../stacks/configuration-graph";
import { namespaceIn, STAND_IN_CLUSTER, standInIdentity } from "../../support/stand-in-parts";
import { bareStack, resourceOf, terraformOf, type Block } from "../../support/synthesis";

const NAMESPACE = "${kubernetes_namespace_v1.namespace.metadata[0].name}";

const partsOf = () => {
  const stack = bareStack();
  return { stack, namespace: namespaceIn(stack) };
};

describe("WorkloadNamespace", () => {
  it("is created after everything that its pods rely on, and so deleted before it, and names nothing twice", () => {
    const stack = bareStack();
    const [cluster, database, grant] = ["Cluster", "Database", "Grant"].map(
      (id) => new TerraformData(stack, id, {}),
    ) as [TerraformData, TerraformData, TerraformData];
    const namespace = namespaceIn(stack, {
      cluster: { ...STAND_IN_CLUSTER, ready: [cluster] },
      outlivedBy: [database],
    });
    namespace.addOutlivedBy(grant, database);
    namespace.addOutlivedBy(grant);
    expect(resourceOf(terraformOf(stack), "kubernetes_namespace_v1", "namespace")).toEqual({
      metadata: {
        name: "apps",
        labels: {
          "pod-security.kubernetes.io/enforce": "baseline",
          "pod-security.kubernetes.io/warn": "restricted",
        },
      },
      timeouts: { delete: "20m" },
      depends_on: ["terraform_data.cluster", "terraform_data.database", "terraform_data.grant"],
    });
  });

  it("allows no ingress, and egress to DNS, the metadata server, the database and HTTPS", () => {
    const { stack } = partsOf();
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

describe("The outbound policy of WorkloadNamespace", () => {
  const FURTHER = { ip_block: { cidr: "0.0.0.0/0" } };

  it("opens a further port, and nothing else, where one is given", () => {
    const rulesOf = (outboundPorts?: readonly number[]) => {
      const stack = bareStack();
      namespaceIn(stack, { outboundPorts });
      const policy = resourceOf(terraformOf(stack), "kubernetes_network_policy_v1", "namespace_outbound");
      expect(valueAt(policy, "spec.dynamic")).toBeUndefined();
      return valueAt(policy, "spec.egress") as Block[];
    };
    expect(rulesOf([587])).toEqual([...rulesOf(), { ports: [{ port: "587", protocol: "TCP" }], to: [FURTHER] }]);
    expect(rulesOf([])).toEqual(rulesOf());
  });

  it("opens as many as only the plan knows", () => {
    const stack = bareStack();
    namespaceIn(stack, { outboundPorts: "${var.ports}" });
    const policy = resourceOf(terraformOf(stack), "kubernetes_network_policy_v1", "namespace_outbound");
    expect(valueAt(policy, "spec.egress")).toHaveLength(4);
    expect(valueAt(policy, "spec.dynamic.egress")).toEqual({
      for_each: "${var.ports}",
      content: {
        ports: [{ port: "${egress.value}", protocol: "TCP" }],
        to: [{ ip_block: [{ cidr: "0.0.0.0/0" }] }],
      },
    });
  });
});

describe("WorkloadAccount", () => {
  it("has the rights of its service account and no token of the cluster", () => {
    const { namespace, stack } = partsOf();
    const identity = standInIdentity();
    new WorkloadAccount(stack, "Account", { namespace, name: "idp", identity });
    expect(resourceOf(terraformOf(stack), "kubernetes_service_account_v1", "account")).toEqual({
      metadata: {
        name: "idp",
        namespace: NAMESPACE,
        annotations: { "iam.gke.io/gcp-service-account": identity.email },
      },
      automount_service_account_token: false,
    });
  });

  it("may act as its service account, by a grant that nothing in the cluster depends on", () => {
    const stack = bareStack();
    const grant = new TerraformData(stack, "ActsAs", {});
    const grantActAs = jest.fn(() => [grant]);
    const namespace = namespaceIn(stack, { cluster: { ...STAND_IN_CLUSTER, grantActAs } });
    const identity = standInIdentity();
    new WorkloadAccount(stack, "Account", { namespace, name: "idp", identity });
    expect(grantActAs.mock.calls).toEqual([[identity, "apps", "idp"]]);
    expect(namespace.grants).toEqual([grant]);
    expect(JSON.stringify(terraformOf(stack).resource)).not.toContain("terraform_data.acts_as");
  });
});
