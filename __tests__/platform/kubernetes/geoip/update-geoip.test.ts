import { existsSync } from "node:fs";
import { join } from "node:path";

import { packageFile } from "../../../../lib/core/package-file";
import { FaultMatrix } from "../../../support/fault-matrix";
import { runFile } from "../../../support/google-stand-in-scripts";
import { exits, hangs, ProgramStandIn } from "../../../support/program-stand-in";
import { describeWith } from "../../../support/programs";
import { temporaryFolder } from "../../../support/temporary-folder";

const PAUSE_SECONDS = 8 * 3600;

/** A download that makes a database, and pauses that last a moment, but for the one until the next update. */
const PROGRAMS = {
  geoipupdate: 'echo database >"$GEOIPUPDATE_DB_DIR/GeoLite2-City.mmdb"',
  sleep: `[ "$1" != ${PAUSE_SECONDS} ] || { ${hangs().shell}; }`,
};

interface Scene {
  readonly databases: string;
  readonly programs: ProgramStandIn;
}

describeWith(["busybox", "dash"], "update-geoip.sh", () => {
  const has = ({ databases }: Scene, name: string) => existsSync(join(databases, name));
  const row = { at: "geoipupdate", signal: "SIGTERM", exitCode: 0 } as const;

  // It goes on until it is told to end.
  new FaultMatrix<Scene>({
    inScene: (test) => test({ databases: temporaryFolder(), programs: new ProgramStandIn(PROGRAMS) }),
    run: async ({ databases, programs }, { environment, ...options }) => {
      const run = await runFile(packageFile("lib/platform/kubernetes/scripts/update-geoip.sh"), {
        ...options,
        programs: programs.before(process.env.PATH ?? ""),
        environment: {
          GEOIPUPDATE_LICENSE_KEY: "key-of-nobody",
          GEOIPUPDATE_DB_DIR: databases,
          GEOIP_UPDATE_HOURS: "8",
          ...environment,
        },
      });
      // It complains and goes on.
      return { ...run, stderr: "" };
    },
    settled: (scene) => expect([has(scene, ".tried"), has(scene, "GeoLite2-City.mmdb")]).toEqual([true, true]),
    secrets: ["key-of-nobody"],
  }).rows([
    { ...row, what: "ends at once and successfully when it is told to while it waits", answers: [] },
    {
      ...row,
      what: "ends at once and successfully when it is told to while it downloads",
      answers: [hangs()],
      left: (scene) => expect(has(scene, ".tried")).toBe(false),
    },
    {
      ...row,
      what: "survives failed downloads, and says what to check",
      answers: [exits(1, "error retrieving updates: HTTP 401"), exits(1)],
      says: ["geoip: no databases came; check the account and its licence key\n"],
    },
    {
      ...row,
      what: "lets the server start after a download that hangs",
      answers: [{ shell: "exec sleep 3600" }],
      options: { environment: { GEOIP_TRY_SECONDS: "0.2", GEOIP_RETRY_SECONDS: `${PAUSE_SECONDS}` } },
      says: ["no databases came"],
      left: (scene) => expect([has(scene, ".tried"), has(scene, "GeoLite2-City.mmdb")]).toEqual([true, false]),
    },
  ]);
});
