import { KubernetesIdentityProvider } from "../../../lib/kubernetes-identity-provider";
import { ServerlessIdentityProvider } from "../../../lib/serverless-identity-provider";
import { bareStack, type Block, type Terraform, terraformOf } from "../../support/synthesis";

const VARIANTS = [{ Variant: ServerlessIdentityProvider }, { Variant: KubernetesIdentityProvider }] as const;

const COMMON = { projectId: "demo-project", domain: "login.example.com", alertEmails: ["admin@example.com"] };

const INTERNAL = {
  loadBalancer: "internal",
  loadBalancerProxyRange: "10.129.0.0/26",
  network: {
    network: "projects/demo-project/global/networks/lan",
    subnetwork: "projects/demo-project/regions/us-central1/subnetworks/lan",
  },
  closeDefaultAddress: true,
  certificateValidation: "dns",
};

function made({ Variant }: (typeof VARIANTS)[number], props: object = {}): Terraform {
  const stack = bareStack({ providers: ["google", "kubernetes", "random"] });
  new Variant(stack, "Idp", { ...COMMON, ...props });
  return terraformOf(stack);
}

const addressesIn = ({ resource = {} }: Terraform): string[] =>
  Object.entries(resource).flatMap(([type, blocks]) => Object.keys(blocks as object).map((name) => `${type}.${name}`));

/** What there is with the probe alone. */
function added(variant: (typeof VARIANTS)[number]): string[] {
  const before = new Set(addressesIn(made(variant)));
  return addressesIn(made(variant, { signInProbe: {} })).filter((address) => !before.has(address));
}

const blockAt = ({ resource = {} }: Terraform, type: string, ending: string): Block => {
  const found = Object.entries((resource as Record<string, Record<string, Block>>)[type] ?? {});
  return found.find(([name]) => name.endsWith(ending))?.[1] ?? {};
};

const SHARED = [
  "google_secret_manager_secret.idp_secrets_sign_in_probe_password",
  "google_secret_manager_secret_version.idp_secrets_sign_in_probe_password_version",
  "google_service_account.idp_prober",
];

describe("The sign-in probe", () => {
  it.each(VARIANTS)("leaves nothing in the folder of who does not use it, with $Variant.name", (variant) => {
    expect(JSON.stringify(made(variant))).not.toMatch(/sign.in.probe|prober/i);
  });

  it("is on Cloud Run a job, its schedule, two accounts and a password, each account with its own rights alone", () => {
    expect(added(VARIANTS[0]).sort()).toEqual(
      [
        ...SHARED,
        "google_cloud_run_v2_job.idp_sign_in_probe_job",
        "google_cloud_run_v2_job_iam_member.idp_sign_in_probe_job_may_start",
        "google_cloud_scheduler_job.idp_sign_in_probe_job_schedule",
        "google_secret_manager_secret.idp_sign_in_probe_job_script",
        "google_secret_manager_secret_iam_member.idp_secrets_sign_in_probe_password_prober",
        "google_secret_manager_secret_iam_member.idp_secrets_sign_in_probe_password_runtime",
        "google_secret_manager_secret_iam_member.idp_sign_in_probe_job_script_reader",
        "google_secret_manager_secret_version.idp_sign_in_probe_job_script_version",
        "google_service_account.idp_sign_in_probe_job_starter",
      ].sort(),
    );
  });

  it("is on GKE a job with a copy of the password, and an account without any right in the project", () => {
    expect(added(VARIANTS[1]).sort()).toEqual(
      [
        ...SHARED,
        "google_service_account_iam_member.idp_cluster_prober",
        "kubernetes_config_map_v1.idp_sign_in_probe_job_script",
        "kubernetes_cron_job_v1.idp_sign_in_probe_job",
        "kubernetes_secret_v1.idp_sign_in_probe_job_secrets",
        "kubernetes_service_account_v1.idp_sign_in_probe_job_account",
      ].sort(),
    );
  });

  it.each(VARIANTS)(
    "connects as users do, and knows nothing of database and secret key, with $Variant.name",
    (variant) => {
      const type = variant === VARIANTS[0] ? "google_cloud_run_v2_job" : "kubernetes_cron_job_v1";
      const job = JSON.stringify(blockAt(made(variant, { signInProbe: {} }), type, "sign_in_probe_job"));
      expect(job).toContain('"IDP_URL":"https://login.example.com"');
      expect(job).toContain('["python3","-IS","/scripts/sign-in-probe.py"]');
      expect(job).not.toMatch(/DB_|SECRET_KEY|cloudsql|sql-proxy/);
    },
  );

  it.each<[what: string, variant: (typeof VARIANTS)[number], ending: RegExp, props: object]>([
    ["on Cloud Run", VARIANTS[0], /global_forwarding_rule[.]\w+https_rule$/, {}],
    ["inside of a network", VARIANTS[0], /compute_forwarding_rule[.]\w+https_rule$/, INTERNAL],
    ["on GKE", VARIANTS[1], /terraform_data[.]\w+_load_balancer_settings$/, {}],
  ])("comes after what serves the domain that it calls %s", (_, variant, rule, props) => {
    const type = variant === VARIANTS[0] ? "google_cloud_run_v2_job" : "kubernetes_cron_job_v1";
    const { depends_on: first } = blockAt(made(variant, { signInProbe: {}, ...props }), type, "sign_in_probe_job");
    expect(first).toContainEqual(expect.stringMatching(rule));
  });

  it.each(VARIANTS)("brings its blueprint beside those that are asked for, with $Variant.name", (variant) => {
    const { locals } = made(variant, { blueprints: ["branding"], signInProbe: {} });
    expect(JSON.stringify(locals)).toContain('for name in [\\"branding\\", \\"sign-in-probe\\"]');
  });

  it("counts as missing after three periods of its own schedule", () => {
    const { locals } = made(VARIANTS[0], { signInProbe: { schedule: "*/30 * * * *" } });
    expect(JSON.stringify(locals)).toMatch(/job_name=[^,]*-sign-in[^[]*\[90m\]/);
  });

  it("has the client that it is given, and none by default", () => {
    const jobOf = (probe: object) =>
      JSON.stringify(
        blockAt(made(VARIANTS[0], { signInProbe: probe }), "google_cloud_run_v2_job", "sign_in_probe_job"),
      );
    expect(jobOf({})).toContain('"SIGN_IN_PROBE_CLIENT_ID":""');
    const client = { clientId: "probe", redirectUri: "https://app.example.com/callback" };
    expect(jobOf(client)).toContain('"SIGN_IN_PROBE_REDIRECT_URI":"https://app.example.com/callback"');
  });
});
