import { TerraformResource } from "cdktf";
import { stringify } from "yaml";

import { SYNTHESIZED } from "../../lib/core/hcl/hcl-files";
import { hclFilesOf } from "../../lib/core/hcl/stack-origin";
import { literalKubernetes, literalServerless } from "./literal-programs";
import { withoutMetadata } from "./serverless-stack";
import { STACKS } from "./variants";

/**
 * Files whose content other tests show: inputs are in the pages and refused inputs, warnings have tests of their own.
 */
const SHOWN_ELSEWHERE = ["variables.tf", "checks.tf"];

/** Without what every file begins with, and lines between blocks. */
const reviewed = (text: string): string =>
  text
    .replace(SYNTHESIZED, "")
    .replaceAll(/\n{2,}/g, "\n")
    .trim();

/** In the configuration of a program: its props as local values, the rules for them, and what every stack has. */
const REPEATS = /_given_|_inputs$|^check$|^provider$|^terraform$/;

/**
 * A difference is reviewed like code, then accepted by `npm test -- -u`; `hardening.test.ts` says what never changes.
 */
describe("What is synthesized", () => {
  it.each(STACKS)("for $name is as reviewed", ({ stack: stackOf }) => {
    const stack = stackOf();
    const files = Object.entries(hclFilesOf(stack, stack.toTerraform(), {})).filter(
      ([name]) => !SHOWN_ELSEWHERE.includes(name),
    );
    expect(files.map(([name, text]) => `### ${name}\n${reviewed(text)}`).join("\n")).toMatchSnapshot();
  });

  it.each(STACKS)("for $name has no resource more than three constructs deep", ({ stack }) => {
    const resources = stack()
      .node.findAll()
      .filter((each) => TerraformResource.isTerraformResource(each));
    const deeper = resources.filter(({ node }) => node.scopes.slice(2, -1).length > 3);
    expect(deeper.map(({ node }) => node.path)).toEqual([]);
    expect(resources).not.toEqual([]);
  });

  it.each([
    ["ServerlessIdentityProvider", () => literalServerless()],
    ["KubernetesIdentityProvider", literalKubernetes],
  ])("for a program that gives every prop of %s is as reviewed", (_name, terraform) => {
    const own = JSON.stringify(withoutMetadata(terraform()), (name, value: unknown) =>
      REPEATS.test(name) ? undefined : value,
    );
    expect(stringify(JSON.parse(own), { lineWidth: 0, sortMapEntries: true })).toMatchSnapshot();
  });
});
