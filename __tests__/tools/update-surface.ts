import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";

import { Extractor, ExtractorConfig, ExtractorLogLevel } from "@microsoft/api-extractor";

import { packageFile } from "../../lib/core/package-file";

/** Updates the reports of what can be imported from the package; with `--check` it only says which are not up to date. */
const onlyChecks = process.argv.includes("--check");

const REPORTS = "__tests__/package/public-surface";

/** Entries of the package, by the names of their reports. */
const ENTRIES = { index: "lib/index", kubernetes: "lib/kubernetes", lab: "lib/lab/index" };

// Below the package, whose name and dependencies the extractor looks up, and not in node_modules, which it takes for others'.
const work = packageFile("dist/public-surface");
const declarations = join(work, "declarations");
mkdirSync(declarations, { recursive: true });

try {
  const compile = ["--project", "tsconfig.build.json", "--emitDeclarationOnly", "--noCheck", "--outDir", declarations];
  execFileSync(process.execPath, [packageFile("node_modules/typescript/bin/tsc"), ...compile], {
    cwd: packageFile("."),
    stdio: "inherit",
  });
  const stale = Object.entries(ENTRIES).filter(([name, entry]) => !isFresh(name, join(declarations, `${entry}.d.ts`)));
  if (onlyChecks && stale.length > 0) {
    const reports = stale.map(([name]) => `${REPORTS}/${name}.api.md`).join(", ");
    process.stderr.write(
      `${reports}: not what can be imported now; run npm run surface, and commit the difference if it is meant\n`,
    );
    process.exitCode = 1;
  }
} finally {
  rmSync(work, { recursive: true });
}

/** Compares the report of an entry, or writes it. */
function isFresh(name: string, mainEntryPointFilePath: string): boolean {
  const config = ExtractorConfig.prepare({
    packageJsonFullPath: packageFile("package.json"),
    configObjectFullPath: undefined,
    configObject: {
      projectFolder: packageFile("."),
      newlineKind: "lf",
      mainEntryPointFilePath,
      compiler: {
        overrideTsconfig: { compilerOptions: { moduleResolution: "bundler", module: "esnext", types: ["node"] } },
      },
      apiReport: {
        enabled: true,
        reportFolder: packageFile(REPORTS),
        reportTempFolder: work,
        reportFileName: name,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        extractorMessageReporting: {
          default: { logLevel: ExtractorLogLevel.Warning },
          // Releases are the package's, not those of single exports.
          "ae-missing-release-tag": { logLevel: ExtractorLogLevel.None },
          // Its list has line numbers, and would change with every line of the library.
          "ae-undocumented": { logLevel: ExtractorLogLevel.None },
          // Listed in the report, so that a type that is named and cannot be imported is a change that is seen.
          "ae-forgotten-export": { logLevel: ExtractorLogLevel.None, addToApiReportFile: true },
        },
      },
    },
  });
  const { apiReportChanged, errorCount } = Extractor.invoke(config, { localBuild: !onlyChecks });
  if (errorCount > 0) process.exitCode = 1;
  return !apiReportChanged;
}
