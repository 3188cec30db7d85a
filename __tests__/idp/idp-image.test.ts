import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

import { InputVariable } from "../../lib/core/input-variable";
import { packageFile } from "../../lib/core/package-file";
import { IdpImage, type IdpImageProps } from "../../lib/idp/idp-image";
import { evaluated, warnings } from "../stacks/terraform-run";
import { brokenRules } from "../support/broken-rules";
import { describeWith } from "../support/programs";
import { PLACE, STAND_IN_REPOSITORY } from "../support/stand-in-parts";
import { bareStack, resourceAddresses, resourceOf, terraformOf, warningsOf, type Block } from "../support/synthesis";

const imageIn = (overrides: Partial<IdpImageProps> = {}, stack = bareStack()) => {
  const image = new IdpImage(stack, "Image", { place: PLACE, repository: STAND_IN_REPOSITORY, ...overrides });
  stack.addOutputs({ image: { value: image.containerImage, description: "Image." } });
  const terraform = terraformOf(stack);
  return { image, stack, terraform, reference: String(terraform.locals?.image_reference) };
};

/** The build with its own arguments and those of its only provisioner. */
const buildOf = ({ terraform }: ReturnType<typeof imageIn>): Block => {
  const build = resourceOf(terraform, "terraform_data", "image_build");
  const [provisioner] = build.provisioner as { "local-exec": Block }[];
  return { ...build, ...provisioner?.["local-exec"] };
};

describe("IdpImage", () => {
  it("builds the given release, where and from what it is told", () => {
    const given = { applicationVersion: "2026.2.1", buildLocation: "europe-west1", upstreamImage: "host/server" };
    expect(buildOf(imageIn({ ...given, upstreamPrefix: "OTHER_" })).environment).toMatchObject({
      BUILD_LOCATION: "europe-west1",
      UPSTREAM_IMAGE: "host/server",
      UPSTREAM_PREFIX: "OTHER_",
      IDP_VERSION: "2026.2.1",
      APP_VERSION: "2026.2.1",
    });
  });

  it("builds the pinned release when asked for the latest, which the platform still calls latest", () => {
    for (const applicationVersion of [undefined, "latest"]) {
      const image = imageIn({ applicationVersion });
      expect(image.reference).toContain("/idp:2026.5.4-$");
      expect(buildOf(image).environment).toMatchObject({ IDP_VERSION: "2026.5.4", APP_VERSION: "latest" });
    }
    const stack = bareStack();
    const input = new InputVariable(stack, "release", { type: "string", description: "Release." });
    expect(buildOf(imageIn({ applicationVersion: input.stringValue }, stack)).environment).toMatchObject({
      IDP_VERSION: '${(var.release == "latest" ? "2026.5.4" : var.release)}',
      APP_VERSION: "${var.release}",
    });
  });

  it("builds again exactly when its name changes", () => {
    const image = imageIn();
    expect(buildOf(image)).toMatchObject({ triggers_replace: { image: "${local.image_reference}" } });
    expect(image.terraform.output?.image?.value).toBe("${local.image_reference}");
  });

  it.each([
    ["another name", "release", { applicationVersion: "2026.5.3" }],
    ["another name", "upstream image", { upstreamImage: "registry.example.com/server" }],
    ["another name", "upstream prefix", { upstreamPrefix: "OTHER_" }],
    ["the same name", "build location", { buildLocation: "us-central1" }],
    ["the same name", "project of the build", { place: { ...PLACE, projectId: "other-project" } }],
  ])("has %s with another %s", (name, _what, change) => {
    expect(imageIn(change).reference === imageIn().reference).toBe(name === "the same name");
  });

  it("builds nothing and waits for nothing when an image is given", () => {
    const { image, terraform } = imageIn({ existingImage: "registry.example/idp:1" });
    expect([image.containerImage, image.ready]).toEqual(["registry.example/idp:1", []]);
    expect(resourceAddresses(terraform)).toEqual([]);
  });

  it("decides at plan whether to build when the image is an input, and else always builds", () => {
    const stack = bareStack();
    const input = new InputVariable(stack, "given", { type: "string", default: null, description: "Image." });
    const image = imageIn({ existingImage: input.stringValue }, stack);
    expect(buildOf(image).count).toBe("${(var.given == null) ? 1 : 0}");
    expect(image.terraform.output?.image?.value).toBe("${coalesce(var.given, local.image_reference)}");
    expect(buildOf(imageIn()).count).toBeUndefined();
  });

  it.each(["registry.example.com:5000/server", "ghcr.io/owner/server", `ghcr.io/${"a".repeat(200)}/server`])(
    "accepts the upstream image %s",
    (upstreamImage) => {
      expect(imageIn({ upstreamImage }).reference).toContain(upstreamImage);
    },
  );

  // No input has it.
  it.each(["ghcr.io/owner/server:2026.5.4", "ghcr.io/owner/server@sha256:0123", `ghcr.io/${"a".repeat(200)}/server:1`])(
    "refuses the upstream image %s, because the release decides the tag",
    (upstreamImage) => {
      expect(() => imageIn({ upstreamImage })).toThrow(
        brokenRules("test/Image", [
          `upstreamImage is "${upstreamImage}"; it must have no tag and no digest, because the application's version determines the tag; remove them`,
        ]),
      );
    },
  );
});

describe("The release of an image", () => {
  const warning = (name: string, release: string) =>
    `${name} is "${release}"; it is newer than 2026.8.5, the newest known release, so it is untested, and a release that does not exist fails only when its image is built; compare it with the releases of the upstream image`;
  const NEWER = ["2026.8.6", "2026.10.0", "2027.2.0", "2030.1.1"];
  const KNOWN = ["latest", "2025.10.0", "2025.12.99", "2026.5.8", "2026.8.5"];

  it("causes a warning at synth when it is newer than the newest known one, but is built", () => {
    const warned = (applicationVersion?: string) => warningsOf(imageIn({ applicationVersion }).stack);
    expect(NEWER.map(warned)).toEqual(NEWER.map((release) => [warning("applicationVersion", release)]));
    expect([undefined, ...KNOWN].flatMap(warned)).toEqual([]);
    expect(imageIn({ applicationVersion: "2030.1.1" }).reference).toContain(":2030.1.1-");
  });

  describeWith(["terraform"], "by an input", () => {
    it("causes a warning at plan, unless there is an existing image", () => {
      const stack = bareStack();
      const input = (name: string) =>
        new InputVariable(stack, name, { type: "string", default: null, description: "Text." }).stringValue;
      const { terraform } = imageIn({ applicationVersion: input("release"), existingImage: input("image") }, stack);
      const { check, variable } = terraform;
      const given = [...NEWER, ...KNOWN].map((release) => ({ release }));
      expect(warnings({ check, variable }, [...given, { release: "2030.1.1", image: "host/idp:1" }])).toEqual([
        ...NEWER.map((release) => [`${warning("release", release)}.`]),
        ...[...KNOWN, "image"].map(() => []),
      ]);
    });
  });
});

describeWith(["terraform"], "The name of the image, computed by Terraform", () => {
  it("ends in twelve digits of a hash over the files' hashes and what is wrapped", () => {
    const sha256 = (content: string | Buffer) => createHash("sha256").update(content).digest("hex");
    const files = ["image/Dockerfile", "image/cloud-entrypoint.sh"].map((path) => readFileSync(packageFile(path)));
    const content = [...files.map(sha256), "ghcr.io/goauthentik/server", "AUTHENTIK_"].join(":");
    const name = imageIn().reference.replaceAll("${path.module}", packageFile("").replace(/\/$/, ""));
    expect(evaluated({ locals: { name } })).toEqual({
      name: `us-central1-docker.pkg.dev/demo-project/images/idp:2026.5.4-${sha256(content).slice(0, 12)}`,
    });
  });
});
