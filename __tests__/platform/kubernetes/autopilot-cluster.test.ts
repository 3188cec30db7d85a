import { type IResolvable } from "cdktf";

import { ExistingIdentity } from "../../../lib/platform/identity/existing-identity";
import { AutopilotCluster } from "../../../lib/platform/kubernetes/autopilot-cluster";
import { ClusterNetwork } from "../../../lib/platform/network/cluster-network";
import { PLACE, standInIdentity } from "../../support/stand-in-parts";
import { bareStack, resourceOf, terraformOf } from "../../support/synthesis";

const clusterIn = (authorizedNetworks: Record<string, string> = {}) => {
  const stack = bareStack();
  const common = { place: PLACE, dependsOn: [] };
  const cluster = new AutopilotCluster(stack, "Cluster", {
    ...{
      ...common,
      deletionProtection: true,
      network: new ClusterNetwork(stack, "Network", { ...common, existing: undefined }),
    },
    authorizedNetworks: authorizedNetworks as unknown as IResolvable,
  });
  return { stack, cluster, resource: () => resourceOf(terraformOf(stack), "google_container_cluster", "cluster") };
};

describe("AutopilotCluster", () => {
  it("is reachable from everywhere unless ranges are given, and always says so", () => {
    const rangesOf = (ranges: Record<string, string>) => clusterIn(ranges).resource().master_authorized_networks_config;
    const blocks = (ranges: Record<string, string>) => ({
      gcp_public_cidrs_access_enabled: false,
      dynamic: {
        cidr_blocks: {
          for_each: ranges,
          content: { display_name: "${cidr_blocks.key}", cidr_block: "${cidr_blocks.value}" },
        },
      },
    });
    expect(rangesOf({})).toEqual(blocks({ everywhere: "0.0.0.0/0" }));
    expect(rangesOf({ office: "203.0.113.0/24" })).toEqual(blocks({ office: "203.0.113.0/24" }));
  });

  it("lets several accounts of pods act as one service account, and none as one that is managed elsewhere", () => {
    const { cluster, stack } = clusterIn();
    const runtime = standInIdentity("Runtime");
    for (const account of ["idp", "idp-worker"]) cluster.grantActAs(runtime, "apps", account);
    const existing = new ExistingIdentity("runner@demo-project.iam.gserviceaccount.com");
    expect(cluster.grantActAs(existing, "apps", "idp")).toEqual([]);
    const members = Object.values(terraformOf(stack).resource?.google_service_account_iam_member ?? {});
    expect(members.map(({ member }) => member)).toEqual([
      "serviceAccount:demo-project.svc.id.goog[apps/idp]",
      "serviceAccount:demo-project.svc.id.goog[apps/idp-worker]",
    ]);
  });
});
