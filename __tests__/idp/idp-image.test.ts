import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { InputVariable } from "../../lib/core/inputs/input-variable";
import { packageFile } from "../../lib/core/package-file";
import { IdpImage, type IdpImageProps } from "../../lib/idp/idp-image";
import {
  NEWEST_KNOWN_VERSION,
  PINNED_VERSION,
  RECOMMENDED_VERSION,
  REFUSED_VERSIONS,
  RELEASE_LINES,
  RELEASES_KNOWN_ON,
  UPGRADE_EDGES,
} from "../../lib/idp/releases";
import { withLocals } from "../stacks/made-parts";
import { warnings } from "../stacks/terraform-run";
import { describeWith } from "../support/programs";
import { CONTEXT, STAND_IN_REPOSITORY } from "../support/stand-in-parts";
import { bareStack, type Block, resourceOf, terraformOf, warningsOf } from "../support/synthesis";

const imageIn = (overrides: Partial<IdpImageProps> = {}, stack = bareStack()) => {
  const image = new IdpImage(stack, "Image", { context: CONTEXT, repository: STAND_IN_REPOSITORY, ...overrides });
  stack.addOutputs({ image: { value: image.containerImage, description: "Image." } });
  const terraform = terraformOf(stack);
  const reference = withLocals(terraform, String(terraform.locals?.image_reference), "image_content");
  return { image, stack, terraform, reference };
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

  it.each(Object.entries(REFUSED_VERSIONS))("refuses %s for its own reason alone", (applicationVersion, reason) => {
    expect(() => imageIn({ applicationVersion })).toThrow(
      `applicationVersion is "${applicationVersion}"; it must be another release, because ${reason}; use for example`,
    );
  });

  it("builds the pinned release when asked for the latest, which the platform still calls latest", () => {
    for (const applicationVersion of [undefined, "latest"]) {
      const image = imageIn({ applicationVersion });
      expect(image.reference).toContain("/idp:2026.5.4-$");
      expect(buildOf(image).environment).toMatchObject({ IDP_VERSION: "2026.5.4", APP_VERSION: "latest" });
    }
    const stack = bareStack();
    const input = new InputVariable(stack, "release", { type: "string", description: "Release." });
    const image = imageIn({ applicationVersion: input.stringValue }, stack);
    expect(buildOf(image).environment).toMatchObject({
      IDP_VERSION: "${local.image_base_tag}",
      APP_VERSION: "${var.release}",
    });
    expect(image.terraform.locals).toMatchObject({
      image_base_tag: '${var.release == "latest" ? "2026.5.4" : var.release}',
      image_release: '${split("@", local.image_base_tag)[0]}',
    });
  });

  it("builds upon exactly the image of a digest, which its own tag does not name", () => {
    const applicationVersion = `2026.5.9@sha256:${"0123456789abcdef".repeat(4)}`;
    const image = imageIn({ applicationVersion });
    expect(buildOf(image).environment).toMatchObject({ IDP_VERSION: applicationVersion });
    expect(image.reference).toContain("/idp:2026.5.9-$");
    expect(image.image.release).toBe("2026.5.9");
    expect(warningsOf(image.stack)).toEqual([]);
  });

  it.each([
    ["another name", "digest", { applicationVersion: `2026.5.4@sha256:${"0".repeat(64)}` }],
    ["another name", "release", { applicationVersion: "2026.5.3" }],
    ["another name", "upstream image", { upstreamImage: "registry.example.com/server" }],
    ["another name", "upstream prefix", { upstreamPrefix: "OTHER_" }],
    ["the same name", "build location", { buildLocation: "us-central1" }],
    ["the same name", "project of the build", { context: { ...CONTEXT, projectId: "other-project" } }],
  ])("has %s with another %s", (name, _what, change) => {
    expect(imageIn(change).reference === imageIn().reference).toBe(name === "the same name");
  });
});

describe("The release of an image", () => {
  const newer = (name: string, release: string) =>
    `${name} is "${release}"; it is newer than ${NEWEST_KNOWN_VERSION}, the newest known release, so its migration, settings, health routes and image are untested, and a release that does not exist fails only when its image is built; read its release notes first`;
  const unsafe = (name: string, release: string) =>
    `${name} is "${release}"; it lacks security fixes, as known on ${RELEASES_KNOWN_ON}, and latest is ${PINNED_VERSION}; set it to "${RELEASE_LINES[0].newest}" or, in a later line, "${NEWEST_KNOWN_VERSION}"`;
  const nextPatch = NEWEST_KNOWN_VERSION.replace(/\d+$/, (patch) => String(Number(patch) + 1));
  const NEWER = [nextPatch, "2026.10.0", "2027.2.0", "2030.1.1"];
  const UNSAFE = ["latest", "2025.10.0", "2025.12.99", "2026.5.4", "2026.5.6", "2026.6.9"];
  const SAFE = ["2026.5.7", "2026.5.8", "2026.5.9", "2026.8.3", NEWEST_KNOWN_VERSION];
  const expected = (name: string, end: string) => [
    ...NEWER.map((release) => [newer(name, release) + end]),
    ...UNSAFE.map((release) => [unsafe(name, release) + end]),
    ...SAFE.map(() => []),
  ];

  it("causes a warning at synth when it lacks security fixes or may not exist, but is built", () => {
    const warned = (applicationVersion?: string) => warningsOf(imageIn({ applicationVersion }).stack);
    expect([...NEWER, ...UNSAFE, ...SAFE].map(warned)).toEqual(expected("applicationVersion", ""));
    expect(warned()).toEqual([unsafe("applicationVersion", "latest")]);
    expect(imageIn({ applicationVersion: "2030.1.1" }).reference).toContain(":2030.1.1-");
  });

  describeWith(["terraform"], "by an input", () => {
    it("causes a warning at plan, unless there is an existing image", () => {
      const stack = bareStack();
      const input = (name: string) =>
        new InputVariable(stack, name, { type: "string", default: null, description: "Text." }).stringValue;
      const { terraform } = imageIn({ applicationVersion: input("release"), existingImage: input("image") }, stack);
      const { check, locals = {}, variable } = terraform;
      const steps = Object.fromEntries(
        Object.entries(locals).filter(([name]) => /^image_(base_tag|release)/.test(name)),
      );
      const given = [...NEWER, ...UNSAFE, ...SAFE].map((release) => ({ release }));
      expect(
        warnings({ check, locals: steps, variable }, [...given, { release: "2030.1.1", image: "host/idp:1" }]),
      ).toEqual([...expected("release", "."), []]);
    });
  });

  it("is named in the table alone, and is the recommended one wherever somebody copies it", () => {
    const filesOf = (folder: string, pattern: RegExp) =>
      readdirSync(packageFile(folder), { recursive: true, encoding: "utf8" })
        .filter((file) => pattern.test(file))
        .map((file) => join(folder, file));
    const named = (file: string, pattern: RegExp) =>
      [...readFileSync(packageFile(file), "utf8").matchAll(pattern)].map(([, release = ""]) => `${file}: ${release}`);
    const code = [...filesOf("lib", /[.](ts|sh)$/), ...filesOf("stacks", /^(?!examples).*[.]ts$/)];
    expect(
      code.flatMap((file) => (file.endsWith("releases.ts") ? [] : named(file, /\b(20\d\d[.]\d+[.]\d+)\b/g))),
    ).toEqual([]);
    const pages = ["README.md", ...filesOf("lib", /[.]md$/), ...filesOf("stacks", /[.]md$|^examples.*[.]ts$/)];
    const copied = pages.flatMap((file) =>
      named(file, /(?:application_version ?=|applicationVersion: |\/idp:)"?(20\d\d[.]\d+[.]\d+)/g),
    );
    expect(copied.length).toBeGreaterThan(8);
    const rows = RELEASE_LINES.map(({ fixesEndWith, leastSafe, newest }) =>
      [newest.replace(/[.]\d+$/, ""), newest, leastSafe, fixesEndWith].join(" | "),
    );
    const edges = UPGRADE_EDGES.map(({ from, otherwise, to }) => `${to} | ${from} | ${otherwise}`);
    const upgrade = readFileSync(packageFile("stacks/guides/upgrade.md"), "utf8");
    expect(
      [`As of ${RELEASES_KNOWN_ON},`, ...rows, ...edges, ...Object.keys(REFUSED_VERSIONS)].filter(
        (text) => !upgrade.includes(text),
      ),
    ).toEqual([]);
    const ends = RELEASE_LINES.map(({ fixesEndWith }) => fixesEndWith);
    expect(RELEASE_LINES.find(({ newest }) => newest === RECOMMENDED_VERSION)?.fixesEndWith).toBe(ends.sort().at(-1));
    // The way back goes to the release before.
    expect(copied.filter((text) => !text.endsWith(RECOMMENDED_VERSION))).toEqual(
      Array(2).fill(`stacks/guides/upgrade.md: ${PINNED_VERSION}`),
    );
  });
});
