import { IamAccessKey } from "@cdktf/provider-aws/lib/iam-access-key";
import { IamPolicy } from "@cdktf/provider-aws/lib/iam-policy";
import { IamUser } from "@cdktf/provider-aws/lib/iam-user";
import { IamUserPolicyAttachment } from "@cdktf/provider-aws/lib/iam-user-policy-attachment";
import { AwsProvider } from "@cdktf/provider-aws/lib/provider";
import { Construct } from "constructs";

import { attributeOf } from "../core/expr/attributes";
import { allOf, type Condition, countIf, not } from "../core/expr/conditions";
import { exprOf, hcl } from "../core/expr/expr";
import { trimSpace } from "../core/expr/functions";
import { runsScript, shellCommand } from "../core/project-apis";
import { addScript, hashOf } from "../core/stack-file";
import { TerraformData } from "../core/terraform-data";
import { addAssessmentLibraries } from "./assessment-source";
import { AWS_ACTIONS, DEFAULTS } from "./contract";
import { type LabPartProps } from "./lab-foundation";
import { type AwsCredentials } from "./lab-inputs";
import { awsUserName } from "./lab-names";

export interface AwsInventoryProps extends Omit<LabPartProps, "labels"> {
  /** Empty credentials mean no AWS. */
  readonly aws: AwsCredentials;
  /** Changes when the source loses its imported data, which is then imported again. */
  readonly sourceGeneration: string;
}

/**
 * Imports the instances of one AWS region. Creates a user that may only list instances, and a step that lists them with
 * the user's key and imports them. The key is in the Terraform state.
 *
 * The step runs again when a script, a region, the key or the source changes, or when it is replaced manually; changes
 * of the instances alone are not noticed. Without credentials nothing is created and AWS is not called. Removing the
 * user needs them too: destroy `Programs` of this construct before you remove the credentials.
 *
 * @returns ARN of the user; null without AWS
 */
export function addAwsInventory(scope: Construct, id: string, props: AwsInventoryProps): string {
  const self = new Construct(scope, id);
  const { deploymentId, projectId, region, sourceId } = props;
  const { accessKeyId, region: awsRegion = DEFAULTS.awsRegion } = props.aws;
  const imports = allOf(exprOf(accessKeyId).ne(""), props.usesAssessment);
  const count = countIf(imports);
  const name = awsUserName(deploymentId);
  const script = addScript(self, "lib/lab/scripts/import-inventory.sh");

  const programs = new TerraformData(self, "Programs", {
    triggersReplace: { user: name },
    provisioners: [{ type: "local-exec", command: `${shellCommand(script)} --check` }],
    count,
    dependsOn: props.outlivedBy,
  });

  const provider = awsProvider(self, props.aws, imports, awsRegion);
  // No force_destroy, because it looks up other objects of the user, and the bootstrap key may not have the permission.
  const user = new IamUser(self, "User", { provider, name, count, dependsOn: [programs] });
  const userName = attributeOf(user, "name").text;
  const policy = new IamPolicy(self, "UserPolicy", {
    provider,
    name,
    policy: JSON.stringify({
      Version: "2012-10-17",
      // Listing cannot be limited to single resources.
      Statement: [{ Effect: "Allow", Action: AWS_ACTIONS, Resource: "*" }],
    }),
    count,
    dependsOn: [programs],
  });
  const attachment = new IamUserPolicyAttachment(self, "UserAttachment", {
    provider,
    user: userName,
    policyArn: attributeOf(policy, "arn").text,
    count,
  });
  const key = new IamAccessKey(self, "UserKey", { provider, user: userName, count });
  const keyId = attributeOf(key, "id").text;

  const files = [...addAssessmentLibraries(self), script, addScript(self, "lib/lab/scripts/inventory.jq")];
  new TerraformData(self, "Import", {
    triggersReplace: {
      access_key_id: keyId,
      cloudb_region: awsRegion,
      project_id: projectId,
      region,
      scripts: hashOf(files),
      source_generation: props.sourceGeneration,
      source_id: sourceId,
    },
    provisioners: runsScript(script, {
      AWS_ACCESS_KEY_ID: keyId,
      // With a sensitive value Terraform would hide all output of the scripts, including the reason of a failure.
      // It neither prints nor logs nor stores a provisioner's environment, so the mark would protect nothing; the
      // scripts print no secret, and the state contains this one in any case.
      AWS_SECRET_ACCESS_KEY: hcl`nonsensitive(${attributeOf(key, "secret")})`.text,
      CLOUDB_REGION: awsRegion,
      DEPLOYMENT_ID: deploymentId,
      PROJECT_ID: projectId,
      REGION: region,
      SOURCE_ID: sourceId,
    }),
    count,
    dependsOn: [attachment, key, ...props.dependsOn],
  });

  return attributeOf(user, "arn").text;
}

/**
 * Configured here, under an alias, so that a stack may have another one. Without credentials it makes no calls. It
 * ignores AWS profiles and files on the machine that applies.
 */
function awsProvider(
  scope: Construct,
  { accessKeyId, secretAccessKey }: AwsCredentials,
  isUsed: Condition,
  region: string,
): AwsProvider {
  // The provider requires credentials even when nothing uses it; these are never sent. Keys read from files end with a
  // line break, which makes every signature invalid.
  const given = (value: string) => exprOf(accessKeyId).eq("").choose("none", trimSpace(value)).text;
  const profiles = addScript(scope, `lib/lab/scripts/no-profile.ini`);
  const { awsRegion } = DEFAULTS;
  const provider = new AwsProvider(scope, "UserProvider", {
    // This provider only creates the user, and users belong to no region. In a region that is not enabled, AWS would
    // report a wrong key; the step that lists the instances explains what to do. Other partitions have users of their
    // own.
    region: exprOf(region).matches("^(cn|us-gov|us-iso)").choose<string>(region, awsRegion).text,
    // Even with a key the provider reads the user's AWS files, and fails if one is broken or if none has the profile
    // that AWS_PROFILE names.
    profile: "default",
    sharedConfigFiles: [profiles.path],
    sharedCredentialsFiles: [profiles.path],
    accessKey: given(accessKeyId),
    secretKey: given(secretAccessKey),
    // Wrong credentials fail at plan; placeholders are not checked.
    skipCredentialsValidation: not(isUsed).flag,
    skipRequestingAccountId: true,
    skipMetadataApiCheck: "true",
    // The provider's list of regions is as old as the provider.
    skipRegionValidation: true,
  });
  provider.alias = provider.friendlyUniqueId;
  return provider;
}
