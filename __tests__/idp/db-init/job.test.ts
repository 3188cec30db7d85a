import { type IResolvable, TerraformVariable } from "cdktf";

import { rendered } from "../../../lib/core/expr/locals";
import { DbInit, type DbInitProps } from "../../../lib/idp/db-init";
import { type OneTimeJobSpec } from "../../../lib/idp/job-runner";
import { standInDatabase } from "../../support/stand-in-parts";
import { bareStack } from "../../support/synthesis";

type Rights = Pick<DbInitProps, "grantManagedSuperuser" | "revokePublicConnect">;

/** What the job is given, and what makes it run again. */
function jobWith(rights: Rights, stack = bareStack(), database = standInDatabase()) {
  const jobs: OneTimeJobSpec[] = [];
  const runner: DbInitProps["runner"] = {
    runOnce: (_scope, _id, job) => {
      jobs.push(job);
      return { jobName: job.name, ready: [] };
    },
  };
  new DbInit(stack, "DbInit", { database, runner, ...rights });
  const [job] = jobs;
  const { DB_GRANT_MANAGED_SUPERUSER, DB_INSTANCE_OWNER, DB_MANAGED_SUPERUSER_ROLE, DB_REVOKE_PUBLIC_CONNECT } =
    job?.container.environment.required ?? {};
  return rendered(stack, {
    owner: DB_INSTANCE_OWNER ?? null,
    variables: [DB_MANAGED_SUPERUSER_ROLE, DB_GRANT_MANAGED_SUPERUSER, DB_REVOKE_PUBLIC_CONNECT],
    rerun: job?.rerunWhenChanged,
  }) as {
    readonly owner: string | null;
    readonly variables: readonly string[];
    readonly rerun: Readonly<Record<string, string>>;
  };
}

describe("The rights that DbInit gives", () => {
  const { databaseName, userName } = standInDatabase();

  it("are those of the contract by default, which add nothing to what makes the job run again", () => {
    const job = jobWith({});
    expect(job.variables).toEqual(["cloudsqlsuperuser", "true", "true"]);
    expect(job.rerun).toMatchObject({ database: databaseName, user: userName });
    expect(Object.keys(job.rerun).sort()).toEqual(
      ["administrator_password_version", "database", "image", "instance", "password_version", "script", "user"].sort(),
    );
    expect(jobWith({ grantManagedSuperuser: true, revokePublicConnect: true })).toEqual(job);
  });

  it("spare what others have set for a login on their instance, which the job is told", () => {
    const database = { ...standInDatabase(), instanceOwner: "others" };
    const [own, theirs] = [jobWith({}), jobWith({}, bareStack(), database)];
    expect([own.owner, theirs.owner]).toEqual(["deployment", "others"]);
    expect(theirs.rerun).toEqual(own.rerun);
  });

  it("make the job run again when one is switched off", () => {
    const job = jobWith({ grantManagedSuperuser: false, revokePublicConnect: false });
    expect(job.variables).toEqual(["cloudsqlsuperuser", "false", "false"]);
    expect(job.rerun).toMatchObject({
      database: `\${join("", ["${databaseName}", ", open to PUBLIC"])}`,
      user: `\${join("", ["${userName}", ", no managed superuser"])}`,
    });
  });

  it("can be known only at plan, where the defaults add nothing either", () => {
    const stack = bareStack();
    const flag = (name: string) => new TerraformVariable(stack, name, { type: "bool" }).value as IResolvable;
    const job = jobWith({ grantManagedSuperuser: flag("grant"), revokePublicConnect: flag("revoke") }, stack);
    expect(job.variables).toEqual(["cloudsqlsuperuser", "${var.grant}", "${var.revoke}"]);
    expect(job.rerun).toMatchObject({
      database: `\${join("", ["${databaseName}", var.revoke ? "" : ", open to PUBLIC"])}`,
      user: `\${join("", ["${userName}", var.grant ? "" : ", no managed superuser"])}`,
    });
  });
});
