import { TerraformLocal } from "cdktf";

import { InputVariable } from "../../lib/core/input-variable";
import { AwsInventory, type AwsInventoryProps } from "../../lib/lab/aws-inventory";
import { bareStack, resourceAddresses, resourceOf, terraformOf, type BareStack } from "../support/synthesis";

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
    ...{ deploymentId: "1a2b3c4d", sourceGeneration: "1", dependsOn: [], usesAssessment: true, outlivedBy: [] },
    ...PLACE,
    ...overrides(stack),
  });
  stack.addOutputs({ arn: { value: inventory.userArn, description: "User." } });
  return { inventory, stack, terraform: terraformOf(stack) };
}

describe("AwsInventory", () => {
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
      usesAssessment: new InputVariable(stack, "initialize", { type: "bool", description: "Input." }).booleanValue,
    }));
    expect(resourceOf(terraform, "aws_iam_user", "cloud_b_user").count).toBe(
      '${((var.cloudb_access_key_id != "") && (var.initialize)) ? 1 : 0}',
    );
    expect(terraform.provider?.aws?.[0]?.skip_credentials_validation).toBe(
      '${!((var.cloudb_access_key_id != "") && (var.initialize))}',
    );
  });

  it("comes after what the caller names, and is outlived by what the caller names", () => {
    const { terraform } = inventoryIn((stack) => ({
      dependsOn: [new TerraformLocal(stack, "source", "")],
      outlivedBy: [new TerraformLocal(stack, "first", "")],
    }));
    const stepsOf = (name: string) => resourceOf(terraform, "terraform_data", name).depends_on;
    expect(stepsOf("cloud_b_import")).toContain("local.source");
    expect(stepsOf("cloud_b_programs")).toEqual(["local.first"]);
  });
});
