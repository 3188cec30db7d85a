import { Fn, Token, type IResolvable, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { conditionOf, countIf } from "../core/conditional";
import { expression } from "../core/expression";
import { shellCommand } from "../core/project-apis";
import { PROJECT_ID, REGION } from "../core/place-rules";
import { requireProps, type Rule } from "../core/rules";
import { addScript, type StackFile } from "../core/stack-file";
import { TerraformData } from "../core/terraform-data";
import { type AwsCredentials } from "./assessment-lab-props";
import { addAssessmentLibraries } from "./assessment-source";
import { type AwsUser } from "./aws-user";
import { DEFAULT_AWS_REGION } from "./contract";
import { awsUserName } from "./lab-names";
import { AWS_RULES, DEPLOYMENT_ID } from "./lab-rules";

export interface AwsInventoryProps {
  /**
   * Region and bootstrap credentials of AWS. They must be inputs: literals would be in the synthesized folder. Empty ones
   * mean no AWS.
   */
  readonly aws: AwsCredentials;

  /** Suffix of all names of the lab. */
  readonly deploymentId: string;

  /** Project of the assessment service. */
  readonly projectId: string;

  /** Region of the assessment data. */
  readonly region: string;

  /** Id of the discovery source that the machines are imported on. */
  readonly sourceId: string;

  /**
   * A value that changes when the source has lost what was imported: `AssessmentSource.generation`. The import then runs
   * again.
   *
   * @default - the import does not run again
   */
  readonly sourceGeneration?: string;

  /**
   * What must exist before the import, the discovery source for one.
   *
   * @default - nothing
   */
  readonly dependsOn?: ITerraformDependable[];

  /**
   * False leaves AWS out although there are credentials.
   *
   * @default true
   */
  readonly enabled?: boolean | IResolvable;

  /**
   * Things that are destroyed after everything of AWS.
   *
   * @default - nothing
   */
  readonly outlivedBy?: ITerraformDependable[];
}

/**
 * Imports the instances of one AWS region: a user of its own that may list them, and the step that lists with this user's
 * key and imports.
 *
 * The step runs again when a script, the region, the key or the source changes, or when it is replaced by hand; a change
 * of the instances alone is not noticed. Without credentials nothing is created and AWS is not called. Without them the
 * user cannot be removed either: destroy the `Programs` of this construct before they are taken away. The package
 * `@cdktf/provider-aws` is loaded only for credentials that are inputs.
 */
export class AwsInventory extends Construct {
  /** ARN of the user that lists; null without AWS. */
  readonly userArn: string;

  constructor(scope: Construct, id: string, props: AwsInventoryProps) {
    super(scope, id);
    requireProps(
      this,
      props,
      {
        aws: { accessKeyId: true, secretAccessKey: true },
        deploymentId: true,
        projectId: true,
        region: true,
        sourceId: true,
      },
      RULES,
    );
    const { deploymentId, enabled = true } = props;
    const { accessKeyId, region = DEFAULT_AWS_REGION, secretAccessKey } = props.aws;
    if (!Token.isUnresolved(accessKeyId) || enabled === false) {
      this.userArn = expression("null");
      return;
    }

    const further = conditionOf(enabled);
    const isOn = `${accessKeyId} != ""${further === undefined ? "" : ` && (${further})`}`;
    const programs = new TerraformData(this, "Programs", {
      triggersReplace: { user: awsUserName(deploymentId) },
      provisioners: [{ type: "local-exec", command: `${shellCommand(this.script("discover-cloudb.sh"))} --check` }],
      count: countIf(isOn),
      dependsOn: props.outlivedBy,
    });

    const user = new (awsUserClass())(this, "User", {
      accessKeyId,
      deploymentId,
      isOn,
      region,
      secretAccessKey,
      dependsOn: [programs],
    });

    this.importWith(user, props, region, isOn);
    this.userArn = user.arn;
  }

  private importWith(user: AwsUser, props: AwsInventoryProps, awsRegion: string, isOn: string): void {
    const { deploymentId, projectId, region, sourceGeneration, sourceId, dependsOn = [] } = props;
    const libraries = addAssessmentLibraries(this);
    const discover = this.script("discover-cloudb.sh");
    const steps = [...EXPORT_FILES, ...IMPORT_FILES].map((step) => this.script(step));

    new TerraformData(this, "Import", {
      triggersReplace: {
        access_key_id: user.keyId,
        cloudb_region: awsRegion,
        project_id: projectId,
        region,
        scripts: Fn.sha256(
          Fn.join(
            ":",
            [...libraries, discover, ...steps].map(({ sha256 }) => sha256),
          ),
        ),
        ...(sourceGeneration === undefined ? {} : { source_generation: sourceGeneration }),
        source_id: sourceId,
      },
      provisioners: [
        {
          type: "local-exec",
          command: shellCommand(discover),
          environment: {
            AWS_ACCESS_KEY_ID: user.keyId,
            // For a sensitive value Terraform would hide all output of the scripts, and with it why they fail. It neither
            // prints nor logs nor stores the environment of a provisioner, so the mark would protect nothing here; the
            // scripts print no secret, and the state holds this one as before.
            AWS_SECRET_ACCESS_KEY: expression(`nonsensitive(${user.keySecret})`),
            CLOUDB_REGION: awsRegion,
            DEPLOYMENT_ID: deploymentId,
            PROJECT_ID: projectId,
            REGION: region,
            SOURCE_ID: sourceId,
          },
        },
      ],
      count: countIf(isOn),
      dependsOn: [...user.ready, ...dependsOn],
    });
  }

  private script(file: string): StackFile {
    return addScript(this, `lib/lab/scripts/${file}`);
  }
}

/** What lists the machines and writes the tables. */
const EXPORT_FILES = [
  "export-inventory.sh",
  "cloudb-lists.sh",
  "inventory-machines.jq",
  "inventory-types.jq",
  "inventory-volumes.jq",
  "inventory-tables.jq",
  "inventory-tables.awk",
] as const;

/** What imports the tables. */
const IMPORT_FILES = [
  "import-inventory.sh",
  "import-files.sh",
  "import-job.sh",
  "import-findings.sh",
  "import-corrections.sh",
  "register-source.sh",
] as const;

/** The bindings of AWS are large and an optional peer, so a lab without AWS must not load them. */
function awsUserClass(): typeof AwsUser {
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- an import statement would load them always
  return (require("./aws-user") as { AwsUser: typeof AwsUser }).AwsUser;
}

const RULES: readonly Rule<AwsInventoryProps>[] = [
  ...AWS_RULES,
  ...DEPLOYMENT_ID.map((rule) => rule.ruleOn<AwsInventoryProps>("deploymentId", ({ deploymentId }) => deploymentId)),
  PROJECT_ID.ruleOn("projectId", ({ projectId }) => projectId),
  REGION.ruleOn("region", ({ region }) => region),
];
