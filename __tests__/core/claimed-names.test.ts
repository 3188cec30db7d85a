import { KubernetesProvider } from "@cdktf/provider-kubernetes/lib/provider";
import { type Construct } from "constructs";

import { claimName } from "../../lib/core/claimed-names";
import { expression } from "../../lib/core/expression";
import { GeneratedSecret } from "../../lib/core/generated-secret";
import { ClusterIngress } from "../../lib/platform/kubernetes/kubernetes-front-door";
import { PublicAddress } from "../../lib/platform/kubernetes/public-address";
import { WorkloadNamespace } from "../../lib/platform/kubernetes/workload-namespace";
import { ClusterNetwork } from "../../lib/platform/network/cluster-network";
import { ServerlessJobs } from "../../lib/platform/serverless/serverless-jobs";
import { PLACE, STAND_IN_CLUSTER, standInIdentity, standInJob } from "../support/stand-in-parts";
import { bareStack, BareStack, testApp } from "../support/synthesis";

const stackWithCluster = () => {
  const stack = bareStack();
  new KubernetesProvider(stack, "kubernetes", { host: "https://cluster" });
  return stack;
};

const domain = "login.example.com";

const ONE_KEY = { secretId: "one-key", length: 32 };

const namespace = (scope: Construct, name: string) =>
  new WorkloadNamespace(scope, `Namespace-${name}`, { place: PLACE, cluster: STAND_IN_CLUSTER, name });

const frontDoor = (scope: Construct, id: string, address: PublicAddress, room: WorkloadNamespace) =>
  new ClusterIngress(scope, id, {
    place: PLACE,
    address,
    namespace: room,
    port: 80,
    workload: { address, podLabels: {}, ready: [] },
  });

/** Create resources of the same name under different ids. */
const CREATORS: Readonly<Record<string, (scope: Construct) => (id: string) => unknown>> = {
  "secret in demo-project one-key": (scope) => (id) =>
    new GeneratedSecret(scope, id, { ...ONE_KEY, projectId: PLACE.projectId }),
  "network in demo-project idp-demo-abc123-network": (scope) => (id) => new ClusterNetwork(scope, id, { place: PLACE }),
  "static address in demo-project idp-demo-abc123-address": (scope) => (id) =>
    new PublicAddress(scope, id, { place: PLACE }),
  "Kubernetes namespace apps": (scope) => (id) =>
    new WorkloadNamespace(scope, id, { place: PLACE, cluster: STAND_IN_CLUSTER, name: "apps" }),
  "Kubernetes front door idp": (scope) => {
    const address = new PublicAddress(scope, "Address", { place: PLACE });
    const room = namespace(scope, "apps");
    return (id) => frontDoor(scope, id, address, room);
  },
  "certificate in demo-project idp-demo-abc123-0c6ca083": (scope) => {
    const address = new PublicAddress(scope, "Address", { place: PLACE, domain });
    return (id) => frontDoor(scope, id, address, namespace(scope, id.toLowerCase()));
  },
};

describe("A name that is taken", () => {
  it.each(Object.entries(CREATORS))("is refused at synth, with the paths of both: %s", (name, creatorIn) => {
    const create = creatorIn(stackWithCluster());
    create("First");
    expect(() => create("Second")).toThrow(
      `test/Second: 1 problem\n  - ${name} is also created by test/First; a name can exist only once; rename one of them, for example by its tenant id, application name, deployment id or client name`,
    );
  });

  it("is refused for the secret with a job's script", () => {
    const stack = bareStack();
    new GeneratedSecret(stack, "Key", {
      ...ONE_KEY,
      projectId: PLACE.projectId,
      secretId: "secret-demo-abc123-idp-prepare",
    });
    const jobs = new ServerlessJobs({ place: PLACE, identity: standInIdentity() });
    expect(() => jobs.runOnce(stack, "Prepare", standInJob(stack))).toThrow(
      "test/Prepare: 1 problem\n  - secret in demo-project secret-demo-abc123-idp-prepare is also created by test/Key;",
    );
  });

  it("is not claimed in an existing network, where nothing is created", () => {
    const stack = bareStack();
    const existing = {
      network: "projects/shared/global/networks/main",
      subnetwork: "projects/shared/regions/us-central1/subnetworks/nodes",
    };
    new ClusterNetwork(stack, "First", { place: PLACE, existing });
    expect(() => new ClusterNetwork(stack, "Second", { place: PLACE, existing })).not.toThrow();
  });
});

describe("A name", () => {
  const claimIn = (stacks: readonly BareStack[], kind: string, name: string) => () => {
    for (const stack of stacks) claimName(stack, kind, name);
  };
  const twoStacks = () => {
    const app = testApp();
    return ["one", "two"].map((id) => new BareStack(app, id, { providers: [] }));
  };

  it("is unique in the whole app when it is a literal", () => {
    expect(claimIn(twoStacks(), "bucket", "files")).toThrow("two: 1 problem\n  - bucket files is also created by one;");
  });

  it.each([
    ["the name", "bucket", `files-${expression("var.tenant_id")}`],
    ["what it must be unique in", `network in ${expression("var.project_id")}`, "main"],
  ])("is unique in its stack when only Terraform knows %s, because other stacks have other inputs", (_, kind, name) => {
    expect(claimIn(twoStacks(), kind, name)).not.toThrow();
    const stack = bareStack();
    expect(claimIn([stack, stack], kind, name)).toThrow("is also created by test;");
  });

  it("of a secret may be taken again in another project, also in the same stack", () => {
    const stack = bareStack();
    const make = (projectId: string) => new GeneratedSecret(stack, projectId, { ...ONE_KEY, projectId });
    make("one-project");
    expect(() => make("other-project")).not.toThrow();
  });
});
