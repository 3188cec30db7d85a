import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

import { packageFile } from "../../lib/core/package-file";
import { type Inputs } from "../rehearsal/deployment/deployment";
import { copyFolder } from "../rehearsal/deployment/folder-copy";
import { PluginServer } from "../rehearsal/providers/plugin-server";
import { realProviderEnvironment } from "../rehearsal/command/real-providers";
import { runTerraform } from "../rehearsal/deployment/terraform-process";
import { findProgram } from "../support/programs";
import { findingProblems, findingsOf, findingsPage, type AcceptedFinding, type Finding } from "./scanner-findings";

const USAGE = `npm run scan -- [--providers MIRROR]

Plans every stack with the real providers, without an account, has checkov look at the plans and writes
stacks/scanner-findings.md. Fails on findings that __tests__/tools/accepted-findings.json does not have.
  --providers MIRROR  take the providers from a filesystem mirror instead of the registry
`;

const HOW_TO_GET = `There is no checkov on the PATH. Install it into an environment of its own, outside the checkout:
  python3 -m venv ~/checkov && ~/checkov/bin/pip install checkov
  PATH="$HOME/checkov/bin:$PATH" npm run scan
`;

/** What is planned of each stack: as it is, and with what makes other resources. */
const PLANS: readonly (readonly [stack: string, inputs: Inputs])[] = [
  ["idp-serverless", {}],
  ["idp-kubernetes", {}],
  ["idp-kubernetes", { domain: "login.example.com" }],
  ["assessment-lab", {}],
];

const PAGE = packageFile("stacks/scanner-findings.md");

async function main(mirror: string | undefined): Promise<number> {
  const scanner = findProgram("checkov");
  const program = findProgram("terraform") ?? findProgram("tofu");
  if (scanner === undefined) return complain(HOW_TO_GET);
  if (program === undefined) return complain("There is neither terraform nor tofu on the PATH.\n");

  const findings: Finding[] = [];
  for (const [stack, inputs] of PLANS) {
    const plan = await planOf(stack, inputs, program, mirror);
    try {
      const { stdout, stderr } = spawnSync(scanner, [...OPTIONS, "--file", join(plan, "plan.json")], {
        encoding: "utf8",
        cwd: plan,
        env: { ...process.env, HOME: plan, LOG_LEVEL: "ERROR" },
        maxBuffer: 2 ** 28,
        timeout: 300_000,
      });
      const found = findingsOf(stack, stdout === "" ? stderr : stdout);
      process.stdout.write(`${stack} ${JSON.stringify(inputs)}: ${found.length} findings\n`);
      findings.push(...found);
    } finally {
      rmSync(plan, { recursive: true, force: true });
    }
  }

  const accepted = JSON.parse(
    readFileSync(join(__dirname, "accepted-findings.json"), "utf8"),
  ) as readonly AcceptedFinding[];
  const problems = findingProblems(findings, accepted);
  if (problems.length > 0) return complain(`${[...new Set(problems)].join("\n")}\n`);
  writeFileSync(PAGE, findingsPage(findings, accepted));
  process.stdout.write(`${accepted.length} accepted findings are in ${PAGE}\n`);
  return 0;
}

/** No download of policies or guides: the scan is of what is here, by what is in the scanner. */
const OPTIONS = ["--framework", "terraform_plan", "--output", "json", "--compact", "--quiet", "--skip-download"];

/** A folder with the plan of a stack as `plan.json`. */
async function planOf(stack: string, inputs: Inputs, program: string, mirror: string | undefined): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "scan-"));
  copyFolder(packageFile(join("cdktf.out/stacks", stack)), folder);
  writeFileSync(join(folder, "scan.auto.tfvars.json"), JSON.stringify({ project_id: "my-project", ...inputs }));
  const plugins = new PluginServer();
  const onProgress = (line: string) => process.stdout.write(`${line}\n`);
  const environment: Record<string, string> =
    mirror === undefined
      ? { GOOGLE_OAUTH_ACCESS_TOKEN: "fake", PATH: process.env.PATH ?? "" }
      : await realProviderEnvironment({ folder, mirror, plugins, onProgress });
  try {
    for (const command of [
      ["init", "-input=false", "-no-color"],
      ["plan", "-input=false", "-no-color", "-out=plan.bin"],
    ]) {
      const { exitCode, output } = await runTerraform({ program, folder, environment }, ...command);
      if (exitCode !== 0) throw new Error(`${stack}: terraform ${command[0] ?? ""} failed\n${output}`);
    }
    const { output } = await runTerraform({ program, folder, environment }, "show", "-json", "plan.bin");
    writeFileSync(join(folder, "plan.json"), output);
    return folder;
  } finally {
    plugins.stop();
  }
}

function complain(text: string): number {
  process.stderr.write(text);
  return 1;
}

const { values } = parseArgs({ options: { help: { type: "boolean" }, providers: { type: "string" } } });
if (values.help === true) {
  process.stdout.write(USAGE);
} else {
  void main(values.providers === undefined ? undefined : resolve(values.providers)).then(
    (exitCode) => (process.exitCode = exitCode),
    (error: unknown) => {
      process.exitCode = complain(`${error instanceof Error ? error.message : String(error)}\n`);
    },
  );
}
