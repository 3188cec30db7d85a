import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { PUBLIC_IMAGES, referenceTo } from "../../../lib/idp/images";
import { type ApiScene, apiScene, inApiScene, scenarioIn } from "../../support/api-scene";
import { type GoogleStandIn } from "../../support/google-stand-in";
import { type BuildRequest } from "../../support/google-stand-in-builds";
import { type ScriptOptions, type ScriptRun } from "../../support/google-stand-in-scripts";
import { temporaryFolder } from "../../support/temporary-folder";

/** Environment of `build-image.sh`, as Terraform sets it. */
export const BUILD_ENVIRONMENT = {
  PROJECT_ID: "demo-project",
  BUILD_SERVICE_ACCOUNT: "builder@demo-project.iam.gserviceaccount.com",
  IMAGE: "us-central1-docker.pkg.dev/demo-project/images/idp:2026.5.4-0123456789ab",
  BUILDER_IMAGE: referenceTo(PUBLIC_IMAGES.builder, undefined),
  TOOLS_IMAGE: referenceTo(PUBLIC_IMAGES.tools, undefined),
  UPSTREAM_IMAGE: "ghcr.io/goauthentik/server",
  UPSTREAM_PREFIX: "AUTHENTIK_",
  IDP_VERSION: "2026.5.4",
  APP_VERSION: "latest",
} as const;

export const CREATE = "cloudbuild.projects.builds.create";
export const { IMAGE } = BUILD_ENVIRONMENT;
/** Id of a stand-in's first build. */
export const BUILD = "0b1d0000-0000-4000-8000-000000000001";
export const LOG = `https://console.cloud.google.com/cloud-build/builds/${BUILD}`;

export interface Scene {
  readonly standIn: GoogleStandIn;
  /** The folder of the image. */
  readonly folder: string;
  readonly build: (options?: ScriptOptions) => Promise<ScriptRun>;
}

const runBuild = ({ run }: ApiScene, folder: string, { environment, ...options }: ScriptOptions = {}) =>
  run("build-image", { ...options, environment: { ...BUILD_ENVIRONMENT, IMAGE_DIRECTORY: folder, ...environment } });

/** Every test has its own folder. */
export const inScene = (test: (scene: Scene) => Promise<void>): Promise<void> =>
  inApiScene({}, (scene) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "Dockerfile"), "ARG UPSTREAM_IMAGE\nFROM $UPSTREAM_IMAGE\n");
    for (const name of ["connection-pool.sh", "watch-worker.py"]) writeFileSync(join(folder, name), `# ${name}\n`);
    writeFileSync(join(folder, "cloud-entrypoint.sh"), '#!/bin/sh\nexec "$@" # ${HOME} `pwd` \\ é\n');
    return test({ standIn: scene.standIn, folder, build: (options) => runBuild(scene, folder, options) });
  });

export const scenario = scenarioIn(inScene);

/** Starts the same build as another run would. */
export async function startBuild({ environment }: GoogleStandIn): Promise<void> {
  await fetch(`${environment.GOOGLE_CLOUD_BUILD_CUSTOM_ENDPOINT ?? ""}projects/demo-project/builds`, {
    method: "POST",
    headers: { authorization: "Bearer ya29.first" },
    body: JSON.stringify({ steps: [{ name: "x" }], images: [IMAGE], tags: [IMAGE.replace(/^.*:/, "")] }),
  });
}

/**
 * The Cloud Build request that `build-image.sh` sends for the two files in a folder.
 *
 * A test that executes the steps runs each `script` with the step's `env` in an empty folder in place of `/workspace`,
 * with its own `docker` on the PATH.
 */
export async function captureBuildRequest(
  imageDirectory: string,
  environment?: Readonly<Record<string, string>>,
): Promise<BuildRequest> {
  const scene = apiScene({});
  const standIn = await scene.standIn.start();
  try {
    const run = await runBuild(scene, imageDirectory, { environment });
    const [request] = standIn.builds.accepted;
    if (run.exitCode !== 0 || request === undefined) throw new Error(`build-image.sh failed:\n${run.output}`);
    return request;
  } finally {
    await standIn.stop();
  }
}
