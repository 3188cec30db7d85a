import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { packageFile } from "../../../lib/core/package-file";
import { type JobOutcome, type JobRun } from "../../support/google-stand-in-jobs";
import { programFolder, runFile, type ScriptRun } from "../../support/google-stand-in-scripts";
import { temporaryFolder } from "../../support/temporary-folder";
import { blocksIn, pageOf } from "../../tools/pages";
import { type Cluster, startCluster, SUPERUSER } from "../db-init/cluster";
import { clientFolder, type Environment, runScript } from "../db-init/script-run";
import { applicationLogin, describeOnServer, type Tenant, type TestServer } from "../db-init/tenants";
import { INIT_JOB, inSqlScene, INSTANCE, PROJECT } from "./sql-scene";

const BLOCKS = blocksIn(pageOf("stacks/guides/moving-in.md").text, "sh");
/** Program that each former installation does not have. */
const OTHER = { compose: "kubectl", Helm: "docker" } as const;
type Installation = keyof typeof OTHER;

/** With what a shell and a pipe would change. */
const SECRET_KEY = String.raw`k$HOME\n"'=/+ %s`;
const ICON = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x00, 0xff]);
const FORMER = { user: "authentik", database: "authentik", password: "of-the-former" };
const SETTINGS = { GOOGLE_OAUTH_ACCESS_TOKEN: "ya29.first", LOG_SECONDS: "0" };
const CONTENTS = [
  "CREATE TABLE authentik_core_user (id bigserial PRIMARY KEY, name text NOT NULL)",
  "INSERT INTO authentik_core_user (name) VALUES ('akadmin'), ('Zoë 🙂'), ('old')",
  "CREATE SCHEMA template CREATE VIEW names AS SELECT name FROM authentik_core_user",
];
const NAMES = `SELECT string_agg(name, ',' ORDER BY id) FROM authentik_core_user`;
const OWNERS = `SELECT DISTINCT relowner::regrole FROM pg_class WHERE relnamespace::regnamespace::text IN ('public', 'template')`;

const WRONG = `*) echo "wrong call: $*" >&2; exit 64 ;; esac`;

/** What the programs of the former installation and of Google do, in these folders. The dump is of what is stopped. */
const standIns = (folder: string, { port, socketFolder }: Cluster, { DB_NAME }: Tenant, clients: string) => {
  const inDatabase = (settings: string) => `case "$*" in *pg_dump\\ --format*) [ -e stopped ] ;; esac || exit 65
    exec env PATH='${clients}':"$PATH" PGHOST='${socketFolder}' PGPORT=${port} POSTGRES_USER=authentik ${settings} "$@"`;
  const settings = { PROJECT_ID: PROJECT, INSTANCE, DATABASE: DB_NAME, INIT_JOB, MEDIA_BUCKET: "media" };
  const exported = Object.entries({ ...settings, REGION: "us-central1" }).map((pair) => pair.join("="));
  return {
    docker: `case "$*" in
      "compose images server") ;;
      "compose ps --all --quiet server") echo 0a1b2c ;;
      inspect\\ --format=*\\ 0a1b2c) cat '${folder}/environment' ;;
      "compose cp --follow-link server:"*) cp -RL "${folder}/\${4#server:}" "$5" ;;
      "compose stop server worker") : >stopped ;;
      "compose exec -T postgresql "*) shift 4; ${inDatabase(`PGPASSWORD=${FORMER.password} POSTGRES_DB=authentik`)} ;;
      ${WRONG}`,
    kubectl: `shift; case "$*" in
      "get secret authentik --output=jsonpath={.data.AUTHENTIK_SECRET_KEY}") sed -n 's/^AUTHENTIK_SECRET_KEY=//p' '${folder}/environment' | tr -d '\\n' | base64 ;;
      "exec deployment/authentik-server -- tar -C /"*) [ ! -e stopped ] || exit 65; shift 5; at=$1; shift; exec tar -C "${folder}/$at" "$@" ;;
      "scale deployment/authentik-server deployment/authentik-worker --replicas=0") : >stopped ;;
      "get deployment authentik-server "* | "wait pod --for=delete "*) ;;
      "exec authentik-postgresql-0 -- "*) shift 3; ${inDatabase(`POSTGRES_PASSWORD=${FORMER.password}`)} ;;
      ${WRONG}`,
    gcloud: `for last; do :; done
    case "$*" in
      "services enable "* | "secrets create "* | "run services update "* | "run worker-pools delete "*) ;;
      "secrets versions add former-secret-key --data-file=- "*) cat >'${folder}/secret' ;;
      "secrets versions access 1 --secret=former-secret-key "*) cat '${folder}/secret' ;;
      "storage cp former.dump former.dump.sha256 gs://"*) cp former.dump former.dump.sha256 "${folder}/\${last#gs://}" ;;
      "storage rsync --recursive uploads gs://"*) cp -R uploads/. "${folder}/\${last#gs://}" ;;
      "storage ls "*) (cd "${folder}/\${last#gs://}" && find . -type f) ;;
      ${WRONG}`,
    terraform: `case "$*" in *restore_settings) echo "export ${exported.join(" ")}" ;; *dump_bucket) echo dumps ;; esac`,
  };
};

/** What a job does in a database here. Not at once: the server's log has to be read meanwhile. */
function outcomeOf(settings: Environment, { command: [, , text], environment }: JobRun): JobOutcome {
  const outcome = { isRunning: true, isSuccess: false, lines: [""] };
  const [{ DB_HOST = "" }, copy] = [settings, join(temporaryFolder(), "job.sh")];
  // Without a text, db-init.
  const file = text === undefined ? undefined : copy;
  writeFileSync(copy, text ?? "");
  void runScript({ ...settings, ...environment, DB_HOST }, { file }).then(({ exitCode, output }) =>
    Object.assign(outcome, { isRunning: false, isSuccess: exitCode === 0, lines: output.trim().split("\n") }),
  );
  return outcome;
}

/** A former installation of a release of PostgreSQL moves in, by the blocks of the guide. */
async function moveIn(
  { cluster, tenant }: TestServer,
  [installation, release]: readonly [Installation, number],
  look: (moved: { folder: string; run: ScriptRun; here: Tenant }) => Promise<void>,
): Promise<void> {
  const [here, folder, work] = [tenant(), temporaryFolder(), temporaryFolder()];
  const former = await startCluster({}, release);
  try {
    const role = `CREATE ROLE authentik LOGIN PASSWORD '${FORMER.password}'`;
    await former.query({ user: SUPERUSER }, role, "CREATE DATABASE authentik OWNER authentik");
    await former.query(FORMER, ...CONTENTS, "DELETE FROM authentik_core_user WHERE name = 'old'");
    for (const to of ["data/media/public", "dumps/dumps", "media"]) mkdirSync(join(folder, to), { recursive: true });
    writeFileSync(join(folder, "data/media/public/icon.png"), ICON);
    writeFileSync(join(folder, "environment"), `PATH=/bin\nAUTHENTIK_SECRET_KEY=${SECRET_KEY}\nX=1\n`);
    symlinkSync(packageFile("lib/idp/scripts"), join(work, "scripts"));
    // What the first apply has made here.
    await runScript(here);
    await cluster.query(applicationLogin(here), CONTENTS[0] ?? "");
    // What is here runs on Cloud Run.
    const others = [`${OTHER[installation]} `, "$NAMESPACE"];
    const blocks = BLOCKS.filter((block) => others.every((each) => !block.includes(each)));
    writeFileSync(join(work, "commands.sh"), ["set -eu", `cd '${work}'`, ...blocks].join("\n"));
    await inSqlScene(async ({ standIn }) => {
      standIn.jobs.outcomeOf = (run) => outcomeOf({ ...here, DUMP_FOLDER: join(folder, "dumps") }, run);
      const programs = programFolder({ scripts: standIns(folder, former, here, clientFolder(release)) });
      const run = await runFile(join(work, "commands.sh"), {
        environment: { ...standIn.environment, ...SETTINGS, PATH: `${programs}:/usr/bin:/bin` },
        input: "yes\nyes\n",
      });
      await look({ folder, run, here });
    });
  } finally {
    await former.stop();
  }
}

/** Release of PostgreSQL here, installations that move in, and whether they can. */
const MOVES: readonly (readonly [number, readonly (readonly [Installation, number])[], boolean])[] = [
  [
    16,
    [
      ["compose", 15],
      ["Helm", 16],
    ],
    true,
  ],
  [15, [["Helm", 16]], false],
];

for (const [release, formers, moves] of MOVES)
  describeOnServer(
    "The guide to moving in",
    (test) => {
      for (const former of formers)
        test(`${moves ? "brings all" : "changes nothing"} from ${former.join(" with PostgreSQL ")}`, (server) =>
          moveIn(server, former, async ({ folder, here, run: { exitCode, stderr } }) => {
            const query = (statement: string) => server.cluster.query(applicationLogin(here), statement);
            const refused = { exitCode: 1, stderr: expect.stringContaining("cannot be read") as string };
            expect({ exitCode, stderr }).toEqual(moves ? { exitCode: 0, stderr: "" } : refused);
            expect(await query(NAMES)).toBe(moves ? "akadmin,Zoë 🙂" : "");
            expect(await query(OWNERS)).toBe(here.DB_USER);
            expect(readFileSync(join(folder, "secret"), "utf8")).toBe(SECRET_KEY);
            if (!moves) return;
            expect(readFileSync(join(folder, "media/media/public/icon.png")).equals(ICON)).toBe(true);
            const left = `SELECT count(*) FROM pg_database WHERE datname LIKE '${here.DB_NAME}\\_%'`;
            expect(await server.cluster.query({ user: SUPERUSER }, left)).toBe("0");
          }));
    },
    release,
  );
