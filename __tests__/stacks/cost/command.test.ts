import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { costCommand } from "../../../stacks/cost/command";
import { monthlyCost, type Cost } from "../../../stacks/cost/monthly-cost";
import { defaultInputs } from "./default-inputs";
import { temporaryFolder } from "../../support/temporary-folder";

let folder = "";

beforeAll(() => {
  folder = temporaryFolder();
});

/** Runs the command on files with these texts. */
async function cost(args: string, files: Readonly<Record<string, string>> = {}) {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return await costCommand(args.split(" "), folder);
}

const problemsOf = async (args: string, files: Readonly<Record<string, string>> = {}): Promise<string[]> => {
  const { exitCode, output, problems } = await cost(args, files);
  expect([exitCode, output]).toEqual([1, ""]);
  return problems.trimEnd().split("\n");
};

describe("npm run cost", () => {
  it.each(["idp-serverless", "idp-kubernetes", "assessment-lab"] as const)(
    "prices %s with what is shipped as defaults",
    async (stack) => {
      const { exitCode, output, problems } = await cost(`${stack} --json`);
      expect([exitCode, problems]).toEqual([0, ""]);
      expect(JSON.parse(output)).toEqual(JSON.parse(JSON.stringify(monthlyCost(stack, defaultInputs(stack)))));
    },
  );

  it("prints a row for each part, the sum, what ranges depend on and what is not known", async () => {
    const { output } = await cost("assessment-lab --var-file a.tfvars", { "a.tfvars": "linux_vm_count = 1" });
    expect(output.split("\n")).toEqual([
      "assessment-lab: 126.73 US dollars a month",
      "List prices of us-central1 in US dollars, looked up by 2026-11-22; a month has 730 hours.",
      "",
      "Part                       Quantity  Unit            Price  A month",
      "Windows VM, CPU                 730  vCPU-hour  0.02181159    15.92",
      "Windows VM, memory            2,920  GiB-hour   0.00292353     8.54",
      "Licence of Windows Server     1,460  vCPU-hour       0.046    67.16",
      "Disk of the Windows VM           50  GiB-month         0.1     5.00",
      "Address of the Windows VM       730  hour            0.005     3.65",
      "Linux VMs, CPU                  730  vCPU-hour  0.02181159    15.92",
      "Linux VMs, memory             2,920  GiB-hour   0.00292353     8.54",
      "Disks of the Linux VMs           20  GiB-month         0.1     2.00",
      "Sum                                                          126.73",
      "",
      "What is not known",
      "  - The VMs are billed as if they ran all month. A stopped VM costs only its disk.",
      "  - Traffic from VMs to the internet is not in the sum.",
      "  - Taxes, discounts and the free tiers of a billing account are not in the sums.",
      "",
      "Sources of the prices, and the assumed use: stacks/costs.md",
      "",
    ]);
    const { output: serverless } = await cost("idp-serverless");
    expect(serverless).toContain("\n\nA first apply costs 0.02 to 0.07 in addition, once.\n");
    expect(serverless).toContain(
      "\nWhat the ranges depend on\n  - Server, CPU; Server, memory: 1 to 3 instances, as many as requests need.\n",
    );
  });

  it("takes inputs as HCL and as JSON, with conversions as Terraform has them", async () => {
    const files = {
      "a.tfvars": 'max_instance_count = "2"\nprotection = {}\ndomain = "login.example.com" # and so on\n',
      "a.tfvars.json":
        '{"$schema": "./inputs.schema.json", "//": "and so on", "max_instance_count": 2, "protection": {}, "domain": "login.example.com"}',
    };
    const [hcl, json] = await Promise.all(
      Object.keys(files).map((name) => cost(`idp-serverless -var-file=${name} --json`, files)),
    );
    expect(hcl).toEqual(json);
    const { parts } = JSON.parse(hcl?.output ?? "") as Cost;
    expect(parts.find(({ name }) => name === "Rules of the security policy")?.amount.max).toBe(9);
    expect(parts.find(({ name }) => name === "Server, CPU")?.amount.max).toBe(189.216);
  });

  it("takes several files, of which the last one counts", async () => {
    const files = { "a.tfvars": "linux_vm_count = 9\ncreate_windows_vm = false", "b.tfvars": "linux_vm_count = 0" };
    const { output } = await cost("assessment-lab --var-file a.tfvars --var-file b.tfvars", files);
    expect(output).toContain("assessment-lab: 0.00 US dollars a month");
  });

  it("reports all problems of the inputs at once", async () => {
    const files = {
      "a.tfvars": [
        "worker_cont = 1",
        'container_cpu = "two"',
        'labels = ["a"]',
        "alert_emails = { a = 1 }",
        "smtp = { port = 25 }",
        "deletion_protection = 1",
        'alerts = { "cpu" = { threshold = "much" } }',
        'database_tier = "db-f1-micro"',
        "dns_zone = 1",
      ].join("\n"),
    };
    const problems = await problemsOf("idp-serverless --var-file a.tfvars", files);
    expect(problems.map((problem) => problem.replace(/; it must be db-.*/, "; …"))).toEqual([
      "cost: 11 problems",
      "  - worker_cont is not an input of idp-serverless; stacks/idp-serverless.md lists them",
      "  - labels has the wrong type; it must be a map",
      "  - smtp.host is missing; it has no default; set it",
      "  - smtp.port is 25; it must not be 25, because Google Cloud blocks that port; use 587, or 465 with tls",
      "  - smtp.from is missing; it has no default; set it",
      '  - database_tier is "db-f1-micro"; …',
      "  - deletion_protection has the wrong type; it must be true or false",
      "  - container_cpu has the wrong type; it must be a number",
      "  - dns_zone has the wrong type; it must be an object",
      "  - alert_emails has the wrong type; it must be a list of strings",
      "  - alerts.cpu.threshold has the wrong type; it must be a number",
    ]);
  });

  it("refuses inputs with which the minimum of a part exceeds its maximum", async () => {
    expect(await problemsOf("idp-kubernetes --var-file a.tfvars", { "a.tfvars": "min_instance_count = 5" })).toEqual([
      "cost: 1 problem",
      "  - Server, CPU; Server, memory; Server, disk: the minimum exceeds the maximum, because inputs contradict each other; terraform plan names them",
    ]);
  });

  it("does not show the value of a secret", async () => {
    const [, problem = ""] = await problemsOf("idp-serverless --var-file a.tfvars", {
      "a.tfvars": 'bootstrap_password = "S3cr3t"',
    });
    expect(problem).toContain("bootstrap_password");
    expect(problem).not.toContain("S3cr3t");
  });

  it("refuses values that are computed, as Terraform does", async () => {
    const text = 'region = var.other\nlabels = { a = "${1 + 1}" }\ntenant_id = "a"';
    expect(await problemsOf("idp-serverless --var-file a.tfvars", { "a.tfvars": text })).toEqual([
      "cost: 1 problem",
      "  - a.tfvars computes labels, region; a file of variables must contain only values, as for Terraform; write the value",
    ]);
  });

  it("reports a missing or unreadable file", async () => {
    const files = { "a.tfvars": "a = [1", "b.json": "{", "c.json": "[]" };
    const problems = await problemsOf(
      "idp-serverless --var-file none.tfvars --var-file a.tfvars --var-file b.json --var-file c.json",
      files,
    );
    expect(problems.length).toBe(5);
    expect(problems[1]).toMatch(
      /^ {2}- none\.tfvars cannot be read: ENOENT: .*; check its name and the current folder$/,
    );
    expect(problems[2]).toMatch(/^ {2}- a\.tfvars is not valid: .+/);
    expect(problems[3]).toMatch(/^ {2}- b\.json is not valid: .+/);
    expect(problems[4]).toBe("  - c.json holds no inputs; it must be an object with a member for each input");
  });

  it("names the known stacks", async () => {
    const known = "name one of idp-serverless, idp-kubernetes, assessment-lab";
    expect((await problemsOf("--json"))[1]).toBe(`  - no stack is named; ${known}`);
    expect((await problemsOf("idp"))[1]).toBe(`  - idp is no stack; ${known}`);
    expect((await problemsOf("idp-serverless assessment-lab"))[1]).toBe(
      `  - idp-serverless, assessment-lab are several stacks; ${known}`,
    );
  });

  it("refuses an unknown option", async () => {
    expect(await problemsOf("idp-serverless --verbose")).toEqual([
      "cost: 1 problem",
      "  - Unknown option '--verbose'; --help lists the options",
    ]);
  });

  it("explains itself", async () => {
    const { exitCode, output, problems } = await cost("--help");
    expect([exitCode, problems]).toEqual([0, ""]);
    expect(output).toContain("Usage: npm run --silent cost -- <stack> [--var-file FILE]... [--json]");
  });
});
