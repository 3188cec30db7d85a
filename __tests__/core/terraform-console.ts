import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { type Terraform, temporaryFolder } from "../support/synthesis";
import { programPath } from "../support/programs";

/** The locals of a configuration that needs no provider, as the real Terraform evaluates them. */
export function evaluatedLocals({ locals, variable }: Terraform): Record<string, unknown> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "main.tf.json"), JSON.stringify({ locals, variable }));
  const values = Object.keys(locals ?? {}).map((name) => `${name} = local.${name}`);
  const answer = execFileSync(programPath("terraform"), ["console"], {
    cwd: folder,
    input: `jsonencode({${values.join(", ")}})\n`,
    encoding: "utf8",
    stdio: "pipe",
    // Without the developer's own configuration.
    env: { PATH: process.env.PATH, HOME: folder, TF_CLI_CONFIG_FILE: "/dev/null", CHECKPOINT_DISABLE: "1" },
  });
  return JSON.parse(JSON.parse(answer) as string) as Record<string, unknown>;
}
