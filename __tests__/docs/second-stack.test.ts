import { execFileSync } from "node:child_process";

import { BOOTSTRAP_TOKEN } from "../../lib/idp/contract";
import { describeWith, programPath } from "../support/programs";
import { OWN_IMAGES } from "../stacks/accepted-inputs";
import { pageOf } from "../tools/pages";

describeWith(["terraform"], "The example of a second stack", () => {
  const [block = ""] =
    /(?<=```hcl\n)terraform \{[\s\S]*?(?=```)/.exec(pageOf("stacks/identity-provider.md").text) ?? [];

  it("is what Terraform reads, in its own format", () => {
    const formatted = execFileSync(programPath("terraform"), ["fmt", "-"], {
      input: block,
      encoding: "utf8",
      env: { TF_CLI_CONFIG_FILE: "/dev/null" },
    });
    expect(block).not.toBe("");
    expect(formatted).toBe(block);
  });

  it("reads the secret that the first stack makes with its defaults", () => {
    const [, prefix = ""] = /\/idp-(\w+-\w+)\/$/.exec(OWN_IMAGES) ?? [];
    expect(block).toContain(`"secret-${prefix}-idp-${BOOTSTRAP_TOKEN.suffix}"`);
  });
});
