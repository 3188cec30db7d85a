import { KubernetesIdentityProvider } from "../../lib/kubernetes";
import { bareStack, resourceAddresses, terraformWith, type Terraform } from "../support/synthesis";
import { ConfigurationGraph } from "./configuration-graph";

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
