import { IamAccessKey } from "@cdktf/provider-aws/lib/iam-access-key";
import { IamPolicy } from "@cdktf/provider-aws/lib/iam-policy";
import { IamUser } from "@cdktf/provider-aws/lib/iam-user";
import { IamUserPolicyAttachment } from "@cdktf/provider-aws/lib/iam-user-policy-attachment";
import { AwsProvider } from "@cdktf/provider-aws/lib/provider";
import { Token, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { countIf, oneAttribute } from "../core/conditional";
import { expression } from "../core/expression";
import { MAIN_CHILD_ID } from "../core/portable-stack";
import { addScript } from "../core/stack-file";
import { AWS_ACTIONS } from "./contract";
import { awsUserName } from "./lab-names";

export interface AwsUserProps {
  /** Id of the bootstrap key, which may create and delete a user, a policy and an access key. Empty without AWS. */
  readonly accessKeyId: string;

  /** Id of the lab, part of all names. */
  readonly deploymentId: string;

  /** What must exist before the user. */
  readonly dependsOn: ITerraformDependable[];

  /** Expression that is true if AWS is used. */
  readonly isOn: string;

  /** AWS region: the user belongs to its partition. */
  readonly region: string;

  /** Secret of the bootstrap key. */
  readonly secretAccessKey: string;
}

/**
 * An AWS user that may list instances and nothing else, with an access key.
 *
 * The key's secret is in the Terraform state. The provider is configured here, under its own alias, so that a stack may
 * have another one. Without credentials it makes no calls. It ignores AWS profiles and files on the machine that
 * applies.
 */
export class AwsUser extends Construct {
  /** ARN; null without AWS. */
  readonly arn: string;

  /** Id of the access key; null without AWS. */
  readonly keyId: string;

  /** Secret of the access key, marked as sensitive; null without AWS. */
  readonly keySecret: string;

  /** What must exist before the key can list instances. */
  readonly ready: ITerraformDependable[];

  constructor(scope: Construct, id: string, props: AwsUserProps) {
    super(scope, id);
    const { dependsOn } = props;
    const count = countIf(props.isOn);
    const name = awsUserName(props.deploymentId);
    const provider = this.provider(props);

    // No force_destroy: it looks up what else was added to the user, for which the bootstrap key may lack permission.
    const user = new IamUser(this, MAIN_CHILD_ID, { provider, name, count, dependsOn });

    const policy = new IamPolicy(this, "Policy", {
      provider,
      name,
      policy: JSON.stringify({
        Version: "2012-10-17",
        // Listing cannot be limited to single resources.
        Statement: [{ Effect: "Allow", Action: AWS_ACTIONS, Resource: "*" }],
      }),
      count,
      dependsOn,
    });

    const attachment = new IamUserPolicyAttachment(this, "Attachment", {
      provider,
      user: expression(oneAttribute(user, "name")),
      policyArn: expression(oneAttribute(policy, "arn")),
      count,
    });

    const key = new IamAccessKey(this, "Key", { provider, user: expression(oneAttribute(user, "name")), count });

    this.arn = expression(oneAttribute(user, "arn"));
    this.keyId = expression(oneAttribute(key, "id"));
    this.keySecret = expression(oneAttribute(key, "secret"));
    this.ready = [attachment, key];
  }

  private provider({ accessKeyId, isOn, region, secretAccessKey }: AwsUserProps): AwsProvider {
    const givenOr = (placeholder: string, value: string): string =>
      // Keys read from files end with a line break, which makes every signature invalid.
      expression(`(${accessKeyId} == "" ? "${placeholder}" : trimspace(${value}))`);
    const profiles = addScript(this, `lib/lab/scripts/${PROFILES_FILE}`);
    const provider = new AwsProvider(this, "Provider", {
      region,
      // Even with a key the provider reads the user's AWS files, and fails if one is broken or if none has the profile
      // that AWS_PROFILE names.
      profile: EMPTY_PROFILE,
      sharedConfigFiles: [profiles.path],
      sharedCredentialsFiles: [profiles.path],
      // The provider requires credentials even when nothing uses it; these are never sent.
      accessKey: givenOr(NO_KEY, accessKeyId),
      secretKey: givenOr(NO_KEY, secretAccessKey),
      // Wrong credentials fail at plan; placeholders are not checked.
      skipCredentialsValidation: Token.asAny(expression(`!(${isOn})`)),
      skipRequestingAccountId: true,
      skipMetadataApiCheck: "true",
      // The provider's list of regions is as old as the provider.
      skipRegionValidation: true,
    });
    provider.alias = provider.friendlyUniqueId;
    return provider;
  }
}

const NO_KEY = "none";

/** A file with an empty profile and nothing else. */
const PROFILES_FILE = "no-profile.ini";
const EMPTY_PROFILE = "default";
