import { StepFailure } from "../deployment/steps";
import { type Episode } from "../engine/stack-rehearsal";
import { LOAD_BALANCER } from "../project/kubernetes-types";
import { needObject } from "../project/needs";

const NAMESPACE = "identity-provider-outposts";

const IN_NAMESPACE = needObject("kubernetes_namespace_v1", NAMESPACE);

const MANAGED = { blueprints: ["branding", "ldap", "radius"], outposts: {} };

/** The application may run outposts, runs one, and may no more: what it has made goes with their namespace. */
export const WITH_OUTPOSTS: Episode = {
  name: "outposts that the application runs",
  play: async (deployment) => {
    const { cloud } = deployment;
    const begun = deployment.inputs;
    const before = cloud.objects.size;
    const managed = { ...begun, ...MANAGED };
    for (const inputs of [managed, { ...managed, worker_mode: "in-container", worker: { count: undefined } }]) {
      await deployment.settle(inputs);
      // With a separate worker, the server has no token.
      const holders = cloud
        .ofType("kubernetes_deployment_v1")
        .filter(({ values }) => JSON.stringify(values).includes('service_account_token":[{'))
        .map(({ id }) => id.split("/")[1]);
      const expected = "worker_mode" in inputs ? "idp" : "idp-worker";
      if (holders.join() !== expected) throw new StepFailure("apply", `the token is in ${holders.join() || "no pod"}`);
    }
    const pods = { type: "pods", id: `${NAMESPACE}/ak-outpost-ldap`, values: {}, needs: [IN_NAMESPACE], writeOnly: {} };
    cloud.create(pods);

    await deployment.applyWith(begun);
    const left = [...cloud.objects.keys()].filter((key) => /outposts|ak-outpost/.test(key));
    if (left.length > 0) throw new StepFailure("apply", `these are left: ${left.join(", ")}`);
    if (cloud.objects.size !== before) throw new StepFailure("apply", "there are not as many resources as before");
  },
};

/**
 * A destroy while the load balancer of an outpost, which is in no state, has an address in the network of the cluster.
 */
export const DESTROYED_WITH_OUTPOSTS: Episode = {
  name: "a destroy with outposts",
  play: async (deployment) => {
    const { cloud } = deployment;
    await deployment.applyWith({ ...deployment.inputs, ...MANAGED, deletion_protection: false });
    const [subnetwork] = cloud.ofType("google_compute_subnetwork");
    const needs = [IN_NAMESPACE, needObject("google_compute_subnetwork", subnetwork?.id ?? "none")];
    cloud.create({ type: LOAD_BALANCER, id: `${NAMESPACE}/ldap`, values: {}, needs, writeOnly: {} });
    await deployment.destroy();
  },
};
