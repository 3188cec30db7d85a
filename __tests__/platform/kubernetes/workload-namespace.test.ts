import { TerraformData } from "../../../lib/core/terraform-data";
import { valueAt } from "../../stacks/configuration-graph";
import { namespaceIn, STAND_IN_CLUSTER } from "../../support/stand-in-parts";
import { bareStack, resourceOf, terraformOf, type Block } from "../../support/synthesis";

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
});
