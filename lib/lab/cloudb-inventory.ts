import { IamAccessKey } from "@cdktf/provider-aws/lib/iam-access-key";
import { IamPolicy } from "@cdktf/provider-aws/lib/iam-policy";
import { IamUser } from "@cdktf/provider-aws/lib/iam-user";
import { IamUserPolicyAttachment } from "@cdktf/provider-aws/lib/iam-user-policy-attachment";
import { AwsProvider } from "@cdktf/provider-aws/lib/provider";
import { Fn, Token, type ITerraformDependable, type TerraformResource } from "cdktf";
import { Construct } from "constructs";

import { countWhen, expression } from "../core/expression";
import { packageFile } from "../core/package-file";
import { addRestLibrary, shellCommand } from "../core/project-apis";
import { requireProvider } from "../core/provider-requirements";
import { ifKnown, requireAll, secretPresence, type Rule } from "../core/rules";
import { addStackFile, type StackFile } from "../core/stack-file";
import { TerraformData } from "../core/terraform-data";

export interface CloudBInventoryProps {
  /**
   * Id of the key that may create the scoped user. It must be an input: a literal would be in the synthesized folder.
   * Empty means that there is no cloud B.
   */
  readonly accessKeyId: string;

  /** Region whose machines are listed, as cloud B spells it, for example `us-east-1`. */
  readonly cloudbRegion: string;

  /** Suffix of all names of the lab. */
  readonly deploymentId: string;

  /** Project of the assessment service. */
  readonly projectId: string;

  /** Region that the assessment service is bound to. */
  readonly region: string;

  /** Secret of the key; given together with its id, and an input too. */
  readonly secretAccessKey: string;

  /** Id of the discovery source that the machines are imported on. */
  readonly sourceId: string;

  /**
   * Expression of a further input that must hold.
   *
   * @default - the key alone decides
   */
  readonly condition?: string;

  /**
   * What must exist before the import, the discovery source for one.
   *
   * @default - nothing
   */
  readonly dependsOn?: ITerraformDependable[];
}

/**
 * Imports the machines of one region of cloud B: a user of its own that may list them and nothing else, its key, and the
 * step that lists with this key and imports.
 *
 * The bootstrap key only creates and removes that user. The step runs again when a script, the region, the key or the
 * source changes, or with `-replace` of its address. Without credentials nothing is created, and cloud B is not called.
 */
export class CloudBInventory extends Construct {
  /** The scoped user's ARN; null without credentials. */
  readonly userArn: string;

  constructor(scope: Construct, id: string, props: CloudBInventoryProps) {
    super(scope, id);
    requireAll(this, props, RULES);
    if (!Token.isUnresolved(props.accessKeyId)) {
      this.userArn = expression("null");
      return;
    }

    const { accessKeyId, cloudbRegion, deploymentId, secretAccessKey } = props;
    const isGiven = `${accessKeyId} != ""`;
    const isOn = props.condition === undefined ? isGiven : `${isGiven} && (${props.condition})`;
    const count = countWhen(isOn);
    const name = `${USER_PREFIX}-${deploymentId}`;

    requireProvider(this, "aws");
    const provider = new AwsProvider(this, "Provider", {
      // With a name, a stack that composes the lab may have a provider of its own.
      alias: "cloudb",
      region: cloudbRegion,
      // The provider insists on credentials even when nothing uses it; these are never sent.
      accessKey: expression(`(${accessKeyId} == "" ? "${NO_KEY}" : ${accessKeyId})`),
      secretKey: expression(`(${accessKeyId} == "" ? "${NO_KEY}" : ${secretAccessKey})`),
      // Wrong credentials are found out at plan; those that nothing uses are not looked at.
      skipCredentialsValidation: Token.asAny(expression(`!(${isOn})`)),
      skipRequestingAccountId: true,
      skipMetadataApiCheck: "true",
      // The provider's list of regions is as old as the provider.
      skipRegionValidation: true,
      // Somebody's own profiles have no say, and a machine without them will do.
      sharedConfigFiles: [NO_FILE],
      sharedCredentialsFiles: [NO_FILE],
    });

    const programs = new TerraformData(this, "Programs", {
      triggersReplace: { user: name },
      provisioners: [{ type: "local-exec", command: `${shellCommand(this.script("discover-cloudb.sh"))} --check` }],
      lifecycle: {
        precondition: [
          {
            condition: expression(`${secretAccessKey} != ""`),
            errorMessage:
              "cloudb_secret_access_key is missing; it belongs to cloudb_access_key_id, because a key is both; give both, or neither to leave cloud B out.",
          },
        ],
      },
      count,
    });

    const user = new IamUser(this, "User", {
      provider,
      name,
      // No force_destroy: looking for what others have added to the user needs rights that the bootstrap key may lack.
      count,
      dependsOn: [programs],
    });

    const policy = new IamPolicy(this, "Policy", {
      provider,
      name,
      policy: JSON.stringify({
        Version: "2012-10-17",
        // Listing cannot be limited to single resources.
        Statement: [{ Effect: "Allow", Action: ACTIONS, Resource: "*" }],
      }),
      count,
      dependsOn: [programs],
    });

    const attachment = new IamUserPolicyAttachment(this, "Attachment", {
      provider,
      user: only(user, "name"),
      policyArn: only(policy, "arn"),
      count,
    });

    const key = new IamAccessKey(this, "Key", { provider, user: only(user, "name"), count });

    this.importOnce(props, key, [attachment, ...(props.dependsOn ?? [])], count);
    this.userArn = only(user, "arn");
  }

  private importOnce(
    { cloudbRegion, deploymentId, projectId, region, sourceId }: CloudBInventoryProps,
    key: IamAccessKey,
    dependsOn: ITerraformDependable[],
    count: ReturnType<typeof countWhen>,
  ): void {
    addRestLibrary(this);
    const discover = this.script("discover-cloudb.sh");
    const steps = ["export-inventory.sh", "import-inventory.sh", "register-source.sh"].map((file) => this.script(file));

    new TerraformData(this, "Import", {
      triggersReplace: {
        access_key_id: only(key, "id"),
        cloudb_region: cloudbRegion,
        project_id: projectId,
        region,
        scripts: Fn.sha256(
          Fn.join(
            ":",
            [discover, ...steps].map(({ sha256 }) => sha256),
          ),
        ),
        source_id: sourceId,
      },
      provisioners: [
        {
          type: "local-exec",
          command: shellCommand(discover),
          environment: {
            AWS_ACCESS_KEY_ID: only(key, "id"),
            // Terraform would hide all output of the scripts for the sake of a sensitive value, the reasons of a failure
            // included. What a provisioner's environment holds is neither printed, nor logged, nor stored, so the mark
            // protects nothing here; the scripts print no secret, and the value is where it was before: in the state.
            AWS_SECRET_ACCESS_KEY: expression(`nonsensitive(${only(key, "secret")})`),
            CLOUDB_REGION: cloudbRegion,
            PROJECT_ID: projectId,
            REGION: region,
            SOURCE_ID: sourceId,
            DEPLOYMENT_ID: deploymentId,
          },
        },
      ],
      count,
      dependsOn,
    });
  }

  private script(file: string): StackFile {
    return addStackFile(this, packageFile(`lib/lab/scripts/${file}`), `scripts/${file}`);
  }
}

/** Name of user and policy in front of the lab's suffix. */
const USER_PREFIX = "assess-discovery";

/** Longest name of a user. */
const USER_NAME_MAX_LENGTH = 64;

/** Everything that the scoped user may do. */
const ACTIONS = ["ec2:DescribeInstances", "ec2:DescribeInstanceTypes", "ec2:DescribeVolumes"];

const NO_KEY = "none";
const NO_FILE = "/dev/null";

/** An attribute of a counted resource; null when there is none. */
function only(resource: TerraformResource, attribute: string): string {
  return expression(`one(${resource.fqn}[*].${attribute})`);
}

const RULES: readonly Rule<CloudBInventoryProps>[] = [
  {
    holds: ({ accessKeyId, secretAccessKey }) =>
      [accessKeyId, secretAccessKey].every((value) => ifKnown(value, (known) => known === "")),
    message: () =>
      "accessKeyId or secretAccessKey is a literal; it would be in the synthesized folder for everybody to read; pass sensitive inputs, or empty text to leave cloud B out",
  },
  {
    holds: ({ accessKeyId, secretAccessKey }) => (accessKeyId === "") === (secretAccessKey === ""),
    message: ({ accessKeyId, secretAccessKey }) =>
      `accessKeyId is ${secretPresence(accessKeyId)} and secretAccessKey is ${secretPresence(secretAccessKey)}; a key is both; pass both, or empty text for both to leave cloud B out`,
  },
  {
    holds: ({ deploymentId }) =>
      ifKnown(deploymentId, (known) => USER_PREFIX.length + 1 + known.length <= USER_NAME_MAX_LENGTH),
    message: ({ deploymentId }) =>
      `deploymentId is ${deploymentId.length} characters; the user ${USER_PREFIX}-<id> may have ${USER_NAME_MAX_LENGTH}; shorten it by ${USER_PREFIX.length + 1 + deploymentId.length - USER_NAME_MAX_LENGTH}`,
  },
];
