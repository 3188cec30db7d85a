import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";

import { CompilerState, Extractor, ExtractorConfig, ExtractorLogLevel } from "@microsoft/api-extractor";
import * as ts from "typescript";

import { packageFile } from "../../lib/core/package-file";

/**
 * Updates the reports of what can be imported from the package; with `--check` it only says which are not up to date.
 */
const onlyChecks = process.argv.includes("--check");

const REPORTS = "__tests__/package/public-surface";

const ENTRIES = ["lib/index.ts", "lib/kubernetes.ts", "lib/lab/index.ts"];

// Below the package, whose name and dependencies the extractor looks up, and not in node_modules, which it takes for
// others'.
const work = packageFile("dist/public-surface");
const declarations = join(work, "declarations");
mkdirSync(declarations, { recursive: true });

try {
  compile();
  const stale = staleReports().map((name) => `${REPORTS}/${name}.api.md`);
  if (onlyChecks && stale.length > 0) {
    process.exitCode = 1;
    process.stderr.write(
      `${stale.join(", ")}: not what can be imported now; run npm run surface, and commit the difference if it is meant\n`,
    );
  }
} finally {
  rmSync(work, { recursive: true });
}

function compile(): void {
  const options = { emitDeclarationOnly: true, noCheck: true, outDir: declarations };
  const config = ts.getParsedCommandLineOfConfigFile(packageFile("tsconfig.build.json"), options, {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: ({ messageText }) => {
      throw new Error(ts.flattenDiagnosticMessageText(messageText, "\n"));
    },
  });
  ts.createProgram(config?.fileNames ?? [], config?.options ?? {}).emit();
}

/** Compares the reports of all entries, or writes them; gives the names of those that differ. */
function staleReports(): string[] {
  const configs = ENTRIES.map(configOf);
  const [first, ...others] = configs;
  if (first === undefined) return [];
  // Read once for all of them, which takes most of the time.
  const compilerState = CompilerState.create(first, {
    additionalEntryPoints: others.map(({ mainEntryPointFilePath }) => mainEntryPointFilePath),
  });
  return configs.flatMap((config) => {
    const { apiReportChanged, errorCount } = Extractor.invoke(config, { compilerState, localBuild: !onlyChecks });
    if (errorCount > 0) process.exitCode = 1;
    return apiReportChanged ? [nameOf(config.mainEntryPointFilePath)] : [];
  });
}

/** `lib/lab/index.d.ts` is `lab`, `lib/index.d.ts` is `index`. */
function nameOf(module: string): string {
  const [, name = "index"] = /lib\/(\w+)(?:\/index)?\.(?:d\.)?ts$/.exec(module) ?? [];
  return name;
}

function configOf(module: string): ExtractorConfig {
  return ExtractorConfig.prepare({
    packageJsonFullPath: packageFile("package.json"),
    configObjectFullPath: undefined,
    configObject: {
      projectFolder: packageFile("."),
      newlineKind: "lf",
      mainEntryPointFilePath: join(declarations, module.replace(/\.ts$/, ".d.ts")),
      compiler: {
        overrideTsconfig: { compilerOptions: { moduleResolution: "bundler", module: "esnext", types: ["node"] } },
      },
      apiReport: {
        enabled: true,
        reportFolder: packageFile(REPORTS),
        reportTempFolder: work,
        reportFileName: nameOf(module),
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
}
