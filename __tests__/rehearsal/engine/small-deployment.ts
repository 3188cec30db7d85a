import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { findProgram } from "../../support/programs";
import { Deployment, type Inputs } from "../deployment/deployment";
import { Journey } from "./journey";
import { rehearse } from "./rehearsal";
import { type RehearsalReport } from "./rehearsal-report";
import { type RehearsalOptions } from "./run-context";
import { type StackRehearsal } from "./stack-rehearsal";

/** A Terraform configuration as JSON. */
export type Configuration = Readonly<Record<string, unknown>>;

const PROGRAM = findProgram("terraform") ?? "";

async function withFolder<Result>(
  configuration: Configuration,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "small-"));
  writeFileSync(join(folder, "cdk.tf.json"), JSON.stringify(configuration));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Runs work on a deployment of a small configuration that is not applied yet. */
export function withSmallDeployment(
  configuration: Configuration,
  work: (deployment: Deployment) => Promise<void>,
  inputs: Inputs = {},
): Promise<void> {
  return withFolder(configuration, async (source) => {
    const deployment = await Deployment.start({ source, inputs, program: PROGRAM });
    try {
      await deployment.init();
      await work(deployment);
    } finally {
      await deployment.stop();
    }
  });
}

/** Like `withSmallDeployment`, after the first apply. */
export function withAppliedDeployment(
  configuration: Configuration,
  work: (deployment: Deployment, journey: Journey) => Promise<void>,
  inputs: Inputs = {},
): Promise<void> {
  return withSmallDeployment(
    configuration,
    async (deployment) => {
      await deployment.applyAtOnce();
      await work(deployment, new Journey(deployment, undefined));
    },
    inputs,
  );
}

/** Rehearses a small configuration. */
export function smallRehearsal(
  configuration: Configuration,
  rehearsal: StackRehearsal,
  options: Pick<RehearsalOptions, "only" | "parts"> = {},
): Promise<RehearsalReport> {
  return withFolder(configuration, async (folder) => {
    const report = await rehearse({ folder, program: PROGRAM, rehearsal, ...options });
    if (report.failure !== undefined && report.failure.folder !== folder)
      rmSync(report.failure.folder, { recursive: true, force: true });
    return report;
  });
}
