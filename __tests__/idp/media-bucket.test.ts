import { MediaBucket } from "../../lib/idp/media-bucket";
import { CONTEXT } from "../support/stand-in-parts";
import { bareStack, resourceOf, terraformOf } from "../support/synthesis";

it("MediaBucket is kept while it has files, unless it is told otherwise", () => {
  const stack = bareStack();
  new MediaBucket(stack, "Media", { context: CONTEXT });
  expect(resourceOf(terraformOf(stack), "google_storage_bucket", "media").force_destroy).toBe(false);
});
