import { rendered } from "../../../lib/core/expr/locals";
import { KubernetesIdentityProvider } from "../../../lib/kubernetes-identity-provider";
import { ServerlessIdentityProvider } from "../../../lib/serverless-identity-provider";
import { bareStack, type Block, type Terraform, terraformOf } from "../../support/synthesis";

const VARIANTS = [{ Variant: ServerlessIdentityProvider }, { Variant: KubernetesIdentityProvider }] as const;
type VariantCase = (typeof VARIANTS)[number];

const COMMON = { projectId: "demo-project", tenantId: "demo", alertEmails: ["admin@example.com"] };

function synthesized({ Variant }: VariantCase, props: object = {}) {
  const stack = bareStack({ providers: ["google", "kubernetes", "random"] });
  const { eventRetention } = new Variant(stack, "Idp", { ...COMMON, ...props });
  return { command: rendered(stack, eventRetention?.runCommand), terraform: terraformOf(stack) };
}

const addressesIn = ({ resource = {} }: Terraform): string[] =>
  Object.entries(resource).flatMap(([type, blocks]) => Object.keys(blocks as object).map((name) => `${type}.${name}`));

/** What there is for it with an audit log. */
function added(variant: VariantCase): string[] {
  const before = new Set(addressesIn(synthesized(variant).terraform));
  const after = addressesIn(synthesized(variant, { auditLog: {} }).terraform);
  return after.filter((address) => !before.has(address) && !address.includes("audit_log")).sort();
}

function jobOf(variant: VariantCase, auditLog: object): Block {
  const { resource = {} } = synthesized(variant, { auditLog }).terraform;
  const type = variant === VARIANTS[0] ? "google_cloud_run_v2_job" : "kubernetes_cron_job_v1";
  return (resource as Record<string, Record<string, Block>>)[type]?.idp_event_retention_job ?? {};
}

describe("How long the application keeps events", () => {
  it.each(VARIANTS)("leaves nothing in the folder without an audit log, with $Variant.name", (variant) => {
    const { command, terraform } = synthesized(variant);
    expect(command).toBeUndefined();
    expect(JSON.stringify(terraform)).not.toMatch(/event.?retention/i);
  });

  it("is on Cloud Run a job with a schedule, which runs as the server does and gets nothing but its script", () => {
    expect(added(VARIANTS[0])).toEqual([
      "google_cloud_run_v2_job.idp_event_retention_job",
      "google_cloud_run_v2_job_iam_member.idp_event_retention_job_may_start",
      "google_cloud_scheduler_job.idp_event_retention_job_schedule",
      "google_secret_manager_secret.idp_event_retention_job_script",
      "google_secret_manager_secret_iam_member.idp_event_retention_job_script_reader",
      "google_secret_manager_secret_version.idp_event_retention_job_script_version",
      "google_service_account.idp_event_retention_job_starter",
    ]);
    const { template } = jobOf(VARIANTS[0], {}) as { readonly template: { readonly template: Block } };
    expect(template.template).toMatchObject({
      max_retries: 2,
      service_account: "${google_service_account.idp_runtime.email}",
      timeout: "1800s",
    });
  });

  it("is on GKE a scheduled job, whose pods act as those of the server, with a copy of the password alone", () => {
    expect(added(VARIANTS[1])).toEqual([
      "google_service_account_iam_member.idp_cluster_runtime2",
      "kubernetes_config_map_v1.idp_event_retention_job_script",
      "kubernetes_cron_job_v1.idp_event_retention_job",
      "kubernetes_secret_v1.idp_event_retention_job_secrets",
      "kubernetes_service_account_v1.idp_event_retention_job_account",
    ]);
    expect(jobOf(VARIANTS[1], {}).spec).toMatchObject({ concurrency_policy: "Forbid", schedule: "20 1 * * *" });
    const { resource = {} } = synthesized(VARIANTS[1], { auditLog: {} }).terraform;
    const copies = JSON.stringify(resource.kubernetes_secret_v1?.idp_event_retention_job_secrets);
    expect(copies).toContain("DB_PASSWORD");
    expect(copies).not.toMatch(/SECRET_KEY|BOOTSTRAP/);
  });

  it.each(VARIANTS)("has the days of the input, 365 by default, with $Variant.name", (variant) => {
    for (const [auditLog, days] of [
      [{}, "365"],
      [{ eventDays: 30 }, "30"],
    ] as const) {
      const text = JSON.stringify(synthesized(variant, { auditLog }).terraform);
      expect(text).toContain(`"EVENT_DAYS":"${days}"`);
    }
  });

  it("is run at once by a command with the names of the deployment", () => {
    const [serverless, kubernetes] = VARIANTS.map((variant) => synthesized(variant, { auditLog: {} }).command);
    expect(serverless).toMatch(/^gcloud run jobs execute \S+-events --region=\S+ --project=demo-project --wait$/);
    expect(kubernetes).toMatch(/^kubectl --namespace=\S+ create job (\S+-events)-\$\(date \+%s\) --from=cronjob\/\1$/);
  });

  it.each(VARIANTS)("raises an alert when the job fails, with $Variant.name", (variant) => {
    expect(JSON.stringify(synthesized(variant, { auditLog: {} }).terraform)).toContain('"event-retention-failed"');
  });
});
