import { InputVariable } from "../../lib/core/input-variable";
import { IdpImage } from "../../lib/idp/idp-image";
import { warnings } from "../stacks/terraform-run";
import { PLACE, STAND_IN_REPOSITORY } from "../support/stand-in-parts";
import { describeWith } from "../support/programs";
import { bareStack, terraformOf, warningsOf } from "../support/synthesis";

const warning = (name: string) =>
  `${name} is "2030.1.1"; it is newer than 2026.8.5, the newest known release, so it is untested, and a release that does not exist fails only when its image is built; compare it with the releases of the upstream image`;
const WARNING = warning("applicationVersion");
const INPUT_WARNING = warning("release");

const stackIn = (
  applicationVersion: string | undefined,
  { existingImage, stack = bareStack() }: { existingImage?: string; stack?: ReturnType<typeof bareStack> } = {},
) => {
  new IdpImage(stack, "Image", {
    place: PLACE,
    repository: STAND_IN_REPOSITORY,
    applicationVersion,
    existingImage,
  });
  return stack;
};

describe("The release of an image", () => {
  it("causes a warning at synth when it is newer than the newest known one, but is built", () => {
    const stack = stackIn("2030.1.1");
    expect(warningsOf(stack)).toEqual([WARNING]);
    expect(terraformOf(stack).locals?.image_reference).toContain(":2030.1.1-");
  });

  it.each([undefined, "latest", "2025.10.0", "2025.12.99", "2026.5.8", "2026.8.5"])(
    "is not warned of: %s",
    (release) => {
      expect(warningsOf(stackIn(release))).toEqual([]);
    },
  );

  it.each(["2026.8.6", "2026.10.0", "2027.2.0"])("is warned of: %s", (release) => {
    expect(warningsOf(stackIn(release))).toEqual([WARNING.replace("2030.1.1", release)]);
  });
});

describeWith(["terraform"], "An input for the release", () => {
  const stack = bareStack();
  const input = (name: string) =>
    new InputVariable(stack, name, { type: "string", default: null, description: "Text." }).stringValue;
  stackIn(input("release"), { existingImage: input("image"), stack });
  const { check, variable } = terraformOf(stack);

  it("is warned of at plan when it is newer than the newest that is known, and there is no existing image", () => {
    const known = ["2026.8.5", "2025.12.99", "latest"].map((release) => ({ release }));
    const image = { release: "2030.1.1", image: "host/idp:1" };
    expect(warnings({ check, variable }, [{ release: "2030.1.1" }, { release: "2026.8.6" }, ...known, image])).toEqual([
      [`${INPUT_WARNING}.`],
      [`${INPUT_WARNING.replace("2030.1.1", "2026.8.6")}.`],
      ...[...known, image].map(() => []),
    ]);
  });
});
