import { KubernetesIdentityProvider } from "../../../lib/kubernetes-identity-provider";
import {
  ServerlessIdentityProvider,
  type ServerlessIdentityProviderProps,
} from "../../../lib/serverless-identity-provider";
import { serverlessTerraform } from "../../stacks/serverless-stack";
import { bareStack, type Block, type Terraform, terraformOf } from "../../support/synthesis";

const PROVIDERS = { kubernetes: KubernetesIdentityProvider, serverless: ServerlessIdentityProvider } as const;
type Platform = keyof typeof PROVIDERS;
type Props = Omit<ServerlessIdentityProviderProps, "projectId">;

function madeOn(platform: Platform, props: Props): Terraform {
  const stack = bareStack();
  new PROVIDERS[platform](stack, "Idp", { projectId: "my-project", ...props });
  return terraformOf(stack);
}

const instanceOf = ({ resource }: Terraform): Block => resource?.google_sql_database_instance?.idp_database ?? {};
const messagesOf = (instance: Block): string[] =>
  (instance.lifecycle as { readonly postcondition: readonly { readonly error_message: string }[] }).postcondition.map(
    ({ error_message: message }) => message,
  );

const PLAN = "projects/acme-backups/locations/us-central1/backupPlans/daily";
const PLANNED = { existingBackupPlan: PLAN, backupBeforeUpgrade: false } as const;

describe.each(["serverless", "kubernetes"] as const)("A backup plan of the organization, on %s", (platform) => {
  it("leaves backups and logs of the instance as they are, whatever else changes of it", () => {
    const instance = instanceOf(madeOn(platform, PLANNED));
    expect(instance.settings).not.toHaveProperty("backup_configuration");
    expect(instance.settings).not.toHaveProperty("dynamic.backup_configuration");
    expect(messagesOf(instance).filter((message) => message.includes("backups"))).toEqual([]);
  });

  it("is missing by default, and a database without backups is told how to name one", () => {
    const instance = instanceOf(madeOn(platform, {}));
    expect(instance).toMatchObject({ settings: { backup_configuration: { enabled: true, start_time: "02:00" } } });
    expect(messagesOf(instance).filter((message) => message.includes("attached a backup plan"))).toHaveLength(1);
  });

  it("is named by the plan of an instance to which one is attached, unless it is given", () => {
    const saysSo = (props: Props) =>
      messagesOf(instanceOf(madeOn(platform, props))).filter((message) => message.includes("is attached to"));
    expect(saysSo({})).toEqual([
      expect.stringMatching(
        /^a backup plan of Backup and DR is attached to sql-\S+ and existingBackupPlan is not given;/,
      ),
    ]);
    expect(saysSo(PLANNED)).toEqual([]);
  });

  it("ends the alerts about the backups of Cloud SQL, and no others of the database", () => {
    const idsIn = (props: Props): string[] => {
      const table = madeOn(platform, { alertEmails: ["on-call@example.com"], ...props }).locals;
      return Object.keys(table?.idp_monitoring_table as Block);
    };
    const former = idsIn({});
    expect(former).toEqual(expect.arrayContaining(["backup-failed", "no-backup"]));
    expect(former.filter((id) => !idsIn(PLANNED).includes(id))).toEqual(["backup-failed", "no-backup"]);
  });

  it("is what a destroy is said to leave", () => {
    const text = JSON.stringify(madeOn(platform, PLANNED));
    expect(text).toContain(`what the backup plan ${PLAN} keeps of sql-`);
  });

  it.each([
    [
      { existingBackupPlan: PLAN },
      /existingBackupPlan is given; it needs backupBeforeUpgrade false, because the plan makes the backups/,
    ],
    [{ ...PLANNED, existingBackupPlan: "daily" }, /be the name of a plan in full/],
  ] as const)("is refused with %j", (props, said) => {
    expect(() => madeOn(platform, props)).toThrow(said);
  });
});

describe("The folder with all inputs", () => {
  it("has the backups of Cloud SQL in a block that a plan takes away, and the plan in the scripts' settings", () => {
    const { output, resource } = serverlessTerraform();
    expect(resource?.google_sql_database_instance?.database).toMatchObject({
      settings: {
        dynamic: { backup_configuration: { for_each: "${var.existing_backup_plan == null ? [true] : []}" } },
      },
    });
    expect(String(output?.restore_settings?.value)).toContain(" BACKUP_PLAN=${");
  });
});
