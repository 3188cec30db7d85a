import { FaultMatrix, LOST_ANSWER, status } from "../../support/fault-matrix";
import { describeWith } from "../../support/programs";
import {
  expectAway,
  expectHomeClosed,
  inPromoteScene,
  instanceOf,
  loseHome,
  type PromoteScene,
  STANDBY,
} from "./promote-scene";
import { INSTANCE, PROJECT } from "./sql-scene";

describeWith(["busybox", "curl", "dash", "jq"], "promote.sh, whatever fails", () => {
  describe("in a drill", () => {
    const matrix = new FaultMatrix({
      inScene: inPromoteScene,
      run: (scene, options) => scene.promote(["now", "--planned", "--yes"], options),
      settled: (scene) => {
        expectAway(scene);
        expectHomeClosed(scene);
      },
    });

    matrix.kills(
      20,
      Array.from({ length: 20 }, (_, index) => index + 1),
      "SIGKILL",
      async (scene, _killed, again) => {
        // Whatever there is, one of the two takes writes, or none.
        const isHomeOpen = instanceOf(scene, INSTANCE)?.settings.activationPolicy !== "NEVER";
        const isPromoted = instanceOf(scene, STANDBY)?.primary === undefined;
        expect(isHomeOpen && isPromoted).toBe(false);

        expect(await again()).toMatchObject({ exitCode: 0, stderr: "" });
        expectAway(scene);
        expectHomeClosed(scene);
      },
    );

    matrix.passing([
      ["compute.backendServices.patch"],
      ["cloudresourcemanager.projects.getIamPolicy"],
      ["cloudresourcemanager.projects.setIamPolicy"],
      ["run.projects.locations.services.patch", "run.projects.locations.workerPools.patch"],
      ["sqladmin.instances.promoteReplica"],
      ["sqladmin.instances.patch"],
    ]);
  });

  describe("when the region is gone", () => {
    const matrix = new FaultMatrix({
      inScene: inPromoteScene,
      run: (scene, options) => scene.promote(["now", "--yes"], options),
      prepare: loseHome,
      settled: expectAway,
    });
    const isReplicaStill = (scene: PromoteScene): void => {
      expect(instanceOf(scene, STANDBY)?.primary).toBe(INSTANCE);
    };

    matrix.rows([
      {
        what: "promotes nothing if users cannot be sent away",
        at: "compute.backendServices.patch",
        answers: [status(403, "PERMISSION_DENIED")],
        exitCode: 1,
        says: ["Users cannot be sent to the standby, so nothing is promoted."],
        left: isReplicaStill,
      },
      {
        what: "promotes nothing if the policy cannot be changed",
        at: "cloudresourcemanager.projects.setIamPolicy",
        answers: [status(403, "PERMISSION_DENIED")],
        exitCode: 1,
        says: [`The right to connect to ${INSTANCE} cannot be withdrawn, so nothing is promoted.`],
        left: isReplicaStill,
      },
      {
        what: "promotes nothing if the policy is changed by others all the time",
        at: "cloudresourcemanager.projects.setIamPolicy",
        answers: [status(409, "ABORTED")],
        lasts: true,
        exitCode: 1,
        says: ["is changed by others all the time"],
        left: isReplicaStill,
      },
      {
        what: "takes a promotion for done whose answer is lost",
        at: "sqladmin.instances.promoteReplica",
        answers: [LOST_ANSWER],
        exitCode: 0,
      },
      {
        what: "says that nothing is promoted if Cloud SQL refuses",
        at: "sqladmin.instances.promoteReplica",
        answers: [status(400, "INVALID_ARGUMENT")],
        exitCode: 1,
        says: [`${STANDBY} is not promoted.`, "To let home serve users again instead: promote.sh home"],
        left: isReplicaStill,
      },
      {
        what: "serves users although the backups cannot be begun, and says so",
        at: "sqladmin.instances.patch",
        answers: [status(403, "PERMISSION_DENIED")],
        exitCode: 1,
        says: ["has no backups yet", /http:\S+ answers/],
        left: ({ led, standIn }) => {
          expect(led()).toEqual(["europe-west1"]);
          expect(standIn.sql.instances.get(`${PROJECT}/${STANDBY}`)?.primary).toBeUndefined();
        },
      },
      {
        what: "promotes without Cloud Monitoring, and says that the loss is not known",
        at: "monitoring.projects.timeSeries.list",
        answers: [status(403, "PERMISSION_DENIED")],
        exitCode: 0,
        says: ["how far it is behind cannot be read"],
      },
    ]);
  });
});
