import { cpSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

import { App } from "cdktf";

import { packageFile } from "../../../lib/core/package-file";
import { settledFolder } from "../../stacks/settled-folders";
import { STACKS } from "../../stacks/variants";
import { describeWith, programPath } from "../../support/programs";
import { synthesizeInto } from "../../support/synthesis";
import { Deployment, type Inputs } from "../deployment/deployment";
import { inputCombinations, type Matrix } from "../engine/input-matrix";
import { WITH_DOMAIN } from "./domain";
import { WITH_DUMP } from "./dump";
import { WITH_RECEIVERS } from "./monitoring";
import { WITH_MAIL, WITH_SEPARATE_WORKER } from "./settings";
import { REHEARSALS } from "./stacks";

/**
 * Sets of inputs in addition to the defaults and to the examples: nearly every input has another value in one of them.
 */
const SETS = Number(process.env.SETTINGS ?? 10);

const EXAMPLES = ["hardened", "landing-zone"];

/** Parts of most deployments that somebody relies on. */
const EVERYTHING = { ...WITH_DOMAIN, ...WITH_MAIL, ...WITH_RECEIVERS, ...WITH_DUMP, ...WITH_SEPARATE_WORKER };

/** Inputs that are given to each apply, and are in no file. */
const SECRETS = ["bootstrap_password", "cloudb_access_key_id", "cloudb_secret_access_key"];

const exampleOf = (example: string, name: string) =>
  JSON.parse(readFileSync(packageFile(`stacks/examples/${example}/${name}.tfvars.json`), "utf8")) as Inputs;

/** What an internal load balancer needs in the network of the examples. */
const PROXIES = "google_compute_subnetwork proxies of projects/shared/global/networks/main";

/** A change of a resource, as a plan in JSON says it. */
interface Change {
  readonly address: string;
  readonly change: { readonly actions: readonly string[]; readonly after: unknown; readonly after_unknown: unknown };
}

/** Inputs that there are variables for. */
const ofFolder = (folder: string, inputs: Inputs): Inputs => {
  const { variable } = JSON.parse(readFileSync(join(folder, "cdk.tf.json"), "utf8")) as { variable: Inputs };
  return Object.fromEntries(Object.entries(inputs).filter(([name]) => name in variable));
};

/** What a plan changes, by addresses without the index of a part that may be missing. */
async function changesOf(deployment: Deployment): Promise<Readonly<Record<string, unknown>>> {
  const { file } = await deployment.plan();
  const text = await deployment.succeed("show", "-json", file);
  // When a deployment is made is a time of the plan.
  const plan = JSON.parse(text.replaceAll(/"since":"[^"]+"/g, '"since":"now"')) as {
    readonly resource_changes?: readonly Change[];
  };
  const { resource_changes: changes = [] } = plan;
  const real = changes.filter(({ change }) => change.actions.join() !== "no-op" && change.actions.join() !== "read");
  return Object.fromEntries(
    real.map(({ address, change: { actions, after, after_unknown } }) => [
      address.replace("[0]", ""),
      { actions, after, after_unknown },
    ]),
  );
}

/** Puts another folder in the place of the deployment's, as somebody who gets a newer one does. */
function replaceFolder({ folder }: Deployment, source: string): void {
  for (const part of ["cdk.tf.json", "scripts", "image"]) rmSync(join(folder, part), { recursive: true, force: true });
  const isOwn = (path: string) =>
    !/[.]terraform|[.]tfstate|plan[.]tfplan|rehearsal_override/.test(path.slice(source.length));
  cpSync(source, folder, { recursive: true, filter: isOwn });
}

interface Row {
  readonly name: string;
  readonly settings: string;
  readonly inputs: Inputs;
}

const rowsOf = (setsOf: (name: string, matrix: Matrix) => readonly (readonly [settings: string, inputs: Inputs])[]) =>
  Object.entries(REHEARSALS).flatMap(([name, { inputs = {}, matrix = {} }]) =>
    setsOf(name, matrix).map(([settings, each]): Row => ({ name, settings, inputs: { ...inputs, ...each } })),
  );

const ROWS = rowsOf((name) => [
  ["the defaults", {}],
  ...EXAMPLES.map((example) => [`the example ${example}`, exampleOf(example, name)] as const),
  ...(name === "assessment-lab" ? [] : [["a domain, mail, alerts, dumps and separate workers", EVERYTHING] as const]),
]);

const SETS_OF_INPUTS = rowsOf((_, matrix) =>
  inputCombinations(matrix)
    .slice(0, SETS)
    .map((inputs, index) => [`set ${index + 1}`, inputs]),
);

/** Runs work on a deployment of the general folder, and on one of the folder for these inputs. */
async function withBoth({ name, inputs }: Row, work: (general: Deployment, settled: Deployment) => Promise<void>) {
  const stack = STACKS.find((each) => each.name === name)?.stack();
  if (stack === undefined) throw new Error(`there is no stack ${name}`);
  const { path: general } = synthesizeInto(App.of(stack), name);
  // Secrets have no place in a folder.
  const isWritten = ([input]: [string, unknown]) => !SECRETS.includes(input);
  const { path: settled } = await settledFolder(name, Object.fromEntries(Object.entries(inputs).filter(isWritten)));
  const common = { program: programPath("terraform"), externalResourcesExist: true };
  await Deployment.use({ ...common, source: general, inputs }, (one) =>
    Deployment.use({ ...common, source: settled, inputs: ofFolder(settled, inputs) }, async (other) => {
      for (const deployment of [one, other]) {
        REHEARSALS[name]?.prepare?.(deployment);
        deployment.cloud.others.add(PROXIES);
        await deployment.init();
      }
      await work(one, other);
    }),
  );
}

describeWith(["terraform", "curl", "jq"], "The folder for one deployment", () => {
  it.each([...ROWS, ...SETS_OF_INPUTS])(
    "creates what the general one creates, with the same values: $name with $settings",
    async (row) => {
      await withBoth(row, async (general, settled) => {
        expect(await changesOf(settled)).toEqual(await changesOf(general));
      });
    },
    300_000,
  );

  it.each(ROWS)(
    "changes nothing of what the general one has made, and the other way round: $name with $settings",
    async (row) => {
      await withBoth(row, async (general, settled) => {
        const [ofAny, ofOne] = [general, settled].map(({ inputs }) => inputs) as [Inputs, Inputs];
        const source = `${general.folder}-general`;
        cpSync(general.folder, source, { recursive: true });
        try {
          await changesOf(general);
          await general.succeed("apply", "-input=false", "plan.tfplan");
          replaceFolder(general, settled.folder);
          general.inputs = ofOne;
          expect(await changesOf(general)).toEqual({});
          await general.succeed("apply", "-input=false", "plan.tfplan");
          replaceFolder(general, source);
          general.inputs = ofAny;
          expect(await changesOf(general)).toEqual({});
        } finally {
          rmSync(source, { recursive: true });
        }
      });
    },
    300_000,
  );
});
