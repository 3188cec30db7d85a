import { ServerlessIdentityProvider } from "../../lib";
import { PUBLIC_IMAGES, referenceTo } from "../../lib/idp/images";
import { KubernetesIdentityProvider } from "../../lib/kubernetes";
import { bareStack, terraformOf } from "../support/synthesis";
import { pageOf } from "../tools/pages";

const MIRROR = "europe-docker.pkg.dev/my-project/mirror";
const DIGEST = /@sha256:[0-9a-f]{64}$/;

/** All images of a deployment that are not its own, from containers and for the build. */
function imagesOf(
  Variant: typeof KubernetesIdentityProvider | typeof ServerlessIdentityProvider,
  imageMirror?: string,
) {
  const stack = bareStack({ providers: ["google", "kubernetes", "random"] });
  const licenseKeySecret = { secretId: "maxmind", version: 1 };
  const further = Variant === KubernetesIdentityProvider ? { geoip: { accountId: 1, licenseKeySecret } } : {};
  const alertEmails = ["on-call@example.com"];
  const common = {
    projectId: "demo-project",
    tenantId: "demo",
    dumps: { schedule: "30 4 * * *" },
    alertEmails,
    imageMirror,
  };
  new Variant(stack, "Idp", { ...common, ...further });
  const found: string[] = [];
  JSON.stringify(terraformOf(stack), (key, value: unknown) => {
    if (/^(image|[A-Z]+_IMAGE)$/.test(key) && typeof value === "string") found.push(value);
    return value;
  });
  return [...new Set(found)].filter((image) => !image.includes("local.") && !image.includes("idp_image"));
}

it.each([
  ["Cloud Run", ServerlessIdentityProvider],
  ["GKE", KubernetesIdentityProvider],
] as const)(
  "On %s, every public image has a digest but that of the application, with and without a mirror",
  (_, Variant) => {
    const [direct, mirrored] = [imagesOf(Variant), imagesOf(Variant, MIRROR)];
    const application = "/goauthentik/server";
    expect(direct.filter((image) => !image.endsWith(application) && !DIGEST.test(image))).toEqual([]);
    expect(mirrored.filter((image) => !image.startsWith(`${MIRROR}/`))).toEqual([]);
    const withoutHost = (image: string) => image.slice(image.indexOf("/"));
    expect(mirrored.map((image) => image.slice(MIRROR.length))).toEqual(direct.map(withoutHost));
    expect(direct.length).toBeGreaterThanOrEqual(4);
  },
);

it("The page names every image that a mirror needs", () => {
  const { text } = pageOf("stacks/guides/keys-and-mirrors.md");
  for (const image of Object.values(PUBLIC_IMAGES)) expect(text).toContain(referenceTo(image, undefined));
});
