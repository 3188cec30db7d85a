import { rendered } from "../../../lib/core/expr/locals";
import { KubernetesIdentityProvider } from "../../../lib/kubernetes-identity-provider";
import { ServerlessIdentityProvider } from "../../../lib/serverless-identity-provider";
import { bareStack, type Block, type Terraform, terraformOf } from "../../support/synthesis";

const VARIANTS = [{ Variant: ServerlessIdentityProvider }, { Variant: KubernetesIdentityProvider }] as const;

const COMMON = { projectId: "demo-project", tenantId: "demo", alertEmails: ["admin@example.com"] };
const ACCESS = { recoveryAccess: { reader: "user:admin@example.com" } };

function synthesized({ Variant }: (typeof VARIANTS)[number], props: object = {}) {
  const stack = bareStack({ providers: ["google", "kubernetes", "random"] });
  const { recoveryAccess } = new Variant(stack, "Idp", { ...COMMON, ...props });
  const commands = rendered(stack, [recoveryAccess?.runCommand, recoveryAccess?.readCommand]) as string[];
  return { commands, terraform: terraformOf(stack) };
}

const made = (variant: (typeof VARIANTS)[number], props?: object): Terraform => synthesized(variant, props).terraform;

const addressesIn = ({ resource = {} }: Terraform): string[] =>
  Object.entries(resource).flatMap(([type, blocks]) => Object.keys(blocks as object).map((name) => `${type}.${name}`));

/** What there is with the way back in alone. */
function added(variant: (typeof VARIANTS)[number]): string[] {
  const before = new Set(addressesIn(made(variant)));
  return addressesIn(made(variant, ACCESS)).filter((address) => !before.has(address));
}

const blocksOf = ({ resource = {} }: Terraform, type: string): Readonly<Record<string, Block>> =>
  (resource as Record<string, Record<string, Block>>)[type] ?? {};

const jobOf = (variant: (typeof VARIANTS)[number], props: object = ACCESS): Block => {
  const type = variant === VARIANTS[0] ? "google_cloud_run_v2_job" : "kubernetes_cron_job_v1";
  return blocksOf(made(variant, props), type).idp_recovery_access_job ?? {};
};

const SHARED = [
  "google_secret_manager_secret.idp_recovery_access_link",
  "google_secret_manager_secret_iam_member.idp_recovery_access_link_reader",
  "google_secret_manager_secret_iam_member.idp_recovery_access_link_recoverer",
  "google_service_account.idp_recoverer",
];

describe("The way back in", () => {
  it.each(VARIANTS)("leaves nothing in the folder of who does not use it, with $Variant.name", (variant) => {
    const { commands, terraform } = synthesized(variant);
    expect(commands).toEqual([undefined, undefined]);
    // The alert about reads of secrets names the ends of all names.
    expect(JSON.stringify(terraform).replace(/\|recovery\|recovery-link/g, "")).not.toMatch(
      /recover(er|y.(acc|link))/i,
    );
  });

  it("is on Cloud Run a job that nothing starts, a secret, and an account that reads what the server needs", () => {
    expect(added(VARIANTS[0]).sort()).toEqual(
      [
        ...SHARED,
        "google_cloud_run_v2_job.idp_recovery_access_job",
        "google_project_iam_member.idp_recoverer_connects_to_database",
        "google_secret_manager_secret.idp_recovery_access_job_script",
        "google_secret_manager_secret_iam_member.idp_database_password_recoverer",
        "google_secret_manager_secret_iam_member.idp_recovery_access_job_script_reader",
        "google_secret_manager_secret_iam_member.idp_secrets_secret_key_recoverer",
        "google_secret_manager_secret_version.idp_recovery_access_job_script_version",
      ].sort(),
    );
  });

  it("is on GKE a suspended schedule with copies of what the server needs", () => {
    expect(added(VARIANTS[1]).sort()).toEqual(
      [
        ...SHARED,
        "google_project_iam_member.idp_recoverer_connects_to_database",
        "google_service_account_iam_member.idp_cluster_recoverer",
        "kubernetes_config_map_v1.idp_recovery_access_job_script",
        "kubernetes_cron_job_v1.idp_recovery_access_job",
        "kubernetes_secret_v1.idp_recovery_access_job_secrets",
        "kubernetes_service_account_v1.idp_recovery_access_job_account",
      ].sort(),
    );
    expect(jobOf(VARIANTS[1]).spec).toMatchObject({ suspend: true, schedule: "0 0 31 2 *" });
  });

  it.each(VARIANTS)(
    "lets one account read the link, and the job write it without reading it, with $Variant.name",
    (variant) => {
      const grants = blocksOf(made(variant, ACCESS), "google_secret_manager_secret_iam_member");
      const ofLink = Object.entries(grants).filter(([name]) => name.startsWith("idp_recovery_access_link"));
      expect(ofLink.map(([, { member, role }]) => [role, member])).toEqual([
        ["roles/secretmanager.secretAccessor", "user:admin@example.com"],
        ["roles/secretmanager.secretVersionManager", expect.stringContaining("google_service_account.idp_recoverer")],
      ]);
    },
  );

  it.each(VARIANTS)(
    "has no value of the secret in the folder, and no pause before it is destroyed, with $Variant.name",
    (variant) => {
      const terraform = made(variant, ACCESS);
      const versions = Object.values(blocksOf(terraform, "google_secret_manager_secret_version"));
      expect(versions.filter((version) => JSON.stringify(version).includes("recovery_access_link"))).toEqual([]);
      const secret = blocksOf(terraform, "google_secret_manager_secret").idp_recovery_access_link;
      expect(secret).not.toHaveProperty("version_destroy_ttl");
    },
  );

  it.each(VARIANTS)(
    "runs the application's image with its settings, and not its first password, with $Variant.name",
    (variant) => {
      const terraform = JSON.stringify(made(variant, ACCESS));
      const job = JSON.stringify(jobOf(variant));
      expect(job).toContain('["python3","-IS","/scripts/recovery-link.py"]');
      expect(job).toContain("IDP_SECRET_KEY");
      expect(job).not.toContain("BOOTSTRAP_PASSWORD");
      expect(terraform).toContain('"RECOVERY_MINUTES":"15"');
      expect(terraform).toContain('"RECOVERY_USER":""');
    },
  );

  it("stays for the longest link and its making, and is never tried again", () => {
    const { template } = jobOf(VARIANTS[0]) as { readonly template: { readonly template: Block } };
    expect(template.template).toMatchObject({ max_retries: 0, timeout: "4200s" });
  });

  it("is run and read by commands with the names of the deployment", () => {
    const [serverless, kubernetes] = VARIANTS.map((variant) => synthesized(variant, ACCESS).commands);
    expect(serverless?.[0]).toMatch(
      /^gcloud run jobs execute \S+-recovery --region=\S+ --project=demo-project --wait --update-env-vars=RECOVERY_USER=USERNAME$/,
    );
    expect(kubernetes?.[0]?.split(" | ")).toEqual([
      expect.stringMatching(
        /^kubectl --namespace=\S+ create job (\S+-recovery)-\$\(date \+%s\) --from=cronjob\/\1 --dry-run=client /,
      ),
      "kubectl set env --local --filename=- --containers=recovery --output=yaml RECOVERY_USER=USERNAME",
      expect.stringMatching(/^kubectl --namespace=\S+ create --filename=-$/),
    ]);
    for (const commands of [serverless, kubernetes])
      expect(commands?.[1]).toMatch(
        /^gcloud secrets versions access latest --secret=\S+-recovery-link --project=demo-project$/,
      );
  });
});
