import { APPLY_AT_ONCE, type Deployment, type Inputs } from "../deployment/deployment";
import { StepFailure } from "../deployment/steps";
import { type Episode } from "../engine/stack-rehearsal";
import { addOthersCluster } from "../project/google-cluster";
import { addLogins, ALL_EXISTING } from "./existing-parts";

const NODE_ACCOUNT = "nodes@shared-accounts.iam.gserviceaccount.com";

/** What the stack makes only for a cluster and a namespace of its own. */
const OF_CLUSTER = ["google_container_cluster", "google_compute_network", "kubernetes_namespace_v1"];

/** Removes what is in the namespace of the former cluster, and nothing that holds data. */
const LEAVE = ["-destroy", "-target=terraform_data.cluster_of_namespace"];

async function requireCluster(deployment: Deployment, isOwn: boolean): Promise<void> {
  await deployment.settle();
  const { cloud } = deployment;
  const made = OF_CLUSTER.filter((type) => cloud.ofType(type).length > 0);
  if (made.length !== (isOwn ? OF_CLUSTER.length : 0))
    throw new StepFailure("apply", `of a cluster there is ${made.join(", ")}`);
  const [pods] = cloud.ofType("kubernetes_deployment_v1");
  const asksForMetadata = JSON.stringify(pods?.values).includes("gke-metadata-server-enabled");
  if (asksForMetadata === isOwn) throw new StepFailure("apply", "pods ask for nodes of another kind of cluster");
}

/** A standard cluster and a namespace of others: from the first apply on, and later in both directions. */
export const EXISTING_CLUSTER: Episode = {
  name: "a cluster that exists",
  fromNothing: true,
  play: async (deployment) => {
    const { cloud, inputs } = deployment;
    const project = String(inputs.project_id);
    const attributes = addOthersCluster(cloud, project, NODE_ACCOUNT);
    cloud.others.add("kubernetes_namespace_v1 sign-in");
    const cluster = { ...attributes, name: "shared", location: "us-central1-a", autopilot: false };
    const begun = { project_id: project, deletion_protection: false };
    const existing = {
      ...begun,
      existing_cluster: { ...cluster, node_account: NODE_ACCOUNT },
      existing_namespace: { name: "sign-in" },
    };
    const before = [...cloud.objects.keys()];
    // Together with everything else that can exist.
    addLogins(deployment);
    deployment.inputs = { ...existing, ...ALL_EXISTING };
    await requireCluster(deployment, false);
    await deployment.destroy(before);
    await deployment.applyWith(existing);
    const leaveFor = async (inputs: Inputs) => {
      const former = deployment.inputs;
      deployment.inputs = inputs;
      await deployment.refuse(["plan", "-input=false"], "but the deployment is in");
      await deployment.applyWith(former, ...LEAVE);
      deployment.inputs = inputs;
    };
    // To a namespace of its own in the same cluster, and back.
    await leaveFor({ ...begun, existing_cluster: existing.existing_cluster });
    await deployment.settle();
    if (cloud.ofType("kubernetes_namespace_v1").length !== 1) throw new StepFailure("apply", "there is no namespace");
    await leaveFor(existing);
    await requireCluster(deployment, false);
    await leaveFor(begun);
    await requireCluster(deployment, true);

    await deployment.applyWith({ ...begun, deletion_protection: true });
    deployment.inputs = { ...existing, deletion_protection: true };
    await deployment.refuse(
      ["plan", "-input=false"],
      'existing_cluster is "us-central1-a/shared", but the protected deployment has null',
    );
    await deployment.applyWith(begun);
    await deployment.applyAtOnce(...LEAVE);
    deployment.inputs = existing;
    await deployment.refuse([...APPLY_AT_ONCE, "-var=namespace=other"], "existing_namespace is given");
    await requireCluster(deployment, false);
  },
};
