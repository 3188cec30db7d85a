import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const REPOSITORY = join(__dirname, "../..");
const scratch = mkdtempSync(join(tmpdir(), "bench-"));

/** The framework's template with one resource, and a program of ours with some tenants. */
const TEMPLATE = `
import { App, TerraformStack } from "cdktf";
import { GoogleProvider } from "@cdktf/provider-google/lib/provider";
import { StorageBucket } from "@cdktf/provider-google/lib/storage-bucket";
const app = new App();
const stack = new TerraformStack(app, "template");
new GoogleProvider(stack, "google", {});
new StorageBucket(stack, "bucket", { name: "bucket", location: "EU" });
app.synth();
`;
const TEMPLATE_OPTIONS = {
  module: "CommonJS",
  moduleResolution: "Node",
  skipLibCheck: true,
  strict: true,
  target: "ES2018",
};
const TENANTS = `
import { GoogleProvider } from "@cdktf/provider-google/lib/provider";
import { App } from "cdktf";
import { PortableStack, ServerlessIdentityProvider } from "${REPOSITORY}/lib";
const app = new App();
for (let tenant = 1; tenant <= Number(process.argv[2]); tenant++) {
  const stack = new PortableStack(app, \`tenant-\${tenant}\`, { providers: ["google", "random"] });
  new GoogleProvider(stack, "google", { project: "my-project", region: "us-central1" });
  new ServerlessIdentityProvider(stack, "Idp", { projectId: "my-project", region: "us-central1", tenantId: \`t\${tenant}\` });
}
app.synth();
`;

/** Milliseconds of a command: the median of five runs after one that warms the caches. */
function milliseconds(command: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}, runs = 5): number {
  const run = (): number => {
    const start = performance.now();
    const env = { ...process.env, CDKTF_OUTDIR: join(scratch, "out"), ...environment };
    const { status, stdout, stderr } = spawnSync(command, args, { cwd: REPOSITORY, encoding: "utf8", env });
    if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed:\n${stdout}${stderr}`);
    return performance.now() - start;
  };
  if (runs > 1) run();
  return Array.from({ length: runs }, run).sort((one, other) => one - other)[Math.floor(runs / 2)] ?? NaN;
}

function program(name: string, text: string): string {
  writeFileSync(join(scratch, name), text);
  return join(scratch, name);
}

/** What is measured beside what, and how many times as long the latter may take at least. */
type Figure = readonly [name: string, ours: number, other: number, least: number];

/** Every measurement by the name that the command takes. */
const MEASUREMENTS: Readonly<Record<string, () => Figure | Promise<Figure>>> = {
  synthesis: () => [
    "one stack, beside the framework's template on ts-node",
    milliseconds("npm", ["run", "--silent", "synth", "--", "idp-serverless"]),
    milliseconds(process.execPath, ["node_modules/ts-node/dist/bin.js", program("template.ts", TEMPLATE)]),
    1,
  ],
  tenants: () => {
    const path = program("tenants.ts", TENANTS);
    const synthesis = (tenants: number) => milliseconds(process.execPath, ["--import", "tsx", path, String(tenants)]);
    return ["twenty tenants in one app, beside twenty apps", synthesis(20), 20 * synthesis(1), 1];
  },
  inventory: async () => [
    "100,000 machines of AWS, beside ten times 10,000",
    await exportMilliseconds(100_000),
    10 * (await exportMilliseconds(10_000)),
    0.8,
  ],
};

/** Reads a fleet of AWS, which a process of its own serves on this machine. */
async function exportMilliseconds(machines: number): Promise<number> {
  const args = ["--import", "tsx", "__tests__/bench/serve-fleet.ts", String(machines)];
  const server = spawn(process.execPath, args, { cwd: REPOSITORY, stdio: ["ignore", "pipe", "inherit"] });
  try {
    const endpoint = await new Promise<string>((resolve, reject) => {
      server.stdout.setEncoding("utf8").once("data", (text: string) => resolve(text.trim()));
      server.once("close", () => reject(new Error("the server of pages has ended")));
    });
    const folder = join(scratch, `fleet-${machines}`);
    mkdirSync(folder);
    const environment = {
      ...{ HOME: folder, TMPDIR: folder, INVENTORY_FOLDER: folder, CLOUDB_REGION: "us-east-1", AWS_PAGER: "" },
      ...{ AWS_ACCESS_KEY_ID: "AKIAMEASURED00000001", AWS_SECRET_ACCESS_KEY: "measured", AWS_ENDPOINT_URL: endpoint },
      GOOGLE_REST_LIBRARY: join(REPOSITORY, "lib/core/scripts/google-rest.sh"),
    };
    return milliseconds("sh", ["lib/lab/scripts/export-inventory.sh"], environment, 1);
  } finally {
    server.kill();
  }
}

async function main(names: readonly string[]): Promise<void> {
  symlinkSync(join(REPOSITORY, "node_modules"), join(scratch, "node_modules"));
  program("tsconfig.json", JSON.stringify({ compilerOptions: TEMPLATE_OPTIONS }));
  for (const name of names) {
    const { [name]: measured } = MEASUREMENTS;
    if (measured === undefined) throw new Error(`"${name}" is not one of ${Object.keys(MEASUREMENTS).join(", ")}`);
    const [what, ours, other, least] = await measured();
    const verdict = other / ours >= least ? "" : ", missed";
    process.stdout.write(
      `${what}: ${ours.toFixed(0)} and ${other.toFixed(0)} ms, ${(other / ours).toFixed(1)} x${verdict}\n`,
    );
    if (verdict !== "") process.exitCode = 1;
  }
}

/** Without a name, all but the inventory, which takes minutes. */
main(process.argv.length > 2 ? process.argv.slice(2) : ["synthesis", "tenants"])
  .catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  })
  .finally(() => {
    rmSync(scratch, { recursive: true, force: true });
  });
