import { Fn, Token, type IResolvable, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { allOf, countIf, isOn } from "../core/conditional";
import { expression } from "../core/expression";
import { shellCommand } from "../core/project-apis";
import { addScript } from "../core/stack-file";
import { TerraformData } from "../core/terraform-data";
import { type AwsCredentials } from "./assessment-lab-props";
import { addAssessmentLibraries } from "./assessment-source";
import { type AwsUser } from "./aws-user";
import { DEFAULT_AWS_REGION } from "./contract";
import { awsUserName } from "./lab-names";

export interface AwsInventoryProps {
  /**
   * AWS region and bootstrap credentials. The credentials must be inputs: literals would be in the synthesized folder.
   * Empty ones mean no AWS.
   */
  readonly aws: AwsCredentials;

  /** Id of the lab, part of all names. */
  readonly deploymentId: string;

  /** Project of Migration Center. */
  readonly projectId: string;

  /** Region of the assessment data. */
  readonly region: string;

  /** Id of the discovery source into which the machines are imported. */
  readonly sourceId: string;

  /**
   * A value that changes when the source loses its imported data: `AssessmentSource.generation`. The import then runs
   * again.
   */
  readonly sourceGeneration: string;

  /** What must exist before the import, for example the discovery source. */
  readonly dependsOn: ITerraformDependable[];

  /** False leaves AWS out even if there are credentials. */
  readonly enabled: boolean | IResolvable;

  /** What must be destroyed after all AWS resources. */
  readonly outlivedBy: ITerraformDependable[];
}

/**
 * Imports the instances of one AWS region: a dedicated user that may list them, and a step that lists them with this
 * user's key and imports them.
 *
 * The step runs again when a script, a region, the key or the source changes, or when it is replaced manually; changes
 * of the instances alone are not noticed. Without credentials nothing is created and AWS is not called. Removing the
 * user needs them too: destroy `Programs` of this construct before you remove the credentials. The package
 * `@cdktf/provider-aws` is loaded only for credentials that are inputs.
 */
export class AwsInventory extends Construct {
  /** ARN of the user that lists instances; null without AWS. */
  readonly userArn: string;

  constructor(scope: Construct, id: string, props: AwsInventoryProps) {
    super(scope, id);
    const { deploymentId, enabled } = props;
    const { accessKeyId, region = DEFAULT_AWS_REGION, secretAccessKey } = props.aws;
    if (!Token.isUnresolved(accessKeyId) || enabled === false) {
      this.userArn = expression("null");
      return;
    }

    const imports = allOf(`${accessKeyId} != ""`, isOn(enabled));
    const programs = new TerraformData(this, "Programs", {
      triggersReplace: { user: awsUserName(deploymentId) },
      provisioners: [{ type: "local-exec", command: `${shellCommand(addScript(this, IMPORT_SCRIPT))} --check` }],
      count: countIf(imports),
      dependsOn: props.outlivedBy,
    });

    const user = new (awsUserClass())(this, "User", {
      accessKeyId,
      deploymentId,
      isOn: imports,
      region,
      secretAccessKey,
      dependsOn: [programs],
    });

    this.importWith(user, props, region, imports);
    this.userArn = user.arn;
  }

  private importWith(user: AwsUser, props: AwsInventoryProps, awsRegion: string, condition: string): void {
    const { deploymentId, projectId, region, sourceGeneration, sourceId, dependsOn } = props;
    const script = addScript(this, IMPORT_SCRIPT);
    const files = [...addAssessmentLibraries(this), script, addScript(this, "lib/lab/scripts/inventory.jq")];

    new TerraformData(this, "Import", {
      triggersReplace: {
        access_key_id: user.keyId,
        cloudb_region: awsRegion,
        project_id: projectId,
        region,
        scripts: Fn.sha256(
          Fn.join(
            ":",
            files.map(({ sha256 }) => sha256),
          ),
        ),
        source_generation: sourceGeneration,
        source_id: sourceId,
      },
      provisioners: [
        {
          type: "local-exec",
          command: shellCommand(script),
          environment: {
            AWS_ACCESS_KEY_ID: user.keyId,
            // With a sensitive value Terraform would hide all output of the scripts, including the reason of a failure.
            // It neither prints nor logs nor stores a provisioner's environment, so the mark would protect nothing; the
            // scripts print no secret, and the state contains this one in any case.
            AWS_SECRET_ACCESS_KEY: expression(`nonsensitive(${user.keySecret})`),
            CLOUDB_REGION: awsRegion,
            DEPLOYMENT_ID: deploymentId,
            PROJECT_ID: projectId,
            REGION: region,
            SOURCE_ID: sourceId,
          },
        },
      ],
      count: countIf(condition),
      dependsOn: [...user.ready, ...dependsOn],
    });
  }
}

/** Lists the instances and imports them. */
const IMPORT_SCRIPT = "lib/lab/scripts/import-inventory.sh";

/** The AWS bindings are large and an optional peer dependency, so a lab without AWS must not load them. */
function awsUserClass(): typeof AwsUser {
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- an import statement would load them always
  return (require("./aws-user") as { AwsUser: typeof AwsUser }).AwsUser;
}
