import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

import { InputVariable } from "../../lib/core/input-variable";
import { packageFile } from "../../lib/core/package-file";
import { IdpImage, type IdpImageProps } from "../../lib/idp/idp-image";
import { evaluated } from "../stacks/terraform-run";
import { PLACE, STAND_IN_REPOSITORY } from "../support/stand-in-parts";
import { describeWith } from "../support/programs";
import {
  bareStack,
  resourceAddresses,
  resourceOf,
  synthesizeInto,
  terraformOf,
  testApp,
  BareStack,
  type Block,
} from "../support/synthesis";
import { brokenRules } from "../support/broken-rules";

const props = (overrides: Partial<IdpImageProps> = {}): IdpImageProps => ({
  place: PLACE,
  repository: STAND_IN_REPOSITORY,
  ...overrides,
});

const imageIn = (overrides?: Partial<IdpImageProps>, stack = bareStack()) => {
  const image = new IdpImage(stack, "Image", props(overrides));
  stack.addOutputs({ image: { value: image.containerImage, description: "Image." } });
  const terraform = terraformOf(stack);
  return { image, terraform, reference: String(terraform.locals?.image_reference) };
};

/** The build with its own arguments and those of its only provisioner. */
const buildOf = ({ terraform }: ReturnType<typeof imageIn>): Block => {
  const build = resourceOf(terraform, "terraform_data", "image_build");
  const [provisioner] = build.provisioner as { "local-exec": Block }[];
  return { ...build, ...provisioner?.["local-exec"] };
};

describe("IdpImage", () => {
  it("builds from the upstream image, its prefix and the release, with the service account of the repository", () => {
    expect(buildOf(imageIn({ applicationVersion: "2026.2.1" }))).toMatchObject({
      command: 'sh "${path.module}/scripts/build-image.sh"',
      environment: {
        PROJECT_ID: "demo-project",
        BUILD_LOCATION: "global",
        BUILD_SERVICE_ACCOUNT: "builder@demo-project.iam.gserviceaccount.com",
        IMAGE: "${local.image_reference}",
        IMAGE_DIRECTORY: "${path.module}/image",
        UPSTREAM_IMAGE: "ghcr.io/goauthentik/server",
        UPSTREAM_PREFIX: "AUTHENTIK_",
        IDP_VERSION: "2026.2.1",
        APP_VERSION: "2026.2.1",
      },
    });
  });

  it("builds the pinned release when asked for the latest, which the platform still calls latest", () => {
    for (const applicationVersion of [undefined, "latest"]) {
      const image = imageIn({ applicationVersion });
      expect(image.reference).toContain("/idp:2026.5.4-$");
      expect(buildOf(image).environment).toMatchObject({ IDP_VERSION: "2026.5.4", APP_VERSION: "latest" });
    }
  });

  it("takes the release from an input in the same way", () => {
    const stack = bareStack();
    const input = new InputVariable(stack, "release", { type: "string", description: "Release." });
    expect(buildOf(imageIn({ applicationVersion: input.stringValue }, stack)).environment).toMatchObject({
      IDP_VERSION: '${(var.release == "latest" ? "2026.5.4" : var.release)}',
      APP_VERSION: "${var.release}",
    });
  });

  it("builds in the given location", () => {
    expect(buildOf(imageIn({ buildLocation: "europe-west1" })).environment).toHaveProperty(
      "BUILD_LOCATION",
      "europe-west1",
    );
  });

  it("is named by release, files, upstream image and prefix, and builds again exactly when that name changes", () => {
    const image = imageIn();
    expect(image.reference).toBe(
      "us-central1-docker.pkg.dev/demo-project/images/idp:2026.5.4-" +
        '${substr(sha256(join(":", [filesha256("${path.module}/image/Dockerfile"), filesha256("${path.module}/image/cloud-entrypoint.sh"), "ghcr.io/goauthentik/server", "AUTHENTIK_"])), 0, 12)}',
    );
    expect(buildOf(image)).toMatchObject({ triggers_replace: { image: "${local.image_reference}" } });
    expect(image.terraform.output?.image?.value).toBe("${local.image_reference}");
  });

  it.each([
    ["release", { applicationVersion: "2026.5.3" }],
    ["upstream image", { upstreamImage: "registry.example.com/server" }],
    ["upstream prefix", { upstreamPrefix: "OTHER_" }],
  ])("has another name with another %s", (_what, change) => {
    expect(imageIn(change).reference).not.toBe(imageIn().reference);
  });

  it.each([
    ["build location", { buildLocation: "us-central1" }],
    ["project of the build", { place: { ...PLACE, projectId: "other-project" } }],
  ])("keeps its name with another %s", (_what, change) => {
    expect(imageIn(change).reference).toBe(imageIn().reference);
  });

  it("puts the files of the image and the scripts of the build into the folder", () => {
    const app = testApp();
    new IdpImage(new BareStack(app, "test", { providers: [] }), "Image", props());
    expect(synthesizeInto(app).files).toEqual([
      "cdk.tf.json",
      "image/Dockerfile",
      "image/cloud-entrypoint.sh",
      "scripts/build-image.sh",
      "scripts/build-request.sh",
      "scripts/build-run.sh",
      "scripts/google-credentials.sh",
      "scripts/google-rest.sh",
      "scripts/rest-script.sh",
    ]);
  });

  it("builds nothing and waits for nothing when an image is given", () => {
    const { image, terraform } = imageIn({ existingImage: "registry.example/idp:1" });
    expect([image.containerImage, image.ready]).toEqual(["registry.example/idp:1", []]);
    expect(resourceAddresses(terraform)).toEqual([]);
  });

  it("decides at plan whether to build when the image is an input", () => {
    const stack = bareStack();
    const input = new InputVariable(stack, "given", { type: "string", default: null, description: "Image." });
    const image = imageIn({ existingImage: input.stringValue }, stack);
    expect(buildOf(image).count).toBe("${(var.given == null) ? 1 : 0}");
    expect(image.terraform.output?.image?.value).toBe("${coalesce(var.given, local.image_reference)}");
  });

  it("always builds when there is no input for an image", () => {
    expect(buildOf(imageIn()).count).toBeUndefined();
  });

  it.each(["2025.10.0", "2025.12.3", "2026.2.0", "2026.5.4", "2030.1.0"])(
    "accepts the release %s",
    (applicationVersion) => {
      expect(imageIn({ applicationVersion }).reference).toContain(`:${applicationVersion}-`);
    },
  );

  it.each([
    "2025.8.4",
    "2024.12.0",
    "2026.5",
    "2026",
    "",
    "v2026.5.4",
    "2026.5.4-rc1",
    "2026.5.4\n",
    "2026.13.1",
    "Latest",
  ])("refuses the release %j", (applicationVersion) => {
    expect(() => imageIn({ applicationVersion })).toThrow(
      new Error(
        `test/Image: 1 problem\n  - applicationVersion is ${JSON.stringify(applicationVersion)}; it must be "latest" or an exact release from 2025.10 on, year.month.patch, because older ones need Redis, and rolling tags change without notice; use for example "2026.5.4"`,
      ),
    );
  });

  it.each([
    [
      "us-docker.pkg.dev/p/r/idp",
      "be a host, a path and a tag other than latest or a digest, because another image could be rolled out unnoticed; use for example us-docker.pkg.dev/my-project/images/idp:2026.5.4",
    ],
    [
      "us-docker.pkg.dev/p/r/idp:latest",
      "be a host, a path and a tag other than latest or a digest, because another image could be rolled out unnoticed; use for example us-docker.pkg.dev/my-project/images/idp:2026.5.4",
    ],
    [
      "us-central1-docker.pkg.dev/demo-project/images/idp:1",
      "not begin with the deployment's own repository, because that repository belongs to this deployment and is deleted, with the image, once an existing image is set; copy the image into another repository first, or remove it",
    ],
  ])("refuses the existing image %s", (existingImage, rule) => {
    expect(() => imageIn({ existingImage })).toThrow(
      new Error(`test/Image: 1 problem\n  - existingImage is "${existingImage}"; it must ${rule}`),
    );
  });

  it.each(["registry.example.com:5000/server", "ghcr.io/owner/server", `ghcr.io/${"a".repeat(200)}/server`])(
    "accepts the upstream image %s",
    (upstreamImage) => {
      expect(imageIn({ upstreamImage }).reference).toContain(upstreamImage);
    },
  );

  it.each(["ghcr.io/owner/server:2026.5.4", "ghcr.io/owner/server@sha256:0123", `ghcr.io/${"a".repeat(200)}/server:1`])(
    "refuses the upstream image %s, because the release decides the tag",
    (upstreamImage) => {
      expect(() => imageIn({ upstreamImage, applicationVersion: "2025.2.0" })).toThrow(
        brokenRules("test/Image", [
          'applicationVersion is "2025.2.0"; it must be "latest" or an exact release from 2025.10 on, year.month.patch, because older ones need Redis, and rolling tags change without notice; use for example "2026.5.4"',
          `upstreamImage is "${upstreamImage}"; it must have no tag and no digest, because the application's version determines the tag; remove them`,
        ]),
      );
    },
  );
});

describeWith(["terraform"], "The name of the image, computed by Terraform", () => {
  it("ends in twelve digits of a hash over the files' hashes and what is wrapped", () => {
    const hashOf = (path: string) =>
      createHash("sha256")
        .update(readFileSync(packageFile(path)))
        .digest("hex");
    const files = [hashOf("image/Dockerfile"), hashOf("image/cloud-entrypoint.sh")];
    const content = [...files, "ghcr.io/goauthentik/server", "AUTHENTIK_"].join(":");
    const name = imageIn().reference.replaceAll("${path.module}", packageFile("").replace(/\/$/, ""));
    expect(evaluated({ locals: { name } })).toEqual({
      name: `us-central1-docker.pkg.dev/demo-project/images/idp:2026.5.4-${createHash("sha256").update(content).digest("hex").slice(0, 12)}`,
    });
  });
});
