import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { CompilerState, Extractor, ExtractorConfig, ExtractorLogLevel } from "@microsoft/api-extractor";
import * as ts from "typescript";

import { packageFile } from "../../lib/core/package-file";
import { apiPage, ENTRIES } from "./api-page";
import { DeclaredApi } from "./declared-api";

/**
 * Updates the reports of what can be imported from the package, and its reference; with `--check` it only says which are
 * not up to date. Either way, what is exported without a comment is refused.
 */
const onlyChecks = process.argv.includes("--check");

const REPORTS = "__tests__/package/public-surface";
const REFERENCE = "lib/API.md";

// Below the package, whose name and dependencies the extractor looks up, and not in node_modules, which it takes for others'.
const work = packageFile("dist/public-surface");
const declarations = join(work, "declarations");
mkdirSync(declarations, { recursive: true });

try {
  const program = compiled();
  const reference = apiPage(new DeclaredApi(program));
  const stale = [
    ...(isWritten(REFERENCE, reference.text) ? [] : [REFERENCE]),
    ...staleReports().map((name) => `${REPORTS}/${name}.api.md`),
  ];
  if (onlyChecks && stale.length > 0)
    refuse(
      `${stale.join(", ")}: not what can be imported now; run npm run surface, and commit the difference if it is meant`,
    );
  const { undocumented } = reference;
  if (undocumented.length > 0)
    refuse(
      `exported, so users read about it in ${REFERENCE}; say what each is for, and with @default what happens without it:\n  ${undocumented.join("\n  ")}`,
    );
} finally {
  rmSync(work, { recursive: true });
}

function refuse(problem: string): void {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
}

/** The library, whose declarations are written for the extractor. */
function compiled(): ts.Program {
  const options = { emitDeclarationOnly: true, noCheck: true, noErrorTruncation: true, outDir: declarations };
  const config = ts.getParsedCommandLineOfConfigFile(packageFile("tsconfig.build.json"), options, {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: ({ messageText }) => {
      throw new Error(ts.flattenDiagnosticMessageText(messageText, "\n"));
    },
  });
  const program = ts.createProgram(config?.fileNames ?? [], config?.options ?? {});
  program.emit();
  return program;
}

/** Whether a file has this text; writes it unless files are only checked. */
function isWritten(file: string, text: string): boolean {
  try {
    if (readFileSync(packageFile(file), "utf8") === text) return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  if (!onlyChecks) writeFileSync(packageFile(file), text);
  return false;
}

/** Compares the reports of all entries, or writes them; gives the names of those that differ. */
function staleReports(): string[] {
  const configs = Object.entries(ENTRIES).map(([, module]) => configOf(module));
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
          // Its list has line numbers, and would change with every line of the library; the reference has names.
          "ae-undocumented": { logLevel: ExtractorLogLevel.None },
          // Listed in the report, so that a type that is named and cannot be imported is a change that is seen.
          "ae-forgotten-export": { logLevel: ExtractorLogLevel.None, addToApiReportFile: true },
        },
      },
    },
  });
}
