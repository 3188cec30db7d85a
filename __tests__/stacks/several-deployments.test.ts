import { KubernetesProvider } from "@cdktf/provider-kubernetes/lib/provider";
import { App, TerraformStack, TerraformVariable } from "cdktf";

import { ServerlessIdentityProvider } from "../../lib";
import { KubernetesIdentityProvider } from "../../lib/kubernetes";
import { brokenRules } from "../support/broken-rules";
import { bareStack, resourceAddresses, type Terraform, terraformOf, terraformWith } from "../support/synthesis";
import { ConfigurationGraph } from "./configuration-graph";
import { kubernetesTerraform } from "./kubernetes-stack";
import { serverlessTerraform } from "./serverless-stack";

/** Addresses of one deployment, without the deployment's own name. */
const addressesOf = (terraform: Terraform, id: string) =>
  resourceAddresses(terraform)
    .filter((address) => address.includes(`.${id}_`))
    .map((address) => address.replace(`.${id}_`, "."));

/** Elements of one deployment that refer to the other. */
const mixedUp = (terraform: Terraform, id: string, other: string) => {
  const graph = new ConfigurationGraph(terraform);
  return graph.elements
    .filter((element) => element.includes(`.${id}_`))
    .filter((element) => graph.namedBy(element).some((named) => named.includes(`.${other}_`)));
};

it("In one stack two deployments on Kubernetes have a cluster each, and every object is put into its own", () => {
  const terraform = terraformWith(
    (stack) => {
      for (const [id, tenantId] of [
        ["First", "acme"],
        ["Second", "umbrella"],
      ] as const)
        new KubernetesIdentityProvider(stack, id, { projectId: "demo-project", tenantId });
    },
    bareStack({ providers: ["google", "kubernetes", "random"] }),
  );
  expect(addressesOf(terraform, "second")).toEqual(addressesOf(terraform, "first"));
  expect([...mixedUp(terraform, "first", "second"), ...mixedUp(terraform, "second", "first")]).toEqual([]);

  const host = (id: string) => `https://\${google_container_cluster.${id}_cluster.endpoint}`;
  expect(terraform.provider?.kubernetes?.map(({ alias, host: address }) => [alias, address])).toEqual([
    [undefined, host("first")],
    ["test_second", host("second")],
  ]);
  const objects = Object.entries(terraform.resource ?? {}).flatMap(([type, elements]) =>
    Object.entries(elements)
      .filter(() => type.startsWith("kubernetes_"))
      .map(([id, { provider }]) => [id.split("_")[0], provider]),
  );
  expect(objects.length).toBeGreaterThan(20);
  expect(objects).toEqual(objects.map(([id]) => [id, id === "first" ? undefined : "kubernetes.test_second"]));
});

it("A provider of Kubernetes that is added after a deployment, without an alias, is refused before Terraform would", () => {
  const stack = bareStack({ providers: ["google", "kubernetes", "random"] });
  new KubernetesIdentityProvider(stack, "Idp", { projectId: "demo-project" });
  new KubernetesProvider(stack, "kubernetes", { configPath: "~/.kube/config" });
  expect(() => terraformOf(stack)).toThrow(
    brokenRules("test", [
      "test/Idp/kubernetes and test/kubernetes configure the provider kubernetes, both without an alias; only one may, because Terraform takes it by default; give the second an alias, or add it before the first, which then gets one",
    ]),
  );
});

it("A provider of Kubernetes that is added before a deployment stays the default", () => {
  const terraform = terraformWith(
    (stack) => {
      new KubernetesProvider(stack, "kubernetes", { configPath: "~/.kube/config" });
      new KubernetesIdentityProvider(stack, "Idp", { projectId: "demo-project" });
    },
    bareStack({ providers: ["google", "kubernetes", "random"] }),
  );
  expect(terraform.provider?.kubernetes?.map(({ alias }) => alias)).toEqual([undefined, "test_idp"]);
});

describe("Two deployments of one tenant in a project", () => {
  const PROJECT = { projectId: "demo-project" };

  it("are refused in one stack, whichever platforms they are on, also where variables name the tenant", () => {
    const stack = bareStack({ providers: ["google", "kubernetes", "random"] });
    const tenantId = new TerraformVariable(stack, "tenant", { type: "string" }).stringValue;
    new KubernetesIdentityProvider(stack, "First", PROJECT);
    new ServerlessIdentityProvider(stack, "Second", { ...PROJECT, tenantId });
    expect(() => new ServerlessIdentityProvider(stack, "Third", PROJECT)).toThrow(
      brokenRules("test/Third", [
        "projectId, tenantId and applicationName are those of test/First; one of them must differ, because all names consist of them, and the apply would end at the first one that exists; give it a tenantId or an applicationName of its own",
      ]),
    );
    expect(() => new KubernetesIdentityProvider(stack, "Fourth", { ...PROJECT, tenantId })).toThrow(
      "projectId, tenantId and applicationName are those of test/Second; ",
    );
    new KubernetesIdentityProvider(stack, "Fifth", { ...PROJECT, applicationName: "other" });
  });

  it("are refused in two stacks of one app where literals name the tenant, because variables may differ", () => {
    const stack = bareStack({ providers: ["google", "kubernetes", "random"] });
    const other = new TerraformStack(App.of(stack), "other");
    const tenantIn = (scope: TerraformStack) => new TerraformVariable(scope, "tenant", { type: "string" }).stringValue;
    new KubernetesIdentityProvider(stack, "First", PROJECT);
    for (const scope of [stack, other])
      new ServerlessIdentityProvider(scope, "Second", { ...PROJECT, tenantId: tenantIn(scope) });
    expect(() => new ServerlessIdentityProvider(other, "Third", PROJECT)).toThrow(
      "projectId, tenantId and applicationName are those of test/First; ",
    );
    new ServerlessIdentityProvider(other, "Fourth", { ...PROJECT, tenantId: "globex" });
  });

  it("in folders of their own collide at a secret, before anything is made that is billed or has another name", () => {
    const [serverless, kubernetes] = [serverlessTerraform(), kubernetesTerraform()];
    const namesOf = ({ resource = {} }: Terraform) =>
      Object.entries(resource.google_secret_manager_secret ?? {}).map(
        ([id, { secret_id: name }]) => [id, name] as const,
      );
    const common = namesOf(serverless)
      .filter((one) => namesOf(kubernetes).some((other) => JSON.stringify(one) === JSON.stringify(other)))
      .map(([id]) => `google_secret_manager_secret.${id}`);
    for (const terraform of [serverless, kubernetes]) {
      const graph = new ConfigurationGraph(terraform);
      const billed = graph.elements.filter((element) => BILLED.test(element));
      expect(billed.length).toBeGreaterThan(15);
      expect(billed.filter((element) => !graph.startsAfter(element).some((each) => common.includes(each)))).toEqual([]);
    }
  });
});

/** What is billed, and what belongs to an address or a domain. */
const BILLED = /^google_(certificate_manager|cloud_run|compute|container|dns|sql)_/;
