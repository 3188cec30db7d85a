import { execFileSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { dirname, join } from "node:path";

import { describeWith, type Program } from "../../support/programs";

/** Releases of the AWS CLI that are in use. */
export const AWS_RELEASES = [1, 2] as const;
export type AwsRelease = (typeof AWS_RELEASES)[number];

const HOW_TO_GET: Readonly<Record<AwsRelease, string>> = {
  1: "aws 1 is not on the PATH: get awscli from PyPI",
  2: "aws 2 is not on the PATH: apt-get install awscli",
};

/** Folders on the PATH with an `aws` in them, by its release; the first of each. */
function awsFolders(): ReadonlyMap<AwsRelease, string> {
  const folders = new Map<AwsRelease, string>();
  for (const folder of (process.env.PATH ?? "").split(":")) {
    const program = join(folder, "aws");
    try {
      accessSync(program, constants.X_OK);
      // Release 1 has said it on the error stream at times.
      const text = execFileSync("sh", ["-c", '"$0" --version 2>&1', program]).toString();
      const release = Number(/aws-cli\/(\d+)\./.exec(text)?.[1]);
      if ((release === 1 || release === 2) && !folders.has(release)) folders.set(release, dirname(program));
    } catch {
      // Not there, or not to be run.
    }
  }
  return folders;
}

const FOLDERS = awsFolders();

/** A `describe` block with one release of the AWS CLI. */
export function describeRelease(
  release: AwsRelease,
  programs: readonly Program[],
  name: string,
  body: (programs: readonly string[]) => void,
): void {
  const folder = FOLDERS.get(release);
  describeWith(
    ["jq", ...programs],
    `${name} (aws ${release})`,
    () => {
      body([folder ?? "", process.env.PATH ?? ""]);
    },
    folder === undefined ? { missing: HOW_TO_GET[release] } : {},
  );
}
