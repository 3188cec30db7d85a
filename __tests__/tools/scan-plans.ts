import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { packageFile } from "../../lib/core/package-file";
import { type Inputs } from "../rehearsal/deployment/deployment";
import { copyFolder } from "../rehearsal/deployment/folder-copy";
import { runTerraform } from "../rehearsal/deployment/terraform-process";
import { findProgram } from "../support/programs";

interface Finding {
  readonly check: string;
  readonly asks: string;
  readonly stack: string;
  /** Whether the plan is that of the example for a hardened landing zone. */
  readonly isHardened: boolean;
  readonly resource: string;
  /** File and first line in HCL; empty where the scanner does not find it there. */
  readonly place: string;
}

/** A check that fails on a type of resource, and stays so. */
interface AcceptedFinding {
  readonly check: string;
  readonly type: string;
  readonly reason: string;
  /** Input by which it is gone in a hardened landing zone. */
  readonly mendedBy?: string;
}

interface ScannerReport {
  readonly results: {
    readonly failed_checks: readonly {
      readonly check_id: string;
      readonly check_name: string;
      readonly resource: string;
      readonly file_path: string;
      readonly file_line_range: readonly [first: number, last: number];
    }[];
  };
  readonly summary: { readonly resource_count: number };
}

const HOW_TO_GET = `There is no checkov on the PATH. Install it into an environment of its own, outside the checkout:
  python3 -m venv ~/checkov && ~/checkov/bin/pip install checkov
  PATH="$HOME/checkov/bin:$PATH" npm run scan
`;

const HOW_TO_GET_LINTER = `There is no tflint on the PATH, so style is not looked at. With Go, outside the checkout:
  go install github.com/terraform-linters/tflint@v0.64.0
`;

/** Every rule of tflint for Terraform, which needs no provider. */
const LINTER_SETTINGS = `plugin "terraform" {
  enabled = true
  preset  = "all"
}
`;

/** What is planned of each stack: as it is, and with what makes other resources. */
const PLANS: readonly (readonly [stack: string, inputs: Inputs])[] = [
  ["idp-serverless", {}],
  ["idp-kubernetes", {}],
  ["idp-kubernetes", { domain: "login.example.com" }],
  ["assessment-lab", {}],
];

/** Examples of inputs for landing zones; every stack has both. */
const EXAMPLES = ["landing-zone", "hardened"] as const;

function examplePlans(): (readonly [stack: string, inputs: Inputs, example: string])[] {
  const stacks = [...new Set(PLANS.map(([stack]) => stack))];
  return EXAMPLES.flatMap((example) =>
    stacks.map((stack) => {
      const file = packageFile(`stacks/examples/${example}/${stack}.tfvars.json`);
      return [stack, JSON.parse(readFileSync(file, "utf8")) as Inputs, example] as const;
    }),
  );
}

/**
 * Plans every stack's folder in HCL with the real providers, without an account, and has checkov look at the plans.
 * Fails on findings that accepted-findings.json does not have, and on those that it has and are gone.
 */
async function main(): Promise<number> {
  const scanner = findProgram("checkov");
  const isNeat = lintFolders(findProgram("tflint"));
  const program = findProgram("terraform") ?? findProgram("tofu");
  if (scanner === undefined) return complain(HOW_TO_GET);
  if (program === undefined) return complain("There is neither terraform nor tofu on the PATH.\n");

  const findings: Finding[] = [];
  for (const [stack, inputs, example = ""] of [...PLANS, ...examplePlans()]) {
    const plan = await planOf(stack, inputs, program);
    try {
      // With the folder, the scanner tells the lines of a finding.
      const what = ["--file", join(plan, "plan.json"), "--repo-root-for-plan-enrichment", plan];
      const { stdout, stderr } = spawnSync(scanner, [...OPTIONS, ...what], {
        encoding: "utf8",
        cwd: plan,
        env: { ...process.env, HOME: plan, LOG_LEVEL: "ERROR" },
        maxBuffer: 2 ** 28,
        timeout: 300_000,
      });
      const found = findingsOf(stack, stdout === "" ? stderr : stdout, example === "hardened");
      process.stdout.write(`${stack} ${example || JSON.stringify(inputs)}: ${found.length} findings\n`);
      findings.push(...found);
    } finally {
      rmSync(plan, { recursive: true, force: true });
    }
  }

  const accepted = JSON.parse(readFileSync(join(__dirname, "accepted-findings.json"), "utf8")) as AcceptedFinding[];
  const problems = findingProblems(findings, accepted);
  if (problems.length > 0) return complain(`${[...new Set(problems)].join("\n")}\n`);
  process.stdout.write(`all findings are among the ${accepted.length} accepted ones\n`);
  return isNeat ? 0 : 1;
}

/** Whether the linter finds nothing in any folder, or is not there. */
function lintFolders(linter: string | undefined): boolean {
  if (linter === undefined) {
    process.stdout.write(HOW_TO_GET_LINTER);
    return true;
  }
  const folder = mkdtempSync(join(tmpdir(), "lint-"));
  const settings = join(folder, "tflint.hcl");
  writeFileSync(settings, LINTER_SETTINGS);
  const stacks = new Set(PLANS.map(([stack]) => packageFile(join("cdktf.out/stacks", stack))));
  const codes = [...stacks].map((stack) => {
    const options = [`--chdir=${stack}`, `--config=${settings}`, "--format=compact"];
    return spawnSync(linter, options, { stdio: ["ignore", "inherit", "inherit"], timeout: 60_000 }).status;
  });
  rmSync(folder, { recursive: true });
  return codes.every((code) => code === 0);
}

/** No download of policies or guides: the scan is of what is here, by what is in the scanner. */
const OPTIONS = ["--framework", "terraform_plan", "--output", "json", "--compact", "--quiet", "--skip-download"];

async function planOf(stack: string, inputs: Inputs, program: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "scan-"));
  copyFolder(packageFile(join("cdktf.out/stacks", stack)), folder);
  writeFileSync(join(folder, "scan.auto.tfvars.json"), JSON.stringify({ project_id: "my-project", ...inputs }));
  // The caller's settings may name a mirror of the providers.
  const { PATH = "", TF_CLI_CONFIG_FILE = "/dev/null" } = process.env;
  const environment = { GOOGLE_OAUTH_ACCESS_TOKEN: "fake", PATH, TF_CLI_CONFIG_FILE };
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
}

/** What the scanner found in one plan, which must have resources: it calls a plan without any clean. */
function findingsOf(stack: string, output: string, isHardened: boolean): Finding[] {
  const { results, summary } = JSON.parse(output) as Partial<ScannerReport>;
  if (results === undefined || summary === undefined || summary.resource_count === 0)
    throw new Error(`the scanner looked at no resource of ${stack}; it says: ${output.slice(0, 500)}`);
  return results.failed_checks.map(({ check_id: check, check_name: asks, resource, ...found }) => ({
    check,
    asks,
    stack,
    isHardened,
    resource: resource.replace(/\[\d+\]$/, ""),
    place: found.file_path.endsWith(".tf") ? `/${found.file_path}:${found.file_line_range[0]}` : "",
  }));
}

const covers = ({ mendedBy, ...accepted }: AcceptedFinding, { check, isHardened, resource }: Finding): boolean =>
  accepted.check === check && resource.split(".")[0] === accepted.type && !(isHardened && mendedBy !== undefined);

function findingProblems(findings: readonly Finding[], accepted: readonly AcceptedFinding[]): string[] {
  const unknown = findings.filter((finding) => !accepted.some((entry) => covers(entry, finding)));
  const stale = accepted.filter((entry) => !findings.some((finding) => covers(entry, finding)));
  return [
    ...unknown.map(
      ({ asks, check, place, resource, stack }) =>
        `${stack}${place}: ${resource} fails ${check} (${asks}); fix it, or accept it with a reason`,
    ),
    ...stale.map(({ check, type }) => `${check} is accepted for ${type} and no longer found; remove it`),
  ];
}

function complain(text: string): number {
  process.stderr.write(text);
  return 1;
}

void main().then(
  (exitCode) => (process.exitCode = exitCode),
  (error: unknown) => {
    process.exitCode = complain(`${error instanceof Error ? error.message : String(error)}\n`);
  },
);
