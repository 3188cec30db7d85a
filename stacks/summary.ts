import { existsSync } from "node:fs";
import { join } from "node:path";

import { type TerraformStack } from "cdktf";

import { declaredInputs, isForOneDeployment } from "../lib/core/inputs/declared-inputs";
import { warningTexts } from "../lib/core/inputs/warnings";
import { type StateBackend } from "../lib/core/state-backend";
import { LATEST_VERSION } from "../lib/idp/contract";
import { PINNED_VERSION, RECOMMENDED_VERSION } from "../lib/idp/releases";

/** @param given arguments of the command; the same arguments write the same folders again */
function localStateWarning(given: readonly string[]): string {
  const command = given.length === 0 ? "npm run synth" : `npm run synth -- ${given.join(" ")}`;
  return [
    "warning: each state will be a file in its folder, and is lost with it; for anything but a trial,",
    `keep it in a bucket: STATE_BACKEND='{"gcs": {"bucket": "my-states"}}' ${command}\n`,
  ].join(" ");
}

/**
 * The folder of each synthesized stack, the steps of a first apply, and a warning about a state in a file.
 *
 * @param given names and options of the synthesis
 */
export function summary(
  outputFolder: string,
  stacks: readonly TerraformStack[],
  backend: StateBackend,
  given: readonly string[] = [],
): string {
  const folders = stacks.map((stack) => join(outputFolder, "stacks", stack.node.id));
  if (backend.type === "none")
    return [
      ...folders,
      "",
      "What runs Terraform keeps the state: see guides/infrastructure-manager.md in the folder.",
      "",
    ].join("\n");
  const [first] = stacks;
  const [firstFolder = ""] = folders;
  const recipe = first === undefined ? [] : firstApply(first, firstFolder, backend);
  const names = stacks.map((stack) => stack.node.id);
  const hints = [
    ...(recipe.some((line) => /^FOLDER=.* [A-Z]+=/.test(line))
      ? ["replace my-project in the line that begins with FOLDER="]
      : []),
    ...(stacks.length > 1 ? [`for another stack, replace ${first?.node.id ?? ""} there`] : []),
  ];
  return [
    ...folders,
    "",
    `${["The first apply, in an empty project, one block after the other", ...hints].join("; ")}:`,
    "",
    ...recipe,
    "",
    ...beforeApply(names),
    `${stacks.map(settingsWarnings).join("")}${backend.type === "local" ? localStateWarning(given) : ""}`,
  ].join("\n");
}

/** Duration of the first apply of each stack, and costs by list prices, as on its pages. */
export const EXPECTED: Readonly<Record<string, { readonly minutes: string; readonly price: string }>> = {
  "idp-serverless": { minutes: "15 to 25 minutes", price: "168 US dollars a month" },
  "idp-kubernetes": { minutes: "15 to 25 minutes", price: "243 US dollars a month" },
  "assessment-lab": { minutes: "5 to 8 minutes", price: "0.25 US dollars an hour" },
};

/** Notes before the first apply, and ways to try the stack without it; nothing about other stacks. */
function beforeApply(names: readonly string[]): string[] {
  const lines = names.flatMap((name) => {
    const { minutes, price } = EXPECTED[name] ?? {};
    if (minutes === undefined || price === undefined) return [];
    return [`${name}: the apply takes ${minutes}; with the defaults, it costs about ${price}.`];
  });
  if (lines.length === 0) return [];
  return [...lines, `To try it offline first: npm run rehearse -- ${names[0] ?? ""}`, ""];
}

/** Warnings about the settings of one deployment. */
function settingsWarnings(stack: TerraformStack): string {
  return [
    ...warningTexts(stack).map((text) => `warning: ${text}\n`),
    releaseWarning(stack),
    projectWarning(stack),
  ].join("");
}

/** A warning about settings without a project, which every plan must then provide. */
function projectWarning(stack: TerraformStack): string {
  const { projectId: project } = declaredInputs(stack);
  if (project === undefined || "default" in project || !isForOneDeployment(stack)) return "";
  return [
    "warning: project_id is not in the settings; each plan must be given it, because it has no default;",
    "set it in them, or in terraform.tfvars in the folder\n",
  ].join(" ");
}

/** A warning about the release of a deployment if its settings do not name one. */
function releaseWarning(stack: TerraformStack): string {
  const { applicationVersion: version, projectId: project } = declaredInputs(stack);
  const isOfDeployment = project !== undefined && "default" in project;
  if (!isOfDeployment || version?.default !== LATEST_VERSION) return "";
  return [
    `warning: application_version is not in the settings, and ${LATEST_VERSION} is ${PINNED_VERSION}, which has known`,
    `vulnerabilities; set it to "${RECOMMENDED_VERSION}", and synthesize again\n`,
  ].join(" ");
}

/** Command that puts the user's project into the example of the inputs. */
const OWN_PROJECT = '"s/my-project/$PROJECT/"';

/**
 * The commands of a first apply. A command that asks a question is in a separate block, because it would read the next
 * pasted line as the answer.
 */
function firstApply(stack: TerraformStack, folder: string, backend: StateBackend): string[] {
  const { projectId: project } = declaredInputs(stack);
  const isBucketMissing = backend.type === "gcs" && backend.arguments?.bucket === undefined;
  // Left out for settings of a deployment, because they contain the project.
  const isProjectMissing = project === undefined || !("default" in project);
  const hasExample = existsSync(join(folder, "terraform.tfvars.example"));
  return [
    "gcloud auth login",
    "",
    "gcloud auth application-default login",
    "",
    [
      `FOLDER=${folder.includes(" ") ? JSON.stringify(folder) : folder}`,
      ...(isProjectMissing ? ["PROJECT=my-project"] : []),
      ...(isBucketMissing ? ["BUCKET=my-states"] : []),
    ].join(" "),
    ...(isProjectMissing && hasExample
      ? [
          'test -e "$FOLDER/terraform.tfvars" ||',
          `  sed ${OWN_PROJECT} "$FOLDER/terraform.tfvars.example" >"$FOLDER/terraform.tfvars"`,
        ]
      : []),
    `terraform -chdir="$FOLDER" init${isBucketMissing ? ' -backend-config="bucket=$BUCKET"' : ""}`,
    "",
    "Answer yes:",
    "",
    `terraform -chdir="$FOLDER" apply${isProjectMissing && !hasExample ? ' -var="project_id=$PROJECT"' : ""}`,
    "",
    'terraform -chdir="$FOLDER" output',
  ];
}
