import { rendered } from "../../lib/core/expr/locals";
import { RulesBrokenError } from "../../lib/core/inputs/rules-broken-error";
import { KubernetesIdentityProvider } from "../../lib/kubernetes-identity-provider";
import {
  ServerlessIdentityProvider,
  type ServerlessIdentityProviderProps,
} from "../../lib/serverless-identity-provider";
import { bareStack, type Block, type Terraform, terraformOf } from "../support/synthesis";

const PROVIDERS = { kubernetes: KubernetesIdentityProvider, serverless: ServerlessIdentityProvider } as const;
type Platform = keyof typeof PROVIDERS;
type Props = Omit<ServerlessIdentityProviderProps, "projectId" | "tenantId">;

function madeOn(platform: Platform, props: Props): Terraform {
  const stack = bareStack();
  new PROVIDERS[platform](stack, "Idp", { projectId: "my-project", tenantId: "demo", ...props });
  return terraformOf(stack);
}

const addressesIn = ({ resource = {} }: Terraform) =>
  Object.entries(resource).flatMap(([type, named]) => Object.keys(named).map((name) => `${type}.${name}`));

/** Addresses of what there is with some props more than with dumps alone. */
function further(platform: Platform, props: Props): string[] {
  const former = addressesIn(madeOn(platform, SCHEDULED));
  return addressesIn(madeOn(platform, { ...SCHEDULED, ...props })).filter((address) => !former.includes(address));
}

const blockAt = ({ resource = {} }: Terraform, address: string): Block => {
  const [type = "", name = ""] = address.split(".");
  return resource[type]?.[name] ?? {};
};

const SCHEDULE = { schedule: "30 4 * * *" };
const SCHEDULED = { dumps: SCHEDULE };
const LOCKED_30 = { dumps: { ...SCHEDULE, lockDays: 30 } };
const LOCKED = "google_storage_bucket.idp_dump_lock";
const MAY_ADD = "google_storage_bucket_iam_member.idp_dump_lock_dumper";
/** What waits for the rights of a job: itself, or the namespace of its pods. */
const WAITS = { kubernetes: "kubernetes_namespace_v1", serverless: "google_cloud_run_v2_job" };

describe.each(["serverless", "kubernetes"] as const)("Locked copies of dumps on %s", (platform) => {
  it("are not there by default, and where they are, have a bucket and a right to add to it, and nothing else", () => {
    expect(JSON.stringify(madeOn(platform, SCHEDULED))).not.toMatch(/dumps-locked|DUMP_COPIES|DUMP_BUCKET/);
    expect(further(platform, LOCKED_30)).toEqual([LOCKED, MAY_ADD]);
  });

  it("cannot be deleted before their time, nor by Terraform, and go when the longer of both times is over", () => {
    const bucketWith = (props: Props) => blockAt(madeOn(platform, { ...SCHEDULED, ...props }), LOCKED);
    expect(bucketWith({ dumps: { ...SCHEDULE, lockDays: 30, retentionDays: 7 } })).toMatchObject({
      project: "my-project",
      retention_policy: { retention_period: "2592000", is_locked: true },
      deletion_policy: "ABANDON",
      lifecycle_rule: [{ action: { type: "Delete" }, condition: { age: 30 } }],
    });
    expect(bucketWith({ dumps: { ...SCHEDULE, lockDays: 30, retentionDays: 90 } })).toMatchObject({
      lifecycle_rule: [{ condition: { age: 90 } }],
    });
  });

  it("are added by the account of the dumps alone, which can neither read nor delete one", () => {
    const terraform = madeOn(platform, LOCKED_30);
    const grants = Object.values(terraform.resource?.google_storage_bucket_iam_member ?? {}).filter(({ bucket }) =>
      String(bucket).includes("idp_dump_lock"),
    );
    expect(grants).toMatchObject([{ role: "roles/storage.objectCreator", bucket: `\${${LOCKED}.id}` }]);
    // The first run finds the right.
    const { [WAITS[platform]]: type = {} } = terraform.resource ?? {};
    expect(Object.values(type).some(({ depends_on: before }) => String(before).includes(MAY_ADD))).toBe(true);
  });

  it("are made by the job, which knows both buckets", () => {
    const text = JSON.stringify(madeOn(platform, LOCKED_30));
    expect(text).toMatch(/DUMP_BUCKET\\?": ?\\?"bkt-idpdemo-[0-9a-f]{6}-dumps\\?"/);
    expect(text).toMatch(/DUMP_COPIES[^[]+\[\\*"bkt-idpdemo-[0-9a-f]{6}-dumps-locked\\*"\]/);
  });

  it("are known to the scripts that recover a deployment, as the copies in a bucket of others are", () => {
    const settingsWith = (props: Props) => {
      const stack = bareStack();
      const all = { projectId: "my-project", tenantId: "demo", ...SCHEDULED, ...props };
      const { restoreSettings } = new PROVIDERS[platform](stack, "Idp", all);
      return String(rendered(stack, restoreSettings)).split(" ");
    };
    const settings = settingsWith({ dumps: { ...SCHEDULE, lockDays: 30, copyBucket: "acme-backups" } });
    expect(settings).toContain("DUMP_COPY_BUCKET=acme-backups");
    expect(settings).toContainEqual(expect.stringMatching(/^DUMP_LOCK_BUCKET=bkt-idpdemo-[0-9a-f]{6}-dumps-locked$/));
    // Said as empty, so that those of another deployment in the same shell do not count.
    const empty = ["BACKUP_PLAN=", "DUMP_COPY_BUCKET=", "DUMP_LOCK_BUCKET=", "INSTANCE_OWNER=", "CONNECTION_NAME="];
    expect(settingsWith({})).toEqual(expect.arrayContaining(empty));
    expect(settingsWith({ dumps: undefined })).toContain("DUMP_BUCKET=");
  });

  it.each([
    [
      { deletionProtection: false },
      /dumps.lockDays is given; it needs deletionProtection true, .* nobody can ever undo a lock/,
    ],
    [{ dumps: { lockDays: 30 } }, /dumps.schedule is missing/],
    [{ dumps: { ...SCHEDULE, lockDays: 0 } }, /whole number from 1 to 3650/],
    [{ dumps: { ...SCHEDULE, lockDays: 1.5 } }, /whole number from 1 to 3650/],
  ] as const)("are refused with %j", (props, said) => {
    const all = () => madeOn(platform, { ...LOCKED_30, ...(props as Props) });
    expect(all).toThrow(RulesBrokenError);
    expect(all).toThrow(said);
  });

  it("stay with kept dumps where there is no schedule any more", () => {
    const terraform = madeOn(platform, { dumps: { schedule: null, lockDays: 30 } });
    expect(addressesIn(terraform).filter((address) => address.includes("dump"))).toEqual([
      LOCKED,
      "google_storage_bucket.idp_dump_bucket",
    ]);
  });
});

describe.each(["serverless", "kubernetes"] as const)("What is deleted in a bucket, on %s", (platform) => {
  const daysOf = (props: Props) => {
    const buckets = madeOn(platform, { ...LOCKED_30, ...props }).resource?.google_storage_bucket;
    return Object.values(buckets ?? {}).map(({ soft_delete_policy: policy }) => policy);
  };

  it("can be restored for seven days, or as long as the caller says, in each bucket", () => {
    expect(daysOf({})).toEqual(Array(3).fill({ retention_duration_seconds: 604_800 }));
    expect(daysOf({ softDeleteDays: 90 })).toEqual(Array(3).fill({ retention_duration_seconds: 7_776_000 }));
    expect(daysOf({ softDeleteDays: 0 })).toEqual(Array(3).fill({ retention_duration_seconds: 0 }));
  });

  it.each([1, 6, 91, 7.5])("cannot be kept for %s days", (softDeleteDays) => {
    expect(() => daysOf({ softDeleteDays })).toThrow(/whole number from 7 to 90, or 0/);
  });
});

describe.each(["serverless", "kubernetes"] as const)("Copies of dumps in a bucket of others on %s", (platform) => {
  const COPIED = { dumps: { ...SCHEDULE, copyBucket: "acme-backups" } };
  const GRANT = "google_storage_bucket_iam_member.idp_dump_copy_dumper";

  it("need nothing but the right to add files there", () => {
    expect(further(platform, COPIED)).toEqual([GRANT]);
    expect(blockAt(madeOn(platform, COPIED), GRANT)).toMatchObject({
      bucket: "acme-backups",
      role: "roles/storage.objectCreator",
    });
  });

  it("are granted by the owner with a command where nothing may be granted", () => {
    const terraform = madeOn(platform, { ...COPIED, grantRoles: false });
    expect(blockAt(terraform, GRANT).count).toBe(0);
    expect(JSON.stringify(terraform.locals?.idp_grant_commands)).toMatch(
      /gcloud storage buckets add-iam-policy-binding gs:\/\/acme-backups --member='[^']+' --role=roles\/storage.objectCreator/,
    );
  });

  it("are made beside locked ones", () => {
    const text = JSON.stringify(madeOn(platform, { dumps: { ...COPIED.dumps, lockDays: 30 } }));
    expect(text).toMatch(/DUMP_COPIES[^,]+join\([^)]*dumps-locked[^)]*acme-backups/);
  });

  it("are refused by a name that is none of a bucket", () => {
    const props = { dumps: { ...SCHEDULE, copyBucket: "gs://acme-backups" } };
    expect(() => madeOn(platform, props)).toThrow(/without gs:\/\/ and without a folder/);
  });
});
