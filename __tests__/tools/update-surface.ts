import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";

import { CompilerState, Extractor, ExtractorConfig, ExtractorLogLevel } from "@microsoft/api-extractor";
import * as ts from "typescript";

import { packageFile } from "../../lib/core/package-file";
import { listMembers } from "./list-members";

/**
 * Updates the reports of what can be imported from the package; with `--check` it only says which are not up to date.
 * Both fail if a type that something in the package names, such as that of a property, can be imported from no entry.
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
  refuseForgotten();
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
  const entries = ENTRIES.map(declarationsOf);
  listMembers(ts.createProgram(entries, { ...config?.options, noEmit: true }), declarations);
}

/** Of all entries at once: what a part on GKE shares with one on Cloud Run is imported from the main entry. */
function refuseForgotten(): void {
  const all = join(declarations, "lib/all.d.ts");
  const imports = ENTRIES.map((module) => `export * from "../${module.replace(/\.ts$/, "")}";\n`);
  writeFileSync(all, imports.join(""));
  const forgotten: string[] = [];
  Extractor.invoke(configOf(all, { isReported: false }), {
    messageCallback: (message) => {
      message.handled = true;
      if (message.messageId !== "ae-forgotten-export") return;
      const [, name = message.text] = /"(.+)"/.exec(message.text) ?? [];
      const file = relative(declarations, message.sourceFilePath ?? all);
      forgotten.push(`${name}, which ${file.replace(/\.d\.ts$/, ".ts")} names\n`);
    },
  });
  if (forgotten.length === 0) return;
  process.exitCode = 1;
  process.stderr.write(
    [
      "types that can be imported from no entry; export them, or mark the members that name them with @internal:\n",
      ...forgotten,
    ].join(""),
  );
}

function declarationsOf(module: string): string {
  return join(declarations, module.replace(/\.ts$/, ".d.ts"));
}

/** Compares the reports of all entries, or writes them; gives the names of those that differ. */
function staleReports(): string[] {
  const configs = ENTRIES.map((module) => configOf(declarationsOf(module)));
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

/** @param file with the declarations of an entry */
function configOf(file: string, { isReported = true } = {}): ExtractorConfig {
  return ExtractorConfig.prepare({
    packageJsonFullPath: packageFile("package.json"),
    configObjectFullPath: undefined,
    configObject: {
      projectFolder: packageFile("."),
      newlineKind: "lf",
      mainEntryPointFilePath: file,
      compiler: {
        overrideTsconfig: { compilerOptions: { moduleResolution: "bundler", module: "esnext", types: ["node"] } },
      },
      apiReport: {
        enabled: isReported,
        reportFolder: packageFile(REPORTS),
        reportTempFolder: work,
        reportFileName: nameOf(file),
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
          // Judged of all entries at once.
          "ae-forgotten-export": { logLevel: isReported ? ExtractorLogLevel.None : ExtractorLogLevel.Error },
        },
      },
    },
  });
}
