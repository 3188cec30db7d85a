import { InputVariable } from "../../lib/core/input-variable";
import { MediaBucket, type MediaBucketProps } from "../../lib/idp/media-bucket";
import { brokenRules } from "../support/broken-rules";
import { PLACE, placeOf } from "../support/stand-in-parts";
import { bareStack, resourceOf, terraformOf } from "../support/synthesis";

const bucketIn = (overrides: Partial<MediaBucketProps> = {}, stack = bareStack()) => {
  new MediaBucket(stack, "Media", { place: PLACE, ...overrides });
  return resourceOf(terraformOf(stack), "google_storage_bucket", "media");
};

describe("MediaBucket", () => {
  it("is deleted with its files only if it is not protected", () => {
    expect(bucketIn().force_destroy).toBe(false);
    expect(bucketIn({ deletionProtection: true }).force_destroy).toBe(false);
    expect(bucketIn({ deletionProtection: false }).force_destroy).toBe(true);
    const stack = bareStack();
    const input = new InputVariable(stack, "keep", { type: "bool", description: "Keeps files." });
    expect(bucketIn({ deletionProtection: input.booleanValue }, stack).force_destroy).toBe("${!var.keep}");
  });

  it("refuses a place whose names others may have taken", () => {
    expect(() => bucketIn({ place: placeOf({ tenantPrefix: "demo" }) })).toThrow(
      brokenRules("test/Media", [
        'place.deployment.tenantPrefix is "demo"; it must be a tenant id, a hyphen and 6 hexadecimal digits, because names without a hash of the project may be taken by others; take the place from tenantContext',
      ]),
    );
  });
});
