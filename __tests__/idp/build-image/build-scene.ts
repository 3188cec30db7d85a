import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { GoogleStandIn } from "../../support/google-stand-in";
import { type BuildStep } from "../../support/google-stand-in-builds";
import {
  BUILD_ENVIRONMENT,
  captureBuildRequest,
  programFolder,
  runScript,
  type ScriptOptions,
  type ScriptRun,
} from "../../support/google-stand-in-scripts";
import { temporaryFolder } from "../../support/temporary-folder";
import { programPath } from "../../support/programs";

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

/** Every test has its own stand-in and folder, so that tests can run concurrently. */
export async function inScene(test: (scene: Scene) => Promise<void>): Promise<void> {
  const standIn = await new GoogleStandIn().start();
  const folder = temporaryFolder();
  writeFileSync(join(folder, "Dockerfile"), "ARG UPSTREAM_IMAGE\nFROM $UPSTREAM_IMAGE\n");
  writeFileSync(join(folder, "cloud-entrypoint.sh"), '#!/bin/sh\nexec "$@" # ${HOME} `pwd` \\ é\n');
  try {
    await test({
      standIn,
      folder,
      build: (options = {}) =>
        runScript("build-image", {
          ...options,
          environment: {
            ...standIn.environment,
            GOOGLE_OAUTH_ACCESS_TOKEN: "ya29.first",
            ...BUILD_ENVIRONMENT,
            IMAGE_DIRECTORY: folder,
            ...options.environment,
          },
        }),
    });
  } finally {
    await standIn.stop();
  }
}

/** A test with a stand-in and a folder of its own. */
export function scenario(what: string, test: (scene: Scene) => Promise<void>): void {
  it.concurrent(what, () => inScene(test));
}

/** Starts a build of an image as another run would. */
export async function startBuild({ environment }: GoogleStandIn, image: string = IMAGE): Promise<void> {
  await fetch(`${environment.GOOGLE_CLOUD_BUILD_CUSTOM_ENDPOINT ?? ""}projects/demo-project/builds`, {
    method: "POST",
    headers: { authorization: "Bearer ya29.first" },
    body: JSON.stringify({ steps: [{ name: "x" }], images: [image], tags: [image.replace(/^.*:/, "")] }),
  });
}

/** Sends a signal while the build runs, in the middle of a long pause. */
export const killAtWork = (
  signal: NodeJS.Signals,
  environment: Readonly<Record<string, string>> = {},
): ScriptOptions => ({
  environment: { ...environment, REST_POLL_SECONDS: "30" },
  onOutput: (output, kill) => {
    if (output.includes("WORKING") && !output.includes("Interrupted")) kill(signal);
  },
});

/** Runs the step of a build as the build service does, in an empty folder that it returns. */
export async function executeStep(
  imageDirectory: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<{ readonly step: BuildStep; readonly workspace: string }> {
  const request = await captureBuildRequest({ imageDirectory, environment });
  const [step] = request.steps;
  if (step === undefined) throw new Error("the build has no step");
  const workspace = temporaryFolder();
  const docker = programFolder({ scripts: { docker: `printf '%s\\n' "$@" >arguments` } });
  writeFileSync(join(docker, "step"), step.script);
  for (const shell of ["dash", "bash"] as const) {
    execFileSync(programPath(shell), [join(docker, "step")], {
      cwd: workspace,
      env: {
        PATH: docker,
        ...environmentOf(step.env),
      },
    });
  }
  return { step, workspace };
}

/** Environment from entries of the form `NAME=value`. */
function environmentOf(entries: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    entries.map((entry): [string, string] => {
      const [name = ""] = entry.split("=", 1);
      return [name, entry.slice(name.length + 1)];
    }),
  );
}
