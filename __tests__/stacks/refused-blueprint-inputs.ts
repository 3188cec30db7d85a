import { EACH_ONCE_RULE, type Refusal, sentence } from "./refusal";
import { type Inputs } from "./terraform-run";

/** Values of the input that both variants accept, for trying combinations. */
export const ACCEPTED_BLUEPRINTS = { blueprints: [[], ["password-recovery", "branding"]] } as const;

/** Whether an image that exists is given no blueprints; inputs that are not chosen yet break no rule. */
export function allowsBlueprints({ blueprints, existing_container_image: image }: Inputs): boolean {
  return (image ?? null) === null || !Array.isArray(blueprints) || blueprints.length === 0;
}

export const REFUSED_BLUEPRINTS_ALONE: readonly Refusal[] = [
  [
    "blueprints that are not shipped",
    { blueprints: ["branding", "sign-up", "Branding"] },
    [
      'blueprints has "sign-up", "Branding"; each must be password-recovery, branding, oidc-client or no-sign-up; put blueprints of your own into files.',
    ],
  ],
  [
    "a blueprint twice",
    { blueprints: ["branding", "branding"] },
    [sentence("blueprints", ["branding", "branding"], EACH_ONCE_RULE)],
  ],
];

const IMAGE = "us-docker.pkg.dev/other-project/images/idp:2026.5.4";

export const REFUSED_BLUEPRINTS_TOGETHER: readonly Refusal[] = [
  [
    "blueprints for an image that exists",
    { existing_container_image: IMAGE, blueprints: ["branding", "no-sign-up"] },
    [
      `existing_container_image is "${IMAGE}" and there are blueprints: 2; there must be none, because only an image that is built here can contain them; copy them to /blueprints in that image, and remove blueprints.`,
    ],
  ],
];
