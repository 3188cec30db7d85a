import { execFile } from "node:child_process";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";

import { packageFile } from "../../../lib/core/package-file";
import { programPath } from "../../support/programs";
import { temporaryFolder } from "../../support/temporary-folder";
import { Deployment } from "../deployment/deployment";
import { IDP_SERVERLESS } from "../scenarios/idp-serverless";

/** Deploys and destroys a stack with the framework's own command line, `cdktf`, against the stand-ins. */

const execute = promisify(execFile);

/** The framework treats all stacks alike. */
const STACK = "idp-serverless";

async function main(program: string): Promise<void> {
  const { inputs, protection } = IDP_SERVERLESS;
  const terraform = programPath("terraform");
  const source = packageFile(join("cdktf.out", "stacks", STACK));
  const deployment = await Deployment.start({ source, inputs, program: terraform });
  const output = temporaryFolder();
  const folders = [deployment.programEnvironment.PATH, dirname(process.execPath), dirname(terraform)];
  const PATH = [...folders, "/usr/bin", "/bin"].join(delimiter);
  const variables = Object.entries({ ...inputs, ...protection?.off });
  const run = async (command: string) => {
    // Locking queries the provider registry, which does not know the stand-ins.
    const options = ["--auto-approve", "--skip-provider-lock", `--output=${output}`];
    const values = variables.map(([name, value]) => `--var=${name}=${String(value)}`);
    await execute(program, [command, STACK, ...options, ...values], {
      cwd: packageFile("."),
      env: { ...deployment.programEnvironment, PATH, HOME: output, CHECKPOINT_DISABLE: "1" },
      maxBuffer: 2 ** 28,
    });
    process.stdout.write(`cdktf ${command} ${STACK}: ${deployment.cloud.objects.size} things exist\n`);
  };
  try {
    await run("deploy");
    if (deployment.cloud.objects.size === 0) throw new Error(`cdktf deploy ${STACK} has made nothing`);
    await run("destroy");
    const left = [...deployment.cloud.objects.keys()];
    if (left.length > 0) throw new Error(`cdktf destroy ${STACK} has left ${left.join(", ")}`);
  } finally {
    await deployment.stop();
  }
}

main(process.argv[2] ?? "cdktf").catch((error: unknown) => {
  const { stdout = "", message } = error as Error & { readonly stdout?: string };
  process.stderr.write(`${stdout}\n${message}\n`);
  process.exitCode = 1;
});
