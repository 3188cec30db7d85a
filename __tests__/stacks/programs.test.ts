import { ComputeNetwork } from "@cdktf/provider-google/lib/compute-network";
import { DataGoogleComputeNetwork } from "@cdktf/provider-google/lib/data-google-compute-network";
import { KmsCryptoKey } from "@cdktf/provider-google/lib/kms-crypto-key";
import {
  App,
  conditional,
  TerraformHclModule,
  TerraformLocal,
  TerraformOutput,
  TerraformStack,
  TerraformVariable,
  Token,
} from "cdktf";

import { ServerlessIdentityProvider, type ServerlessIdentityProviderProps } from "../../lib";
import { KubernetesIdentityProvider } from "../../lib/kubernetes";
import {
  type BareStack,
  bareStack,
  type Block,
  resourceAddresses,
  resourceOf,
  terraformOf,
} from "../support/synthesis";

type Props = Omit<ServerlessIdentityProviderProps, "projectId">;

/** A program with an identity provider, and what it synthesizes. */
function programOf(propsIn: (stack: BareStack) => Props) {
  const stack = bareStack({ providers: ["google", "random"] });
  const idp = new ServerlessIdentityProvider(stack, "Idp", { projectId: "demo-project", ...propsIn(stack) });
  return { idp, terraform: terraformOf(stack) };
}

const resourcesIn = ({ resource = {} }: ReturnType<typeof terraformOf>) =>
  Object.values(resource).flatMap((blocks) => Object.values(blocks));

const KEY = "projects/keys/locations/us-central1/keyRings/ring/cryptoKeys/key";
const NETWORK = "projects/demo-project/global/networks/vpc";
const SUBNETWORK = "projects/demo-project/regions/us-central1/subnetworks/vpc";

describe("The smallest program", () => {
  it.each([
    { Variant: ServerlessIdentityProvider, most: 53 },
    { Variant: KubernetesIdentityProvider, most: 70 },
  ])("makes everything that is in its folder: $Variant.name", ({ Variant, most }) => {
    const stack = bareStack({ providers: ["google", "kubernetes", "random"] });
    new Variant(stack, "Idp", { projectId: "demo-project" });
    const terraform = terraformOf(stack);
    expect(resourceAddresses(terraform).length).toBeLessThanOrEqual(most);
    expect(resourcesIn(terraform).filter((block) => "count" in block)).toEqual([]);
  });

  it("refuses to take a network away that it had, by a block for the guard that is gone", () => {
    const { removed } = programOf(() => ({})).terraform as unknown as { readonly removed: readonly Block[] };
    expect(removed).toEqual([
      {
        from: "terraform_data.idp_presence_guard",
        lifecycle: { destroy: true },
        provisioner: [{ "local-exec": expect.objectContaining({ when: "destroy" }) as unknown }],
      },
    ]);
    const { terraform } = programOf(() => ({ network: { network: NETWORK, subnetwork: SUBNETWORK } }));
    expect(terraform).not.toHaveProperty("removed");
    expect(resourceOf(terraform, "terraform_data", "idp_presence_guard")).not.toHaveProperty("count");
  });
});

/** The same domain and network in each form that a program may give. */
const FORMS: readonly (readonly [form: string, textIn: (stack: BareStack) => string, written: string])[] = [
  ["a literal", () => "vpc", "vpc"],
  [
    "a resource's attribute",
    (stack) => new ComputeNetwork(stack, "vpc", { name: "vpc" }).name,
    "${google_compute_network.vpc.name}",
  ],
  [
    "a data source",
    (stack) => new DataGoogleComputeNetwork(stack, "vpc", { name: "vpc" }).name,
    "${data.google_compute_network.vpc.name}",
  ],
  [
    "a module's output",
    (stack) => new TerraformHclModule(stack, "vpc", { source: "git::https://example.com/vpc.git" }).getString("name"),
    "${module.vpc.name}",
  ],
  ["a variable", (stack) => new TerraformVariable(stack, "vpc", { type: "string" }).stringValue, "${var.vpc}"],
  [
    "a local of an attribute",
    (stack) => new TerraformLocal(stack, "name", new ComputeNetwork(stack, "vpc", { name: "vpc" }).name).asString,
    "${local.name}",
  ],
  [
    "a choice",
    (stack) => {
      const variable = new TerraformVariable(stack, "vpc", { type: "bool" });
      return Token.asString(conditional(variable.booleanValue, "one", "two"));
    },
    '${var.vpc ? "one" : "two"}',
  ],
];

describe("Text around what a program gives", () => {
  it.each(FORMS)("is text in each argument, and decides at synthesis: %s", (_form, textIn, written) => {
    const { idp, terraform } = programOf((stack) => {
      const text = textIn(stack);
      return {
        domain: `sign-in.${text}`,
        network: {
          network: `projects/demo-project/global/networks/${text}`,
          subnetwork: `projects/demo-project/regions/us-central1/subnetworks/${text}`,
        },
        imageMirror: `mirror.example.com/${text}`,
        existingServiceAccounts: { service: `${text}@demo-project.iam.gserviceaccount.com` },
      };
    });
    const { settings } = resourceOf(terraform, "google_sql_database_instance", "idp_database") as {
      settings: { ip_configuration: Block };
    };
    expect(settings.ip_configuration).toMatchObject({
      ipv4_enabled: false,
      private_network: `projects/demo-project/global/networks/${written}`,
    });
    const { managed } = resourceOf(terraform, "google_certificate_manager_certificate", "idp_edge_certificate");
    expect(managed).toMatchObject({ domains: [`sign-in.${written}`] });
    expect(terraform.resource?.google_service_account).not.toHaveProperty("idp_runtime");
    expect(resourcesIn(terraform).filter((block) => "count" in block)).toEqual([]);
    expect(idp.internalLoadBalancer).toBeUndefined();
    // Text without quotes would be a name, or an operation.
    expect(JSON.stringify(terraform)).not.toMatch(/[({[ ](sign-in\.|mirror\.example)[^"\s]* (==|!=|\?)/);
  });
});

describe("A value that may be null at plan", () => {
  it("is left to the plan, as a variable is", () => {
    const { terraform } = programOf((stack) => {
      const domain = new TerraformVariable(stack, "domain", { type: "string" }).stringValue;
      return { domain };
    });
    const { count } = resourceOf(terraform, "google_certificate_manager_certificate", "idp_edge_certificate");
    expect(count).toBe("${var.domain != null ? 1 : 0}");
  });
});

describe.each([{ Variant: ServerlessIdentityProvider }, { Variant: KubernetesIdentityProvider }])(
  "The URL of a program with $Variant.name, in another stack of the app,",
  ({ Variant }) => {
    /** What the other stack has of the URL, beside an identity provider with a domain. */
    const urlFor = (domainIn: (stack: BareStack) => string) => {
      const stack = bareStack({ providers: ["google", "kubernetes", "random"] });
      const { url } = new Variant(stack, "Idp", { projectId: "demo-project", domain: domainIn(stack) });
      const other = new TerraformStack(App.of(stack), "other");
      new TerraformOutput(other, "page", { value: `${url}/if/user/` });
      return terraformOf(other).output?.page?.value;
    };

    it("is plain text where the domain is a literal", () => {
      expect(urlFor(() => "sign-in.example.com")).toBe("https://sign-in.example.com/if/user/");
    });

    it.each(FORMS.filter(([form]) => form !== "a literal"))("is refused by name around %s", (_, textIn) => {
      const refused =
        /other: 1 problem\n {2}- this stack refers to [\w.]+ of test; .* give both stacks the same literal/;
      expect(() => urlFor((stack) => `sign-in.${textIn(stack)}`)).toThrow(refused);
    });
  },
);

describe("A domain on a network", () => {
  const network = { network: NETWORK, subnetwork: SUBNETWORK };
  const domain = "sign-in.example.com";

  it("has the load balancer that its literals choose, and nothing of the other", () => {
    const external = programOf(() => ({ domain, network }));
    expect(external.idp.loadBalancer).toBeDefined();
    expect(external.idp.internalLoadBalancer).toBeUndefined();
    const internal = programOf(() => ({
      domain,
      network,
      loadBalancer: "internal",
      loadBalancerProxyRange: "10.129.0.0/26",
      closeDefaultAddress: true,
    }));
    expect(internal.idp.loadBalancer).toBeUndefined();
    expect(internal.idp.internalLoadBalancer).toBeDefined();
    const { ip_cidr_range: range } = resourceOf(
      internal.terraform,
      "google_compute_subnetwork",
      "idp_internal_load_balancer_proxies",
    );
    expect(range).toBe("10.129.0.0/26");
    for (const { terraform } of [external, internal])
      expect(JSON.stringify(terraform).includes(") is null")).toBe(false);
  });

  it("has the records of the load balancer that there is", () => {
    const stack = bareStack();
    const { dns } = new ServerlessIdentityProvider(stack, "Idp", {
      projectId: "demo-project",
      domain,
      network,
      loadBalancer: "internal",
      closeDefaultAddress: true,
    });
    stack.addOutputs({
      records: { value: dns.records, description: "" },
      steps: { value: dns.nextSteps, description: "" },
    });
    const { records, steps } = terraformOf(stack).output ?? {};
    const text = String(records?.value);
    expect(text).toContain(`idp_internal_load_balancer_address[*].address : { name = "${domain}", type = "A"`);
    expect(`${text} ${String(steps?.value)}`).not.toContain("undefined");
  });
});

describe.each([{ Variant: ServerlessIdentityProvider }, { Variant: KubernetesIdentityProvider }])(
  "Existing service accounts of a program with $Variant.name",
  ({ Variant }) => {
    it.each(["service", "job", "dump", "checkUp", "signInProbe", "recovery", "build", "nodes"])(
      "leave nothing behind of the account that is not made: %s",
      (member) => {
        const stack = bareStack({ providers: ["google", "kubernetes", "random"] });
        new Variant(stack, "Idp", {
          projectId: "demo-project",
          alertEmails: ["admin@example.com"],
          domain: "login.example.com",
          dumps: { schedule: "30 4 * * *" },
          signInProbe: {},
          recoveryAccess: { reader: "user:admin@example.com" },
          existingServiceAccounts: { [member]: "shared@demo-project.iam.gserviceaccount.com" },
        });
        const terraform = terraformOf(stack);
        expect(JSON.stringify(terraform)).not.toContain("${null}");
        expect(resourcesIn(terraform).filter((block) => "count" in block)).toEqual([]);
      },
    );
  },
);

/** Types with an argument for a key, of those that the variants make. */
const ENCRYPTED = [
  "google_artifact_registry_repository",
  "google_cloud_run_v2_job",
  "google_cloud_run_v2_service",
  "google_cloud_run_v2_worker_pool",
  "google_container_cluster",
  "google_logging_project_bucket_config",
  "google_secret_manager_secret",
  "google_sql_database_instance",
  "google_storage_bucket",
];

/** Types whose images the project's policy judges. */
const JUDGED = ENCRYPTED.filter((type) => /_run_|_cluster$/.test(type));

describe("Keys of Cloud KMS", () => {
  it.each<[string, Props["kmsKeys"], string[]]>([
    ["a default alone", { default: KEY }, []],
    ["one of the database, with the number of the project", { database: KEY, projectNumber: "123" }, ["sqladmin"]],
  ])("are used where they are given, and granted only with a number: %s", (_, kmsKeys, granted) => {
    const { terraform } = programOf(() => ({ kmsKeys }));
    const agents = Object.keys(terraform.resource?.google_kms_crypto_key_iam_member ?? {});
    expect(agents).toEqual(granted.map((agent) => `idp_key_grants_${agent}_encrypts`));
    const { encryption_key_name: ofDatabase } = resourceOf(terraform, "google_sql_database_instance", "idp_database");
    expect(ofDatabase).toBe("${local.idp_usable_kms_keys.database}");
    const repository = resourceOf(terraform, "google_artifact_registry_repository", "idp_registry");
    expect("kms_key_name" in repository).toBe(granted.length === 0);
  });

  it.each([{ Variant: ServerlessIdentityProvider }, { Variant: KubernetesIdentityProvider }])(
    "encrypt whatever can be encrypted, and admit only approved images: $Variant.name",
    ({ Variant }) => {
      const stack = bareStack({ providers: ["google", "kubernetes", "random"] });
      new Variant(stack, "Idp", {
        projectId: "demo-project",
        binaryAuthorization: true,
        kmsKeys: { default: KEY },
        alertEmails: ["admin@example.com"],
        auditLog: {},
        domain: "login.example.com",
        dumps: { schedule: "30 4 * * *" },
        recoveryAccess: { reader: "user:admin@example.com" },
        signInProbe: {},
        workerMode: "separate",
      });
      const made = Object.entries(terraformOf(stack).resource ?? {}).flatMap(([type, blocks]) =>
        Object.entries(blocks).map(([name, block]) => ({ type, name, text: JSON.stringify(block) })),
      );
      const without = (types: readonly string[], word: string) =>
        made.filter(({ text, type }) => types.includes(type) && !text.includes(word)).map(({ name }) => name);
      expect(made.filter(({ type }) => ENCRYPTED.includes(type)).length).toBeGreaterThan(10);
      expect(without(ENCRYPTED, "usable_kms_keys")).toEqual([]);
      expect(without(JUDGED, "binary_authorization")).toEqual([]);
    },
  );

  it("may be the key of another resource, whose name a plan does not know", () => {
    const { terraform } = programOf((stack) => {
      const { id } = new KmsCryptoKey(stack, "key", { name: "key", keyRing: "ring" });
      return { kmsKeys: { default: id } };
    });
    expect(terraform.locals?.idp_usable_kms_keys).toMatchObject({
      database: "${try(local.idp_given_kms_keys.default, null)}",
    });
    expect(terraform.locals?.idp_given_kms_keys).toMatchObject({
      default: "${tostring(google_kms_crypto_key.key.id)}",
    });
    expect(resourcesIn(terraform).filter((block) => "count" in block)).toEqual([]);
  });
});
