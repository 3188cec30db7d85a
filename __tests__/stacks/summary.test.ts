import { readFileSync } from "node:fs";

import { packageFile } from "../../lib/core/package-file";
import { parseStateBackend } from "../../lib/core/state-backend";
import { RECOMMENDED_VERSION } from "../../lib/idp/releases";
import { EXPECTED, summary } from "../../stacks/summary";
import { bareStack } from "../support/synthesis";
import { type Settings, settledStack } from "./settled-folders";

const LOCAL = [
  "warning: each state will be a file in its folder, and is lost with it; for anything but a trial,",
  `keep it in a bucket: STATE_BACKEND='{"gcs": {"bucket": "my-states"}}' npm run synth\n`,
].join(" ");

const recipe = (first: string, init: string) =>
  [
    "out/stacks/test",
    "",
    "The first apply, in an empty project, one block after the other; replace my-project in the line that begins with FOLDER=:",
    "",
    "gcloud auth login",
    "",
    "gcloud auth application-default login",
    "",
    first,
    `terraform -chdir="$FOLDER" ${init}`,
    "",
    "Answer yes:",
    "",
    'terraform -chdir="$FOLDER" apply -var="project_id=$PROJECT"',
    "",
    'terraform -chdir="$FOLDER" output',
    "",
    "",
  ].join("\n");

const FIRST = "FOLDER=out/stacks/test PROJECT=my-project";

it("The summary of a deployment warns of settings without a project", async () => {
  const summaryOf = async (settings: Settings) =>
    summary("out", [await settledStack("idp-serverless", settings)], parseStateBackend("STATE_BACKEND", "local"));
  const warning = "warning: project_id is not in the settings; each plan must be given it";
  expect(await summaryOf({})).toContain(warning);
  expect(await summaryOf({ project_id: "sign-in-project" })).not.toContain(warning);
});

it.each([
  ["local", recipe(FIRST, "init") + LOCAL],
  ['{"gcs": {"bucket": "states"}}', recipe(FIRST, "init")],
  ["gcs", recipe(`${FIRST} BUCKET=my-states`, 'init -backend-config="bucket=$BUCKET"')],
])(
  "The summary of a synthesis prints the first apply, and warns of a state that is easily lost, with the backend %s",
  (setting, text) => {
    expect(summary("out", [bareStack()], parseStateBackend("STATE_BACKEND", setting))).toBe(text);
  },
);

it("The summary of a synthesis with options repeats them in the command that keeps the state", () => {
  const local = parseStateBackend("STATE_BACKEND", "local");
  expect(summary("out", [bareStack()], local, ["idp-serverless", "--hcl"])).toMatch(
    / npm run synth -- idp-serverless --hcl\n$/,
  );
});

it("The summary of several stacks names each folder, and the commands of one of them", () => {
  const lines = summary("out", [bareStack(), bareStack()], parseStateBackend("STATE_BACKEND", "gcs")).split("\n");
  expect(lines.slice(0, 2)).toEqual(["out/stacks/test", "out/stacks/test"]);
  expect(lines.filter((line) => line.includes(" apply"))).toHaveLength(2);
  expect(lines).toContain(
    "The first apply, in an empty project, one block after the other; replace my-project in the line that begins with FOLDER=; for another stack, replace test there:",
  );
});

it("The summary says how long the apply takes, what it costs, and how to try it offline", async () => {
  const gcs = parseStateBackend("STATE_BACKEND", "gcs");
  const stack = await settledStack("idp-serverless", { project_id: "sign-in-project" });
  expect(summary("out", [stack], gcs)).toContain(
    [
      "idp-serverless: the apply takes 15 to 25 minutes; with the defaults, it costs about 168 US dollars a month.",
      "To try it offline first: npm run rehearse -- idp-serverless",
    ].join("\n"),
  );
});

it.each(Object.entries(EXPECTED))("The summary says of %s what its pages say", (name, { minutes, price }) => {
  const page = readFileSync(packageFile(`stacks/${name}.md`), "utf8");
  const guide = readFileSync(packageFile("stacks/guides/first-apply.md"), "utf8");
  expect(page).toContain(`About ${price}`);
  expect(`${page}${guide}`).toContain(`takes ${minutes}`);
});

it("The summary of a deployment warns of a release with known vulnerabilities, where its settings name none", async () => {
  const gcs = parseStateBackend("STATE_BACKEND", "gcs");
  const summaryOf = async (settings: Settings) =>
    summary("out", [await settledStack("idp-serverless", { project_id: "sign-in-project", ...settings })], gcs);
  expect(await summaryOf({})).toMatch(
    /warning: application_version is not in the settings, and latest is 2026[.]5[.]4.* set it to "2026[.]8[.]7", and synthesize/,
  );
  expect(await summaryOf({ application_version: RECOMMENDED_VERSION })).not.toContain("warning");
});

it.each(["idp-serverless", "idp-kubernetes"] as const)(
  "The summary of a deployment of %s warns of settings that are probably a mistake",
  async (name) => {
    const wrong = { project_id: "my-project", region: "europe-wset1", environment_variables: { FOO: "1" } };
    const stack = await settledStack(name, { application_version: RECOMMENDED_VERSION, ...wrong });
    const lines = summary("out", [stack], parseStateBackend("STATE_BACKEND", "gcs")).split("\n");
    expect(lines.filter((line) => line.startsWith("warning: "))).toEqual([
      expect.stringMatching(
        /^warning: project_id is "my-project", the project of the examples; .* id of your project$/,
      ),
      expect.stringMatching(
        /^warning: region is "europe-wset1"; .* did you mean europe-west1[?] Otherwise look it up /,
      ),
      expect.stringMatching(/^warning: environment_variables or .* has FOO; .* it has no effect; /),
    ]);
  },
);

it.each(["idp-serverless", "idp-kubernetes"] as const)(
  "The summary of a deployment of %s warns of what its parts would warn of at every plan",
  async (name) => {
    const isServerless = name === "idp-serverless";
    const settings = { project_id: "sign-in-project", ...(isServerless && { min_instance_count: 0 }) };
    const warningsFor = async (version: string) => {
      const stack = await settledStack(name, { ...settings, application_version: version });
      const lines = summary("out", [stack], parseStateBackend("STATE_BACKEND", "gcs")).split("\n");
      return lines.filter((line) => line.startsWith("warning: "));
    };
    const ofInstances = expect.stringMatching(/^warning: min_instance_count is 0; mail, .* set it to 1, /) as unknown;
    expect(await warningsFor("2026.5.4")).toEqual([
      expect.stringMatching(/^warning: application_version is "2026[.]5[.]4"; it lacks security fixes, /),
      ...(isServerless ? [ofInstances] : []),
    ]);
    expect(await warningsFor("2031.2.1")).toContainEqual(
      expect.stringMatching(/^warning: application_version is "2031[.]2[.]1"; it is newer than /),
    );
    expect(await warningsFor(`${RECOMMENDED_VERSION}@sha256:${"a".repeat(64)}`)).toEqual(
      isServerless ? [ofInstances] : [],
    );
  },
);
