import { status } from "../../support/fault-matrix";
import { describeWith } from "../../support/programs";
import { expectAway, haveHomeBack, loseHome, NEVER, promoteScenario, STANDBY } from "./promote-scene";
import { INSTANCE, PROJECT } from "./sql-scene";

describeWith(["curl", "dash", "jq"], "promote.sh, with rights that others grant and withdraw", () => {
  promoteScenario("gives back at home what it withdrew of others, also by another run", async (scene) => {
    const { bindings } = scene.standIn.policies;
    const name = `resource.name == "projects/${PROJECT}/instances/${INSTANCE}"`;
    const expression = `${name} && request.time < timestamp("2030-01-01T00:00:00Z")`;
    const members = ["serviceAccount:etl@other.iam.gserviceaccount.com", "user:analyst@example.com"];
    const grant = { role: "roles/cloudsql.client", members, condition: { title: "Analysts", expression } };
    bindings.set(PROJECT, [...(bindings.get(PROJECT) ?? []), grant]);
    loseHome(scene);
    const theirs = () => bindings.get(PROJECT)?.filter(({ condition }) => condition?.title === "Analysts");

    const away = await scene.promote(["now", "--yes"]);
    haveHomeBack(scene);
    const again = await scene.promote(["now", "--yes"]);

    expectAway(scene);
    for (const { exitCode, stdout } of [away, again]) {
      expect(exitCode).toBe(0);
      expect(stdout).toMatch(/promote\.sh home gives the right back also to: .*idp-dump@\S+ \(Only idp-demo-abc123\)/);
      for (const member of members) expect(stdout).toContain(`${member} (Analysts)`);
    }
    expect(theirs()).toEqual([{ ...grant, condition: { title: "Analysts", expression: `${NEVER}${expression})` } }]);

    expect(await scene.promote(["home", "--yes"])).toMatchObject({ exitCode: 0, stderr: "" });

    expect(theirs()).toEqual([grant]);
    expect(scene.accountsOf(INSTANCE)).toEqual(["idp-dump", "idp-init", "idp"]);
  });

  promoteScenario("gives at home no right to whom others let connect to the standby alone", async (scene) => {
    const { bindings } = scene.standIn.policies;
    const expression = `resource.name == "projects/${PROJECT}/instances/${STANDBY}"`;
    const members = ["user:analyst@example.com"];
    const grant = { role: "roles/cloudsql.client", members, condition: { title: "Analysts", expression } };
    bindings.set(PROJECT, [...(bindings.get(PROJECT) ?? []), grant]);
    loseHome(scene);
    await scene.promote(["now", "--yes"]);
    haveHomeBack(scene);
    await scene.promote(["now", "--yes"]);

    expect(await scene.promote(["home", "--yes"])).toMatchObject({ exitCode: 0, stderr: "" });

    expect(bindings.get(PROJECT)?.filter(({ condition }) => condition?.title === "Analysts")).toEqual([grant]);
    expect(scene.accountsOf(INSTANCE)).toEqual(["idp-dump", "idp-init", "idp"]);
  });

  promoteScenario("refuses a condition that it could not end, before it moves anybody", async (scene) => {
    const { bindings } = scene.standIn.policies;
    const name = `resource.name == "projects/${PROJECT}/instances/${INSTANCE}"`;
    const days = Array.from({ length: 12 }, (_, day) => `request.time.getDayOfWeek() != ${day}`);
    const condition = { title: "Some days", expression: [name, ...days].join(" && ") };
    const grant = { role: "roles/cloudsql.client", members: ["user:analyst@example.com"], condition };
    bindings.set(PROJECT, [...(bindings.get(PROJECT) ?? []), grant]);
    loseHome(scene);

    const refused = await scene.promote(["now", "--yes"]);

    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain("user:analyst@example.com (Some days)");
    expect(scene.done()).toEqual([]);

    const forced = await scene.promote(["now", "--force", "--yes"]);

    expect(forced.stderr).toContain("removed for good, as --force says; write them down: user:analyst@example.com");
    expect(bindings.get(PROJECT)?.filter((each) => each.condition?.title === "Some days")).toEqual([]);
  });

  promoteScenario("leaves a right alone at home whose condition it could not end", async (scene) => {
    const { bindings } = scene.standIn.policies;
    await scene.promote(["now", "--planned", "--yes"]);
    const name = `resource.name == "projects/${PROJECT}/instances/${INSTANCE}"`;
    const days = Array.from({ length: 12 }, (_, day) => `request.time.getDayOfWeek() != ${day}`);
    const condition = { title: "Some days", expression: [name, ...days].join(" && ") };
    const grant = { role: "roles/cloudsql.client", members: ["user:analyst@example.com"], condition };
    bindings.set(PROJECT, [...(bindings.get(PROJECT) ?? []), grant]);

    expect(await scene.promote(["home", "--yes"])).toMatchObject({ exitCode: 0, stderr: "" });

    expect(bindings.get(PROJECT)?.filter((each) => each.condition?.title === "Some days")).toEqual([grant]);
  });

  promoteScenario("lets only the jobs that restore connect while the data come home", async (scene) => {
    const during: (readonly string[])[] = [];
    scene.also(({ method }) => {
      if (method.endsWith("restoreBackup")) during.push(scene.accountsOf(INSTANCE));
    });
    loseHome(scene);
    await scene.promote(["now", "--yes"]);
    haveHomeBack(scene);
    await scene.promote(["now", "--yes"]);

    const { exitCode, stdout } = await scene.promote(["home", "--yes"]);

    expect(exitCode).toBe(0);
    expect(stdout).toContain(`and let only the jobs that restore connect to ${INSTANCE}`);
    expect(during).toEqual([["idp-init"]]);
    expect(scene.accountsOf(INSTANCE)).toEqual(["idp-dump", "idp-init", "idp"]);
  });

  promoteScenario("keeps what others change in the policy of the project meanwhile", async (scene) => {
    loseHome(scene);
    scene.standIn.policies.overtaken = 2;

    expect(await scene.promote(["now", "--yes"])).toMatchObject({ exitCode: 0 });

    expectAway(scene);
    const roles = (scene.standIn.policies.bindings.get(PROJECT) ?? []).map(({ members, role }) => [role, ...members]);
    expect(roles).toContainEqual(["roles/owner", "user:owner@example.com"]);
    expect(roles.filter(([role]) => role === "roles/viewer")).toHaveLength(2);
  });

  promoteScenario("promotes nothing if a folder, a custom role or a broad condition lets connect", async (scene) => {
    const { policies } = scene.standIn;
    const member = "serviceAccount:idp-dump@demo-project.iam.gserviceaccount.com";
    const own = policies.bindings.get(PROJECT) ?? [];
    const custom = `projects/${PROJECT}/roles/connector`;
    const reader = `projects/${PROJECT}/roles/reader`;
    const expression = `resource.name.startsWith("projects/${PROJECT}/instances/")`;
    const condition = { title: "All", expression };
    policies.ancestors = ["folders/12", "organizations/34"];
    policies.bindings.set("folders/12", [{ role: "roles/cloudsql.client", members: [member] }]);
    policies.roles.set(custom, ["cloudsql.instances.connect", "cloudsql.instances.get"]);
    policies.roles.set(reader, ["cloudsql.instances.get"]);
    policies.bindings.set(PROJECT, [
      ...own,
      { role: custom, members: [member] },
      { role: reader, members: [member] },
      { role: "roles/cloudsql.editor", members: ["user:somebody@example.com"] },
      { role: "roles/cloudsql.client", members: [member], condition },
    ]);
    const grants = [
      `${member} by ${custom} on projects/${PROJECT}`,
      `${member} by roles/cloudsql.client on folders/12`,
      `${member} by roles/cloudsql.client on projects/${PROJECT}`,
    ].join(", ");

    expect((await scene.promote(["look"])).stdout).toContain(`can be reached also after the promotion: ${grants}\n`);
    const refused = await scene.promote(["now", "--planned", "--yes"]);

    expect(refused).toMatchObject({ exitCode: 1 });
    expect(refused.stderr).toContain(`so nothing is promoted: ${grants}\n`);
    expect(scene.changes()).toEqual([]);
    loseHome(scene);
    expect(await scene.promote(["now", "--force", "--yes"])).toMatchObject({ exitCode: 0 });
  });

  promoteScenario("says which policies and roles it could not read, and goes on", async (scene) => {
    const { policies } = scene.standIn;
    policies.ancestors = ["folders/12"];
    const role = "organizations/34/roles/unknown";
    const members = [`serviceAccount:${scene.standIn.jobs.account}`];
    policies.bindings.set(PROJECT, [...(policies.bindings.get(PROJECT) ?? []), { role, members }]);
    scene.standIn.inject("cloudresourcemanager.folders.getIamPolicy", status(403, "PERMISSION_DENIED"));

    const { exitCode, stdout } = await scene.promote(["look"]);

    expect(exitCode).toBe(0);
    expect(stdout).toContain(`is granted here is not known: folders/12 (HTTP 403), ${role} (HTTP 403)`);
  });

  promoteScenario("asks for an apply after the way home only if a job's account lacks its right", async (scene) => {
    scene.standIn.jobs.outcomeOf = () => ({ isSuccess: false, lines: ["failed: it does not"] });
    await scene.promote(["now", "--planned", "--yes"]);

    // The failed comparison has given all rights back.
    const complete = await scene.promote(["home", "--yes"]);

    expect(complete).toMatchObject({ exitCode: 0, stderr: "" });
    expect(complete.stdout).not.toContain("Apply once");
    const { bindings } = scene.standIn.policies;
    const dumper = (member: string) => member.startsWith("serviceAccount:idp-dump@");
    bindings.set(
      PROJECT,
      (bindings.get(PROJECT) ?? []).map((each) => ({
        ...each,
        members: each.members.filter((member) => !dumper(member)),
      })),
    );
    const lacking = await scene.promote(["home", "--yes"]);
    expect(lacking.stdout).toMatch(/Apply once, which gives these the right .* back: serviceAccount:idp-dump@\S+\n/);
  });
});
