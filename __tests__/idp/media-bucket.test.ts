import { MediaBucket, type MediaBucketProps } from "../../lib/idp/media-bucket";
import { InputVariable } from "../../lib/core/input-variable";
import { PLACE, placeOf, standInIdentity } from "../support/stand-in-parts";
import { bareStack, resourceAddresses, resourceOf, terraformOf } from "../support/synthesis";
import { brokenRules } from "../support/broken-rules";

const bucketIn = (overrides: Partial<MediaBucketProps> = {}) => {
  const stack = bareStack();
  const bucket = new MediaBucket(stack, "Media", {
    place: PLACE,
    ...overrides,
  });
  return { stack, bucket, resource: () => resourceOf(terraformOf(stack), "google_storage_bucket", "media") };
};

describe("MediaBucket", () => {
  it("is private, restorable for a week and named as the contract says", () => {
    expect(bucketIn({ place: { ...PLACE, labels: { team: "identity" } } }).resource()).toEqual({
      name: "bkt-idpdemo-abc123-storage",
      project: "demo-project",
      location: "us-central1",
      uniform_bucket_level_access: true,
      public_access_prevention: "enforced",
      soft_delete_policy: { retention_duration_seconds: 604800 },
      versioning: { enabled: false },
      force_destroy: false,
      labels: { team: "identity" },
    });
  });

  it("is deleted with its files only if it is not protected", () => {
    expect(bucketIn({ deletionProtection: true }).resource().force_destroy).toBe(false);
    expect(bucketIn({ deletionProtection: false }).resource().force_destroy).toBe(true);
  });

  it("accepts an input for the protection", () => {
    const stack = bareStack();
    const input = new InputVariable(stack, "keep", { type: "bool", description: "Keeps files." });
    new MediaBucket(stack, "Media", {
      place: PLACE,
      deletionProtection: input.booleanValue,
    });
    expect(resourceOf(terraformOf(stack), "google_storage_bucket", "media").force_destroy).toBe("${!var.keep}");
  });

  it("is mounted at /media as the user that the application runs as", () => {
    const { stack, bucket } = bucketIn();
    const { bucketName, mountOptions, mountPath, name } = bucket;
    stack.addOutputs({ mount: { value: { name, bucketName, mountPath, mountOptions }, description: "Mount." } });
    expect(terraformOf(stack).output?.mount?.value).toEqual({
      name: "storage",
      bucketName: "${google_storage_bucket.media.name}",
      mountPath: "/media",
      mountOptions: ["uid=1000", "gid=1000", "file-mode=0644", "dir-mode=0755", "implicit-dirs"],
    });
  });

  it("lets a principal read and write files in this bucket and nothing else", () => {
    const { stack, bucket } = bucketIn();
    bucket.grantReadWrite(standInIdentity("Runner"));
    const terraform = terraformOf(stack);
    expect(resourceAddresses(terraform)).toEqual([
      "google_storage_bucket.media",
      "google_storage_bucket_iam_member.media_runner",
    ]);
    expect(resourceOf(terraform, "google_storage_bucket_iam_member", "media_runner")).toEqual({
      bucket: "${google_storage_bucket.media.id}",
      role: "roles/storage.objectUser",
      member: "serviceAccount:runner@demo-project.iam.gserviceaccount.com",
      depends_on: [],
    });
  });

  it("names every problem of the place at once", () => {
    const place = {
      projectId: "12345",
      region: "eu",
      deployment: { tenantPrefix: "demo", applicationName: "Portal" },
      labels: { "Cost Center": "x" },
    };
    expect(() => bucketIn({ place })).toThrow(
      brokenRules("test/Media", [
        'place.projectId is "12345"; it must be the id of a project: 6 to 30 lower-case letters, digits and hyphens that start with a letter; use the id, not the name or the number',
        'place.region is "eu"; it must be the name of a region such as us-central1; for a zone such as us-central1-a, drop the zone letter',
        'place.deployment.tenantPrefix is "demo"; it must be a tenant id, a hyphen and 6 hexadecimal digits, because names without a hash of the project may be taken by others; take the place from tenantContext',
        'place.deployment.applicationName is "Portal"; it must be 1 to 18 lower-case letters, digits and hyphens that start with a letter and do not end with a hyphen, because it is part of service, job and bucket names; shorten or rewrite it',
        'place.labels has "Cost Center"; keys must be 1 to 63 and values up to 63 lower-case letters, digits, hyphens and underscores, and keys must start with a letter; rewrite them',
        "bucket name bkt-Portaldemo-storage must be lower-case letters, digits and hyphens, because Cloud Storage refuses other names; change the application name or the tenant id",
      ]),
    );
  });

  it("refuses the word that Cloud Storage reserves", () => {
    expect(() => bucketIn({ place: placeOf({ tenantPrefix: "google-abc123" }) })).toThrow(
      new Error(
        'test/Media: 1 problem\n  - bucket name bkt-idpgoogle-abc123-storage contains "google", which no bucket name may, because Cloud Storage reserves that word; change the application name or the tenant id',
      ),
    );
  });
});
