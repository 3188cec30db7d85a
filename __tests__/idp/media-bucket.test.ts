import { MediaBucket, type MediaBucketProps } from "../../lib/idp/media-bucket";
import { InputVariable } from "../../lib/core/input-variable";
import { bareStack, resourceAddresses, resourceOf, terraformOf } from "../support/synthesis";

const bucketIn = (overrides: Partial<MediaBucketProps> = {}) => {
  const stack = bareStack();
  const bucket = new MediaBucket(stack, "Media", {
    applicationName: "idp",
    tenantPrefix: "demo-abc123",
    location: "us-central1",
    ...overrides,
  });
  return { stack, bucket, resource: () => resourceOf(terraformOf(stack), "google_storage_bucket", "media") };
};

describe("MediaBucket", () => {
  it("is private, restorable for a week and named as the contract says", () => {
    expect(bucketIn({ labels: { team: "identity" } }).resource()).toEqual({
      name: "bkt-idpdemo-abc123-storage",
      location: "us-central1",
      uniform_bucket_level_access: true,
      public_access_prevention: "enforced",
      soft_delete_policy: { retention_duration_seconds: 604800 },
      versioning: { enabled: false },
      force_destroy: false,
      labels: { team: "identity" },
    });
  });

  it("goes with its files only when it is not protected", () => {
    expect(bucketIn({ deletionProtection: true }).resource().force_destroy).toBe(false);
    expect(bucketIn({ deletionProtection: false }).resource().force_destroy).toBe(true);
  });

  it("follows a protection that is an input", () => {
    const stack = bareStack();
    const input = new InputVariable(stack, "keep", { type: "bool", description: "Keeps files." });
    new MediaBucket(stack, "Media", {
      applicationName: "idp",
      tenantPrefix: "t",
      location: "eu",
      deletionProtection: input.booleanValue,
    });
    expect(resourceOf(terraformOf(stack), "google_storage_bucket", "media").force_destroy).toBe("${!var.keep}");
  });

  it("is mounted at /media as the user that the application runs as", () => {
    const { stack, bucket } = bucketIn();
    stack.expose({ mount: { value: { ...bucket.mount }, description: "Mount." } });
    expect(terraformOf(stack).output?.mount?.value).toEqual({
      name: "storage",
      bucketName: "${google_storage_bucket.media.name}",
      mountPath: "/media",
      mountOptions: ["uid=1000", "gid=1000", "file-mode=0644", "dir-mode=0755", "implicit-dirs"],
    });
  });

  it("lets a principal read and write files in this bucket and nothing else", () => {
    const { stack, bucket } = bucketIn();
    bucket.grantReadWrite("Runner", "serviceAccount:runner@demo-project.iam.gserviceaccount.com");
    const terraform = terraformOf(stack);
    expect(resourceAddresses(terraform)).toEqual([
      "google_storage_bucket.media",
      "google_storage_bucket_iam_member.media_runner",
    ]);
    expect(resourceOf(terraform, "google_storage_bucket_iam_member", "media_runner")).toEqual({
      bucket: "${google_storage_bucket.media.name}",
      role: "roles/storage.objectUser",
      member: "serviceAccount:runner@demo-project.iam.gserviceaccount.com",
    });
  });

  it("takes a name of 63 characters", () => {
    const tenantPrefix = "t".repeat(63 - "bkt-idp-storage".length);
    expect(bucketIn({ tenantPrefix }).resource().name).toHaveLength(63);
  });

  it("refuses a name that is too long and has characters that the store refuses, both at once", () => {
    const tenantPrefix = "T".repeat(50);
    const name = `bkt-idp${tenantPrefix}-storage`;
    expect(() => bucketIn({ tenantPrefix })).toThrow(
      new Error(
        [
          "test/Media: 2 problems",
          `  - bucket name ${name} is 65 characters, the limit is 63, because it becomes part of a host name; shorten the application name or the tenant id by 2`,
          `  - bucket name ${name} must be lower-case letters, digits and hyphens, because the object store refuses other names; change the application name or the tenant id`,
        ].join("\n"),
      ),
    );
  });

  it("refuses the word that the store reserves", () => {
    expect(() => bucketIn({ tenantPrefix: "google-abc123" })).toThrow(
      new Error(
        'test/Media: 1 problem\n  - bucket name bkt-idpgoogle-abc123-storage contains "google", which no bucket name may, because the store reserves that word; change the application name or the tenant id',
      ),
    );
  });
});
