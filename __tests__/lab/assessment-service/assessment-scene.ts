import { type ApiScene, apiScene, inApiScene, scenarioIn } from "../../support/api-scene";
import { type GoogleStandIn } from "../../support/google-stand-in";

export const LOCATION = "projects/demo-project/locations/us-central1";
export const SOURCE = `${LOCATION}/sources/assess-discovery-client`;

/** Settings of all scripts of the lab; each reads those it knows. */
const ENVIRONMENT = {
  REGION: "us-central1",
  SOURCE_ID: "assess-discovery-client",
  SOURCE_DISPLAY_NAME: "assess-discovery-client",
  DEPLOYMENT_ID: "a1b2c3",
};

export type Scene = ApiScene;

/** The scripts of a lab with a stand-in that is started or will be. */
export const sceneWith = (standIn: GoogleStandIn): Scene => apiScene(ENVIRONMENT, standIn);

export const inScene = (test: (scene: Scene) => Promise<void>): Promise<void> => inApiScene(ENVIRONMENT, test);

export const scenario = scenarioIn(inScene);

/** A source that somebody has registered before. */
export function haveSource({ migration }: GoogleStandIn, fields: Readonly<Record<string, unknown>> = {}): void {
  migration.sources.set(SOURCE, {
    name: SOURCE,
    displayName: "assess-discovery-client",
    type: "SOURCE_TYPE_DISCOVERY_CLIENT",
    state: "ACTIVE",
    ...fields,
  });
}

/** The group of a lab, as Terraform makes it before it registers the source. */
export function haveGroup({ migration }: GoogleStandIn, lab: string, source: string): void {
  const name = `${LOCATION}/groups/assess-${lab}-lab`;
  const groups = (migration.others.get("groups") ?? []).filter((group) => group.name !== name);
  migration.others.set("groups", [...groups, { name, labels: { "assessment-source": source } }]);
}

/** Import jobs with their states and sources. */
export function jobsOf({
  migration,
}: GoogleStandIn): readonly (readonly [id: string, state: string, source: string])[] {
  return [...migration.jobs.values()].map(({ name, state, assetSource }) => [
    name.split("/").at(-1) ?? "",
    state,
    assetSource.split("/").at(-1) ?? "",
  ]);
}

/** Names of jobs hold the inventory's hash and that of the source and its region. */
export const withoutHash = (text: string) =>
  text.replace(/cloudb-[0-9a-f]{16}-[0-9a-f]{24}/g, "JOB").replace(/\(\d+ s\)/g, "(0 s)");

/** A project in which two labs and their users have left something. */
export function haveLeftovers(standIn: GoogleStandIn): void {
  const { migration } = standIn;
  haveSource(standIn, { description: "Made by assessment lab a1b2c3." });
  migration.sources.set(`${LOCATION}/sources/other`, { name: `${LOCATION}/sources/other`, displayName: "Other" });
  const job = { displayName: "AWS", phaseEndsAt: 0, tables: [], report: {}, state: "COMPLETED" as const };
  for (const [id, source] of [
    ["mine", SOURCE],
    ["others", `${LOCATION}/sources/other`],
  ] as const) {
    const name = `${LOCATION}/importJobs/${id}`;
    const assets = [
      {
        name: `${LOCATION}/assets/${id}`,
        sources: [source],
        machineDetails: { machineName: `m-${id}`, guestOs: { osName: "Debian 😀" } },
      },
    ];
    migration.jobs.set(name, { ...job, name, assetSource: source, files: new Map([["f", {}]]), assets });
  }
  migration.assets.push(
    { name: `${LOCATION}/assets/scanned`, sources: [SOURCE.replace("demo-project", "123456789012")] },
    { name: `${LOCATION}/assets/hidden`, sources: [SOURCE], hidden: true },
    { name: `${LOCATION}/assets/shared`, sources: [SOURCE, `${LOCATION}/sources/other`] },
  );
  for (const [collection, id] of [
    ["reportConfigs", "report"],
    ["assetsExportJobs", "spreadsheet"],
    ["groups", "wave-1"],
    ["preferenceSets", "cheap"],
  ] as const) {
    migration.others.get(collection)?.push({ name: `${LOCATION}/${collection}/${id}` });
  }
  migration.others.get("discoveryClients")?.push({ name: `${LOCATION}/discoveryClients/win`, source: SOURCE });
}

/** Everything that there is, in order. */
export function namesIn({ migration }: GoogleStandIn): readonly string[] {
  const items = [...migration.sources.values(), ...migration.jobs.values(), ...migration.allAssets];
  const others = [...migration.others.values()].flat();
  return [...items, ...others].map(({ name }) => String(name).split("/").slice(-2).join("/")).sort();
}
