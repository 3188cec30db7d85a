import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { parse } from "yaml";

import { packageFile } from "../../lib/core/package-file";
import { PUBLIC_IMAGES } from "../../lib/idp/images";

const FOLDER = packageFile(".github/workflows");

interface Step {
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly if?: string;
  readonly needs?: string;
  readonly environment?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
  readonly "timeout-minutes"?: number;
}

const read = (file: string) =>
  parse(readFileSync(join(FOLDER, file), "utf8")) as {
    readonly jobs: Readonly<Record<string, Job>>;
    readonly permissions: object;
  };

const FILES = readdirSync(FOLDER);

describe.each(FILES)("The workflow %s", (file) => {
  const { jobs, permissions } = read(file);
  const text = readFileSync(join(FOLDER, file), "utf8");

  it("has no right but those that each job names, and a time limit for each", () => {
    expect(permissions).toEqual({});
    for (const job of Object.values(jobs)) {
      expect(Object.keys(job.permissions ?? {})).not.toEqual([]);
      expect(job["timeout-minutes"]).toBeLessThanOrEqual(60);
    }
  });

  it("names the actions of others by commit, with their release, and keeps no token in the checkout", () => {
    const uses = [...text.matchAll(/uses: (.*)/g)].map(([, action]) => action);
    expect(uses).not.toEqual([]);
    for (const action of uses) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+[.]\d+[.]\d+$/);
    const checkouts = Object.values(jobs).flatMap(({ steps }) =>
      steps.filter((step) => step.uses?.startsWith("actions/checkout@")),
    );
    for (const step of checkouts) expect(step.with?.["persist-credentials"]).toBe(false);
  });
});

describe("A release", () => {
  const { jobs } = read("release.yml");

  it("is published after all checks, in environments that ask reviewers, and not by a fork", () => {
    expect(jobs.check?.if).toContain("!github.event.repository.fork");
    expect(jobs.archives).toMatchObject({ needs: "check", environment: "release" });
    expect(jobs.npm).toMatchObject({ needs: "archives", environment: "npm" });
  });

  it("gives only to the jobs that publish what proves where they run", () => {
    const proving = Object.entries(jobs).filter(([, { permissions }]) => permissions?.["id-token"] === "write");
    expect(proving.map(([name]) => name)).toEqual(["archives", "npm"]);
    expect(jobs.npm?.permissions).toEqual({ contents: "read", "id-token": "write" });
  });
});

it("Each public image is renewed by the rules of renovate", () => {
  const { customManagers } = JSON.parse(readFileSync(packageFile(".github/renovate.json"), "utf8")) as {
    customManagers: readonly { managerFilePatterns: readonly string[]; matchStrings: readonly string[] }[];
  };
  const patterns = customManagers
    .filter(({ managerFilePatterns: [file = ""] }) => new RegExp(file.slice(1, -1)).test("lib/idp/images.ts"))
    .flatMap(({ matchStrings }) => matchStrings.map((pattern) => new RegExp(pattern, "g")));
  const source = readFileSync(packageFile("lib/idp/images.ts"), "utf8");
  const found = patterns.flatMap((pattern) => [...source.matchAll(pattern)].map(({ groups }) => groups?.currentDigest));
  const digests = Object.values(PUBLIC_IMAGES).map((image) => image.split("@")[1]);
  expect(found.sort()).toEqual(digests.sort());
});

it("The rules for a fleet find the release of each ring, with and without a digest, and write both", () => {
  const rules = JSON.parse(readFileSync(packageFile("stacks/examples/fleet/renovate.json"), "utf8")) as {
    customManagers: readonly [
      { managerFilePatterns: readonly [string]; matchStrings: readonly [string]; autoReplaceStringTemplate: string },
    ];
  };
  const [{ managerFilePatterns, matchStrings, autoReplaceStringTemplate }] = rules.customManagers;
  for (const ring of ["canary", "everyone"]) {
    const file = `rings/${ring}.tfvars.json`;
    expect(file).toMatch(new RegExp(managerFilePatterns[0].slice(1, -1)));
    const settings = readFileSync(packageFile(`stacks/examples/fleet/${file}`), "utf8");
    const found = (text: string) => new RegExp(matchStrings[0]).exec(text)?.groups;
    const { application_version: release } = JSON.parse(settings) as { application_version: string };
    expect(found(settings)).toMatchObject({ currentValue: release });
    const digest = `sha256:${"0123456789abcdef".repeat(4)}`;
    const written = autoReplaceStringTemplate
      .replace(/[{][{](#if newDigest|[/]if)[}][}]/g, "")
      .replace("{{{newValue}}}", "2026.8.8")
      .replace("{{{newDigest}}}", digest);
    expect(found(written)).toEqual({ currentValue: "2026.8.8", currentDigest: digest });
  }
});
