import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

import { expression } from "../../../lib/core/expression";
import { InputVariable } from "../../../lib/core/input-variable";
import { AwsUser } from "../../../lib/lab/aws-user";
import { runTerraform, type TerraformRun } from "../../rehearsal/deployment/terraform-process";
import { brokenCloudBSetUp } from "../../support/broken-cloudb-files";
import { describeWith, programPath } from "../../support/programs";
import { BareStack, synthesizeInto, testApp } from "../../support/synthesis";
import { temporaryFolder } from "../../support/temporary-folder";
import { Moto } from "./moto";
import { findMirrorWith, MIRROR_VARIABLE } from "./provider-mirror";
import { RecordingGateway } from "./recording-gateway";

interface Key {
  readonly AccessKeyId: string;
  readonly SecretAccessKey: string;
}

interface Policies {
  readonly Policies: readonly { readonly Arn: string; readonly PolicyName: string }[];
}

const NAME = "assess-discovery-1a2b3c4d";
const REGION = "us-east-1";
const TITLE = "The real aws provider and a simulated account";

/** What the bootstrap key needs, and what it therefore has here: an apply that needed one more would fail. */
const BOOTSTRAP_ACTIONS = [
  ...["CreateUser", "GetUser", "ListGroupsForUser", "DeleteUser"],
  ...["CreatePolicy", "GetPolicy", "GetPolicyVersion", "ListPolicyVersions", "DeletePolicy"],
  ...["AttachUserPolicy", "ListAttachedUserPolicies", "DetachUserPolicy"],
  ...["CreateAccessKey", "ListAccessKeys", "DeleteAccessKey"],
].map((action) => `iam:${action}`);

/** The provider alone takes seconds to start, and it starts several times per step. */
const STEP_MILLISECONDS = 180_000;

const MIRROR = findMirrorWith("aws");
if (MIRROR === undefined) {
  const lack = `no filesystem mirror of Terraform has the provider hashicorp/aws, and no package registry brings it: name one in ${MIRROR_VARIABLE}`;
  process.stderr.write(`SKIPPED ${TITLE}: ${lack}\n`);
  describe.skip(`${TITLE} (${lack})`, () => {
    withMirror("");
  });
} else {
  describeWith(["aws", "moto_server", "terraform"], TITLE, () => {
    withMirror(MIRROR);
  });
}

function withMirror(mirror: string): void {
  let moto: Moto;
  let gateway: RecordingGateway;
  let folder: string;
  let administrator: Key;
  let bootstrap: Key;

  /** Runs Terraform for somebody whose own set-up of AWS is broken. */
  const terraform = (...command: string[]): Promise<TerraformRun> => {
    const home = temporaryFolder();
    return runTerraform(
      {
        program: programPath("terraform"),
        folder,
        environment: {
          ...brokenCloudBSetUp(home),
          AWS_EC2_METADATA_SERVICE_ENDPOINT: gateway.endpoint,
          AWS_ENDPOINT_URL: gateway.endpoint,
          PATH: process.env.PATH ?? "",
          TF_CLI_CONFIG_FILE: join(folder, "settings.tfrc"),
        },
      },
      ...command,
      "-no-color",
    );
  };
  const giveInputs = (key: Partial<Key>) => {
    const inputs = { key_id: key.AccessKeyId ?? "", key_secret: key.SecretAccessKey ?? "" };
    writeFileSync(join(folder, "inputs.auto.tfvars.json"), JSON.stringify(inputs));
  };

  /** Runs the AWS CLI past the gateway. */
  const aws = async (key: Key, ...command: string[]): Promise<unknown> => {
    const { stdout } = await promisify(execFile)(
      programPath("aws"),
      ["--endpoint-url", moto.endpoint, "--region", REGION, "--output", "json", ...command],
      {
        env: {
          PATH: process.env.PATH,
          AWS_ACCESS_KEY_ID: key.AccessKeyId,
          AWS_SECRET_ACCESS_KEY: key.SecretAccessKey,
          AWS_CONFIG_FILE: "/dev/null",
          AWS_PAGER: "",
        },
      },
    );
    return stdout.trim() === "" ? undefined : (JSON.parse(stdout) as unknown);
  };
  const userWith = async (name: string, actions: readonly string[]): Promise<Key> => {
    const anybody = { AccessKeyId: "anybody", SecretAccessKey: "anybody" };
    const rights = { Version: "2012-10-17", Statement: [{ Effect: "Allow", Action: actions, Resource: "*" }] };
    await aws(anybody, "iam", "create-user", "--user-name", name);
    await aws(
      anybody,
      ...["iam", "put-user-policy", "--user-name", name],
      ...["--policy-name", name, "--policy-document", JSON.stringify(rights)],
    );
    return ((await aws(anybody, "iam", "create-access-key", "--user-name", name)) as { AccessKey: Key }).AccessKey;
  };
  const iam = (...command: string[]) => aws(administrator, "iam", ...command);
  const userNames = async () =>
    ((await iam("list-users")) as { Users: { UserName: string }[] }).Users.map(({ UserName }) => UserName).sort();
  const ownPolicies = async () => ((await iam("list-policies", "--scope", "Local")) as Policies).Policies;

  beforeAll(async () => {
    moto = await Moto.start();
    gateway = await new RecordingGateway(moto.endpoint).start();
    administrator = await userWith("administrator", ["*"]);
    bootstrap = await userWith("bootstrap", BOOTSTRAP_ACTIONS);
    // From now on signatures and rights count.
    await fetch(`${moto.endpoint}/moto-api/reset-auth`, { method: "POST", body: "0" });

    const app = testApp();
    const stack = new BareStack(app, "test", { providers: [] });
    const input = (name: string) =>
      new InputVariable(stack, name, { type: "string", description: "Input.", sensitive: true }).stringValue;
    const accessKeyId = input("key_id");
    const user = new AwsUser(stack, "User", {
      accessKeyId,
      deploymentId: "1a2b3c4d",
      dependsOn: [],
      isOn: `${accessKeyId} != ""`,
      region: REGION,
      secretAccessKey: input("key_secret"),
    });
    stack.addOutputs({
      key: {
        value: expression(
          `{ AccessKeyId = ${user.keyId}, SecretAccessKey = try(nonsensitive(${user.keySecret}), null) }`,
        ),
        description: "Key.",
      },
    });
    folder = synthesizeInto(app).path;
    const settings = `provider_installation {\n  filesystem_mirror { path = ${JSON.stringify(mirror)} }\n}\n`;
    writeFileSync(join(folder, "settings.tfrc"), settings);
    expect(await terraform("init", "-input=false")).toMatchObject({ exitCode: 0 });
  }, STEP_MILLISECONDS);

  afterAll(async () => {
    await gateway.stop();
    await moto.stop();
  });

  it(
    "make no call without credentials, and need no AWS configuration",
    async () => {
      giveInputs({});
      const { exitCode, output } = await terraform("apply", "-auto-approve", "-input=false");
      expect(output).toContain("Apply complete! Resources: 0 added, 0 changed, 0 destroyed.");
      expect(exitCode).toBe(0);
      expect(gateway.requests).toEqual([]);
    },
    STEP_MILLISECONDS,
  );

  it(
    "create one user with one policy of exactly three actions",
    async () => {
      giveInputs(bootstrap);
      const { exitCode, output } = await terraform("apply", "-auto-approve", "-input=false");
      expect(output).toContain("Apply complete! Resources: 4 added, 0 changed, 0 destroyed.");
      expect(exitCode).toBe(0);
      expect(await userNames()).toEqual(["administrator", NAME, "bootstrap"]);
      const policies = await ownPolicies();
      expect(policies.map(({ PolicyName }) => PolicyName)).toEqual([NAME]);
      const { Arn: arn = "" } = policies[0] ?? {};
      expect(await iam("list-attached-user-policies", "--user-name", NAME)).toMatchObject({
        AttachedPolicies: [{ PolicyName: NAME, PolicyArn: arn }],
      });
      expect(await iam("list-user-policies", "--user-name", NAME)).toMatchObject({ PolicyNames: [] });
      expect(await iam("get-policy-version", "--policy-arn", arn, "--version-id", "v1")).toMatchObject({
        PolicyVersion: {
          IsDefaultVersion: true,
          Document: {
            Version: "2012-10-17",
            Statement: [
              {
                Effect: "Allow",
                Action: ["ec2:DescribeInstances", "ec2:DescribeInstanceTypes", "ec2:DescribeVolumes"],
                Resource: "*",
              },
            ],
          },
        },
      });
    },
    STEP_MILLISECONDS,
  );

  it(
    "show no change in a second plan",
    async () => {
      const { exitCode, output } = await terraform("plan", "-detailed-exitcode", "-input=false");
      expect(output).toContain("No changes.");
      expect(exitCode).toBe(0);
    },
    STEP_MILLISECONDS,
  );

  it("give a key that lists machines, types and volumes, and may nothing else", async () => {
    const { output } = await terraform("output", "-json");
    const { key } = JSON.parse(output) as { key: { value: Key } };
    const call = (...command: string[]) => aws(key.value, ...command);
    expect(await call("ec2", "describe-instances")).toEqual({ Reservations: [] });
    expect(await call("ec2", "describe-volumes")).toEqual({ Volumes: [] });
    expect(await call("ec2", "describe-instance-types", "--instance-types", "m5.large")).toMatchObject({
      InstanceTypes: [{ InstanceType: "m5.large" }],
    });
    await expect(call("ec2", "describe-images")).rejects.toThrow("not authorized to perform: ec2:DescribeImages");
    await expect(call("iam", "list-users")).rejects.toThrow("not authorized to perform: iam:ListUsers");
    await expect(aws({ ...key.value, SecretAccessKey: "another" }, "ec2", "describe-volumes")).rejects.toThrow(
      "AuthFailure",
    );
  });

  it(
    "leave nothing behind after destroy, and have used no other key than the one that was given",
    async () => {
      const { exitCode, output } = await terraform("destroy", "-auto-approve", "-input=false");
      expect(output).toContain("Destroy complete! Resources: 4 destroyed.");
      expect(exitCode).toBe(0);
      expect(await userNames()).toEqual(["administrator", "bootstrap"]);
      expect(await ownPolicies()).toEqual([]);
      expect(gateway.requests.map(({ action }) => action)).toEqual(
        expect.arrayContaining(["CreateUser", "CreateAccessKey", "DeleteAccessKey", "DeleteUser"]),
      );
      expect([...new Set(gateway.requests.map(({ accessKeyId }) => accessKeyId))]).toEqual([bootstrap.AccessKeyId]);
    },
    STEP_MILLISECONDS,
  );
}
