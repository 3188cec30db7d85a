import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join, relative } from "node:path";

import { parse } from "@cdktf/hcl2json";
import { Enums, Models, Serialize, Spec } from "@cyclonedx/cyclonedx-library";

import { UPSTREAM_IMAGE } from "../lib/idp/contract";
import { OUTPOST_IMAGES, PUBLIC_IMAGES } from "../lib/idp/images";

const { ComponentScope, ComponentType, HashAlgorithm } = Enums;

/** Images of outposts, without their release. */
const OUTPOSTS = ["ldap", "proxy", "rac", "radius"].map((type) => OUTPOST_IMAGES.replace("%(type)s:%(version)s", type));

/**
 * The bill of materials of a folder of a stack in HCL: providers, container images and files.
 *
 * The bill contains neither time nor machine, so that the same folder has the same bill everywhere.
 *
 * @param folder path of the folder; the last part is its name and version, such as `idp-serverless-0.2.0`
 * @returns CycloneDX 1.6 in JSON
 */
export async function billOfFolder(folder: string): Promise<string> {
  const text = filesUnder(folder)
    .filter((file) => file.endsWith(".tf"))
    .map((file) => readFileSync(join(folder, file), "utf8"))
    .join("\n");
  const images = Object.values(PUBLIC_IMAGES).filter((image) => text.includes(digestOf(image)));
  const applicationImages = [
    ...(text.includes(UPSTREAM_IMAGE.replace(/^[^/]+/, "")) ? [UPSTREAM_IMAGE] : []),
    // Images that the application itself pulls, by a template of their names.
    ...(/goauthentik\/%+\(type\)s/.test(text) ? OUTPOSTS : []),
  ];
  return written(subjectOf(basename(folder), ComponentType.Application), [
    ...(await providersOf(folder)),
    ...images.map((image) => imageComponent(image)),
    ...applicationImages.map(chosenImage),
    ...filesUnder(folder).map((file) => fileComponent(folder, file)),
  ]);
}

/**
 * The bill of materials of the container image, from its sources. Packages have no releases, because the build installs
 * the newest ones of the distribution.
 *
 * @param sources folder with the sources of the image
 * @param name of the bill, `image-<version>`
 * @returns CycloneDX 1.6 in JSON
 */
export function billOfImage(sources: string, name: string): string {
  const files = filesUnder(sources);
  const dockerfile = readFileSync(join(sources, "Dockerfile"), "utf8");
  return written(subjectOf(name, ComponentType.Container), [
    chosenImage(UPSTREAM_IMAGE),
    imageComponent(PUBLIC_IMAGES.tools),
    ...packagesIn(dockerfile).map((each) => packageComponent(each, dockerfile)),
    ...files.map((file) => fileComponent(sources, file)),
  ]);
}

/** @param name with the version after the last hyphen */
function subjectOf(name: string, type: Enums.ComponentType): Models.Component {
  const [, title = name, version = ""] = /^(.+)-([^-]+)$/.exec(name) ?? [];
  const licenses = new Models.LicenseRepository([new Models.SpdxLicense("Apache-2.0")]);
  return new Models.Component(type, title, { version, licenses, bomRef: name });
}

function written(subject: Models.Component, components: readonly Models.Component[]): string {
  const metadata = new Models.Metadata({ component: subject });
  const bom = new Models.Bom({ metadata, components: new Models.ComponentRepository(components) });
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6));
  return `${serializer.serialize(bom, { sortLists: true, space: 2 })}\n`;
}

interface ProviderRequirement {
  readonly source: string;
  readonly version: string;
}

/** Providers with the releases that the folder accepts. */
async function providersOf(folder: string): Promise<Models.Component[]> {
  const file = "versions.tf";
  const { terraform } = (await parse(file, readFileSync(join(folder, file), "utf8"))) as {
    terraform: { required_providers: Readonly<Record<string, ProviderRequirement>>[] }[];
  };
  const all = terraform.flatMap(({ required_providers: each }) => each.flatMap(Object.values<ProviderRequirement>));
  return all.map(({ source, version }) => {
    const properties = new Models.PropertyRepository([new Models.Property("terraform:version_constraint", version)]);
    return new Models.Component(ComponentType.Library, source, {
      properties,
      bomRef: `provider ${source}`,
      description: "Provider of Terraform, whose release terraform init chooses",
    });
  });
}

/** An image of the application; without a release, because an input chooses it. */
function chosenImage(image: string): Models.Component {
  const component = imageComponent(image);
  component.description = "application_version chooses its release";
  return component;
}

const digestOf = (image: string): string => image.split("@")[1] ?? "";

/** @param image reference with a tag, a digest or both */
function imageComponent(image: string): Models.Component {
  const [reference = "", digest = ""] = image.split("@");
  const [, name = reference, tag] = /^(.*\/[^:]+)(?::(.+))?$/.exec(reference) ?? [];
  const version = digest === "" ? "" : `@${encodeURIComponent(digest)}`;
  const qualifiers = `repository_url=${encodeURIComponent(name)}${tag === undefined ? "" : `&tag=${tag}`}`;
  return new Models.Component(ComponentType.Container, name, {
    ...(tag !== undefined && { version: tag }),
    bomRef: image,
    hashes: new Models.HashDictionary(digest === "" ? [] : [[HashAlgorithm["SHA-256"], digest.replace("sha256:", "")]]),
    purl: `pkg:oci/${basename(name)}${version}?${qualifiers}`,
  });
}

/** Packages of the distribution that a stage of the build installs. */
function packagesIn(dockerfile: string): string[] {
  const [, names = ""] = /apt-get install --yes --no-install-recommends ((?:[a-z0-9.+-]+ ?)+)/.exec(dockerfile) ?? [];
  return names.split(" ").filter((name) => name !== "");
}

/** A stage without copied files in the image is only needed for the build. */
function packageComponent(name: string, dockerfile: string): Models.Component {
  const program = name.replace(/-static$/, "");
  const isCopied = new RegExp(`cp [^\\n]*command -v ${program}\\b`).test(dockerfile);
  return new Models.Component(ComponentType.Library, name, {
    bomRef: `package ${name}`,
    scope: isCopied ? ComponentScope.Required : ComponentScope.Excluded,
    purl: `pkg:deb/debian/${name}?distro=debian-12`,
  });
}

function fileComponent(folder: string, file: string): Models.Component {
  const content = readFileSync(join(folder, file));
  const digest = createHash("sha256").update(content).digest("hex");
  return new Models.Component(ComponentType.File, file, {
    bomRef: `file ${file}`,
    hashes: new Models.HashDictionary([[HashAlgorithm["SHA-256"], digest]]),
  });
}

/** Paths of files in a folder, with slashes, in an order that does not depend on the machine. */
function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    .sort();
}
