import { execFile } from "node:child_process";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";

import { packageFile } from "../../../lib/core/package-file";
import { programPath } from "../../support/programs";
import { temporaryFolder } from "../../support/temporary-folder";
import { Deployment } from "../deployment/deployment";
import { ASSESSMENT_LAB } from "../scenarios/assessment-lab";
import { IDP_SERVERLESS } from "../scenarios/idp-serverless";

/** Deploys and destroys a stack of each kind with the framework's own command line, `cdktf`, against the stand-ins. */

const execute = promisify(execFile);

/** The framework treats both identity providers alike. */
const STACKS = { "idp-serverless": IDP_SERVERLESS, "assessment-lab": ASSESSMENT_LAB };

async function main(program: string): Promise<void> {
  for (const [stack, { inputs, protection }] of Object.entries(STACKS)) {
    const terraform = programPath("terraform");
    const source = packageFile(join("cdktf.out", "stacks", stack));
    const deployment = await Deployment.start({ source, inputs, program: terraform });
    const output = temporaryFolder();
    const run = async (command: string, settings: object) => {
      const variables = Object.entries(settings).map(([name, value]) => `--var=${name}=${String(value)}`);
      const path = [
        deployment.programEnvironment.PATH,
        dirname(process.execPath),
        dirname(terraform),
        "/usr/bin",
        "/bin",
      ];
      // Locking queries the provider registry, which does not know the stand-ins.
      const options = ["--auto-approve", "--skip-provider-lock", `--output=${output}`];
      await execute(program, [command, stack, ...options, ...variables], {
        cwd: packageFile("."),
        env: { ...deployment.programEnvironment, PATH: path.join(delimiter), HOME: output, CHECKPOINT_DISABLE: "1" },
        maxBuffer: 2 ** 28,
      });
      process.stdout.write(`cdktf ${command} ${stack}: ${deployment.cloud.objects.size} things exist\n`);
    };
    try {
      const unprotected = { ...inputs, ...protection?.off };
      await run("deploy", unprotected);
      if (deployment.cloud.objects.size === 0) throw new Error(`cdktf deploy ${stack} has made nothing`);
      await run("destroy", unprotected);
      const left = [...deployment.cloud.objects.keys()];
      if (left.length > 0) throw new Error(`cdktf destroy ${stack} has left ${left.join(", ")}`);
    } finally {
      await deployment.stop();
    }
  }
}

main(process.argv[2] ?? "cdktf").catch((error: unknown) => {
  const { stdout = "", message } = error as Error & { readonly stdout?: string };
  process.stderr.write(`${stdout}\n${message}\n`);
  process.exitCode = 1;
});
