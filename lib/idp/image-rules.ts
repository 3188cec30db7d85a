import { CheckedRelation } from "../core/checked-relation";
import { CheckedValue, matching } from "../core/checked-value";

const IMAGE_PATTERN = "^[^\\s/@]+/[^\\s@]+(:[^\\s/@]+|(:[^\\s/@]+)?@sha256:[0-9a-f]{64})$";

/** An image that is run instead of one built here. */
export const EXISTING_IMAGE = new CheckedValue<string>({
  accepts: (image) => !image.endsWith(":latest") && new RegExp(IMAGE_PATTERN).test(image),
  condition: (image) => `!endswith(${image}, ":latest") && can(regex(${JSON.stringify(IMAGE_PATTERN)}, ${image}))`,
  must: "be a host, a path and a tag other than latest or a digest",
  reason: "a moving image would roll out without notice",
  remedy: "write for example us-docker.pkg.dev/my-project/images/idp:2026.5.4",
});

/** An existing image beside the repository in which images of this deployment would be built. */
export const FOREIGN_IMAGE = new CheckedRelation<{ image: string | undefined; ownPrefix: string }>({
  accepts: ({ image, ownPrefix }) => image?.startsWith(`${ownPrefix}/`) !== true,
  condition: ({ image, ownPrefix }) => `${image} == null ? true : !startswith(${image}, ${ownPrefix})`,
  problem: (names, shown) =>
    `${names.image} is ${shown.image}; it must not begin with ${names.ownPrefix}, because that repository belongs to this deployment and is deleted, with the image, once an existing image is given; copy the image into another repository first, or give none`,
});

/** Image of the upstream's server. */
export const UPSTREAM_IMAGE_NAME = matching("^[^:@]+(:[0-9]+/[^:@]+)*$", {
  must: "have no tag and no digest",
  reason: "the application's version decides the tag",
  remedy: "remove what follows the name",
});
