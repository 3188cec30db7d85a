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
import { requireProvider } from "../core/provider-requirements";
import { addScript } from "../core/stack-file";
import { AWS_ACTIONS } from "./contract";
import { awsUserName } from "./lab-names";

export interface AwsUserProps {
  /** Bootstrap key: may create and delete a user, a policy and an access key. Empty without AWS. */
  readonly accessKeyId: string;

  /** Suffix of all names of the lab. */
  readonly deploymentId: string;

  /** What must exist before the first of them. */
  readonly dependsOn: ITerraformDependable[];

  /** Expression that holds when AWS is used. */
  readonly isOn: string;

  /** Region of AWS: users belong to its partition. */
  readonly region: string;

  /** Secret of the bootstrap key. */
  readonly secretAccessKey: string;
}

/**
 * An AWS user that may list instances and nothing else, with an access key.
 *
 * The secret of the key is in the Terraform state. The provider is configured here, under an alias of its own, so that a
 * stack may have another one. Without credentials it makes no call. It ignores AWS profiles and files of the machine that
 * applies.
 */
export class AwsUser extends Construct {
  /** ARN; null without AWS. */
  readonly arn: string;

  /** Id of the access key; null without AWS. */
  readonly keyId: string;

  /** Secret of the access key, marked as sensitive; null without AWS. */
  readonly keySecret: string;

  /** What must exist before the key may list. */
  readonly ready: ITerraformDependable[];

  constructor(scope: Construct, id: string, props: AwsUserProps) {
    super(scope, id);
    const { dependsOn } = props;
    const count = countIf(props.isOn);
    const name = awsUserName(props.deploymentId);
    const provider = this.provider(props);

    // No force_destroy: it looks for what others added to the user, which takes rights that the bootstrap key may lack.
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
    requireProvider(this, "aws");
    const givenOr = (placeholder: string, value: string): string =>
      // Keys that come out of files end with a line break, with which no signature is right.
      expression(`(${accessKeyId} == "" ? "${placeholder}" : trimspace(${value}))`);
    const profiles = addScript(this, `lib/lab/scripts/${PROFILES_FILE}`);
    const provider = new AwsProvider(this, "Provider", {
      region,
      // The provider reads the caller's files even though it is given a key, and fails on a broken one, and when
      // AWS_PROFILE names a profile that is in none of them.
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
