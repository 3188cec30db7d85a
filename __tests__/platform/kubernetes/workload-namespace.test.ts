import { TerraformData } from "../../../lib/core/terraform-data";
import { namespaceIn, STAND_IN_CLUSTER } from "../../support/stand-in-parts";
import { bareStack, resourceOf, terraformOf } from "../../support/synthesis";

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
