import { TerraformLocal } from "cdktf";

import { expression } from "../../lib/core/expression";
import { InputVariable } from "../../lib/core/input-variable";
import { AwsInventory, type AwsInventoryProps } from "../../lib/lab/aws-inventory";
import { AWS_ACTIONS } from "../../lib/lab/contract";
import {
  bareStack,
  resourceAddresses,
  resourceOf,
  terraformOf,
  type BareStack,
  type Block,
} from "../support/synthesis";

const PLACE = { projectId: "demo-project", region: "us-central1", sourceId: "the-source" };

type Overrides = Partial<AwsInventoryProps>;

function inventoryIn(overrides: (stack: BareStack) => Overrides = () => ({}), stack = bareStack()) {
  const input = (name: string, sensitive = false) =>
    new InputVariable(stack, name, { type: "string", default: "", description: "Input.", sensitive }).stringValue;
  const aws = {
    accessKeyId: input("cloudb_access_key_id", true),
    secretAccessKey: input("cloudb_secret_access_key", true),
    region: input("cloudb_region"),
  };
  const inventory = new AwsInventory(stack, "CloudB", {
    aws,
    deploymentId: "1a2b3c4d",
    ...PLACE,
    ...overrides(stack),
  });
  stack.addOutputs({ arn: { value: inventory.userArn, description: "User." } });
  return { inventory, stack, terraform: terraformOf(stack) };
}

/** A step with its only provisioner's arguments beside its own. */
function stepOf({ terraform }: ReturnType<typeof inventoryIn>, name: string): Block {
  const step = resourceOf(terraform, "terraform_data", name);
  const [provisioner] = step.provisioner as { "local-exec": Block }[];
  return { ...step, ...provisioner?.["local-exec"] };
}

describe("AwsInventory", () => {
  it("creates a user that may list machines, types and volumes, and nothing else", () => {
    const { terraform } = inventoryIn();
    expect(resourceAddresses(terraform)).toEqual([
      "aws_iam_access_key.cloud_b_user_key",
      "aws_iam_policy.cloud_b_user_policy",
      "aws_iam_user.cloud_b_user",
      "aws_iam_user_policy_attachment.cloud_b_user_attachment",
      "terraform_data.cloud_b_import",
      "terraform_data.cloud_b_programs",
    ]);
    expect(resourceOf(terraform, "aws_iam_user", "cloud_b_user").name).toBe("assess-discovery-1a2b3c4d");
    const { policy } = resourceOf(terraform, "aws_iam_policy", "cloud_b_user_policy");
    expect(JSON.parse(policy as string)).toEqual({
      Version: "2012-10-17",
      Statement: [{ Effect: "Allow", Action: AWS_ACTIONS, Resource: "*" }],
    });
    expect(AWS_ACTIONS).toEqual(["ec2:DescribeInstances", "ec2:DescribeInstanceTypes", "ec2:DescribeVolumes"]);
    expect(resourceOf(terraform, "aws_iam_user_policy_attachment", "cloud_b_user_attachment")).toMatchObject({
      user: "${one(aws_iam_user.cloud_b_user[*].name)}",
      policy_arn: "${one(aws_iam_policy.cloud_b_user_policy[*].arn)}",
    });
  });

  it("has no resource without a key", () => {
    const { terraform } = inventoryIn();
    for (const address of resourceAddresses(terraform)) {
      const [type = "", name = ""] = address.split(".");
      expect(resourceOf(terraform, type, name).count).toBe('${(var.cloudb_access_key_id != "") ? 1 : 0}');
    }
    expect(terraform.output?.arn?.value).toBe("${one(aws_iam_user.cloud_b_user[*].arn)}");
  });

  it("also has none when the lab does not use the assessment service", () => {
    const { terraform } = inventoryIn((stack) => ({
      enabled: new InputVariable(stack, "initialize", { type: "bool", description: "Input." }).booleanValue,
    }));
    expect(resourceOf(terraform, "aws_iam_user", "cloud_b_user").count).toBe(
      '${((var.cloudb_access_key_id != "") && (var.initialize)) ? 1 : 0}',
    );
    expect(terraform.provider?.aws?.[0]?.skip_credentials_validation).toBe(
      '${!((var.cloudb_access_key_id != "") && (var.initialize))}',
    );
  });

  it.each<[string, Overrides]>([
    ["empty credentials", { aws: { accessKeyId: "", secretAccessKey: "" } }],
    ["a lab without the assessment service", { enabled: false }],
  ])("adds neither a resource nor a provider for %s at synth", (_, overrides) => {
    const { terraform } = inventoryIn(() => overrides);
    expect(resourceAddresses(terraform)).toEqual([]);
    expect(terraform.provider?.aws).toBeUndefined();
    expect(terraform.output?.arn?.value).toBe("${null}");
  });

  it("configures the provider with the bootstrap key, or with placeholders that are never sent", () => {
    const { terraform } = inventoryIn();
    expect(terraform.provider?.aws).toEqual([
      {
        alias: "cloud_b_user_provider",
        region: "${var.cloudb_region}",
        profile: "default",
        shared_config_files: ["${path.module}/scripts/no-profile.ini"],
        shared_credentials_files: ["${path.module}/scripts/no-profile.ini"],
        access_key: '${(var.cloudb_access_key_id == "" ? "none" : trimspace(var.cloudb_access_key_id))}',
        secret_key: '${(var.cloudb_access_key_id == "" ? "none" : trimspace(var.cloudb_secret_access_key))}',
        skip_credentials_validation: '${!(var.cloudb_access_key_id != "")}',
        skip_metadata_api_check: "true",
        skip_region_validation: true,
        skip_requesting_account_id: true,
      },
    ]);
    const users = Object.entries(terraform.resource ?? {}).filter(([type]) => type.startsWith("aws_"));
    for (const [, elements] of users) {
      for (const { provider } of Object.values(elements)) expect(provider).toBe("aws.cloud_b_user_provider");
    }
  });

  it("looks for the programs before it creates anything in AWS", () => {
    const inventory = inventoryIn();
    expect(stepOf(inventory, "cloud_b_programs").command).toBe(
      'sh "${path.module}/scripts/discover-cloudb.sh" --check',
    );
    for (const [type, name] of [
      ["aws_iam_user", "cloud_b_user"],
      ["aws_iam_policy", "cloud_b_user_policy"],
    ] as const) {
      expect(resourceOf(inventory.terraform, type, name).depends_on).toEqual(["terraform_data.cloud_b_programs"]);
    }
  });

  it("is outlived by what the caller names", () => {
    const inventory = inventoryIn((stack) => ({ outlivedBy: [new TerraformLocal(stack, "first", "")] }));
    expect(stepOf(inventory, "cloud_b_programs").depends_on).toEqual(["local.first"]);
  });

  it("lists and imports with the key of the user alone, and with output that stays visible", () => {
    const { command, environment } = stepOf(inventoryIn(), "cloud_b_import");
    expect(command).toBe('sh "${path.module}/scripts/discover-cloudb.sh"');
    expect(environment).toEqual({
      AWS_ACCESS_KEY_ID: "${one(aws_iam_access_key.cloud_b_user_key[*].id)}",
      AWS_SECRET_ACCESS_KEY: "${nonsensitive(one(aws_iam_access_key.cloud_b_user_key[*].secret))}",
      CLOUDB_REGION: "${var.cloudb_region}",
      DEPLOYMENT_ID: "1a2b3c4d",
      PROJECT_ID: "demo-project",
      REGION: "us-central1",
      SOURCE_ID: "the-source",
    });
  });

  it("runs again when scripts, key, region or source change, and for nothing else", () => {
    const scripts = [
      ...["rest-script.sh", "google-credentials.sh", "google-rest.sh", "assessment-rest.sh", "discover-cloudb.sh"],
      ...["export-inventory.sh", "cloudb-lists.sh", "inventory-machines.jq", "inventory-types.jq"],
      ...["inventory-volumes.jq", "inventory-tables.jq", "inventory-tables.awk"],
      "import-inventory.sh",
    ];
    const hashes = scripts.map((script) => `filesha256("\${path.module}/scripts/${script}")`);
    expect(stepOf(inventoryIn(), "cloud_b_import").triggers_replace).toEqual({
      access_key_id: "${one(aws_iam_access_key.cloud_b_user_key[*].id)}",
      cloudb_region: "${var.cloudb_region}",
      project_id: "demo-project",
      region: "us-central1",
      scripts: `\${sha256(join(":", [${hashes.join(", ")}]))}`,
      source_id: "the-source",
    });
  });

  it("imports after the rights of the user and after what the caller names", () => {
    const inventory = inventoryIn((stack) => ({ dependsOn: [new TerraformLocal(stack, "source", "")] }));
    expect(stepOf(inventory, "cloud_b_import").depends_on).toEqual([
      "aws_iam_user_policy_attachment.cloud_b_user_attachment",
      "aws_iam_access_key.cloud_b_user_key",
      "local.source",
    ]);
  });

  it("may stand beside another one, each with its own provider", () => {
    const { stack } = inventoryIn();
    const aws = { accessKeyId: expression("var.a"), secretAccessKey: expression("var.b") };
    new AwsInventory(stack, "Other", { aws, deploymentId: "other", ...PLACE });
    expect(terraformOf(stack).provider?.aws?.map(({ alias }) => alias)).toEqual([
      "cloud_b_user_provider",
      "other_user_provider",
    ]);
  });
});
