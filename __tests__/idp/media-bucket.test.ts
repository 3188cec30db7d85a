import { InputVariable } from "../../lib/core/input-variable";
import { MediaBucket, type MediaBucketProps } from "../../lib/idp/media-bucket";
import { PLACE } from "../support/stand-in-parts";
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
});
