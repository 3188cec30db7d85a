import { type Terraform } from "../../support/synthesis";
import { firstApplyPicture } from "./first-apply-picture";
import { overviewPicture } from "./overview-picture";
import { type Picture } from "./picture";

/** The pictures of each stack beside its page, by their paths. */
export function stackPictures(stacks: Readonly<Record<string, Terraform>>): Record<string, Picture> {
  return Object.fromEntries(
    Object.entries(stacks).flatMap(([stack, terraform]) => [
      [`stacks/pictures/${stack}-overview.svg`, overviewPicture(stack, terraform)],
      [`stacks/pictures/${stack}-first-apply.svg`, firstApplyPicture(stack, terraform)],
    ]),
  );
}
