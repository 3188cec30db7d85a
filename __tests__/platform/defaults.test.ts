import { ServerlessIdentityProvider } from "../../lib";
import { KubernetesIdentityProvider } from "../../lib/kubernetes";
import { atDefaults } from "../stacks/default-values";
import { kubernetesTerraform } from "../stacks/kubernetes-stack";
import { serverlessTerraform } from "../stacks/serverless-stack";
import { bareStack, terraformOf } from "../support/synthesis";

/** What has no default, and what there is nothing of by default. */
const PROPS = {
  projectId: "demo-project",
  tenantId: "demo",
  dnsZone: { name: "example-com" },
  domain: "login.example.com",
  dumpSchedule: "0 3 * * *",
  smtp: { host: "smtp.example.com", from: "idp@example.com" },
  workerMode: "separate",
};

/** Every text below a value, with what another value has at its place. */
const textsIn = (value: unknown, other: unknown, place: string): { place: string; text: string; has: unknown }[] => {
  if (typeof value === "string") return [{ place, text: value, has: other }];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) =>
    textsIn(item, (other as Record<string, unknown> | undefined)?.[name], `${place}.${name}`),
  );
};

describe.each([
  { Variant: ServerlessIdentityProvider, shipped: serverlessTerraform() },
  { Variant: KubernetesIdentityProvider, shipped: kubernetesTerraform() },
])("What a program leaves out of $Variant.name", ({ Variant, shipped }) => {
  const stack = bareStack({ providers: ["google", "kubernetes", "random"] });
  new Variant(stack, "Idp", PROPS);
  const { resource: own = {} } = terraformOf(stack);

  const hasDefault = (name: string) => name !== "worker_mode" && (shipped.variable?.[name]?.default ?? null) !== null;
  const isOfDefaults = (text: string) => {
    const inputs = [...text.matchAll(/\bvar\.(\w+)/g)].map(([, name = ""]) => name);
    return inputs.length > 0 && inputs.every(hasDefault);
  };

  /** Fields of the stack that its inputs alone decide, as they are while nobody sets those. */
  const fields = Object.entries(shipped.resource ?? {}).flatMap(([type, elements]) =>
    Object.entries(elements)
      .flatMap(([id, block]) => textsIn(block, own[type]?.[`idp_${id}`], `${type}.${id}`))
      .filter(({ text }) => isOfDefaults(text))
      .map(({ has = false, place, text }) => ({ place, has: String(has), given: String(atDefaults(shipped, text)) }))
      .filter(({ given }) => !given.includes("${")),
  );

  it("is as in the stack while nobody sets its inputs", () => {
    expect(fields.length).toBeGreaterThan(70);
    expect(fields.filter(({ given, has }) => has !== given)).toEqual([]);
  });
});
