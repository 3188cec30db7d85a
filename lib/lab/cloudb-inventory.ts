import { Fn, Token, type IResolvable, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { conditionOf, countWhen, expression } from "../core/expression";
import { packageFile } from "../core/package-file";
import { shellCommand } from "../core/project-apis";
import { ifKnown, requireAll, requireProps, secretPresence, type Rule } from "../core/rules";
import { addStackFile, type StackFile } from "../core/stack-file";
import { TerraformData } from "../core/terraform-data";
import { type CloudBCredentials } from "./assessment-lab-props";
import { addAssessmentLibraries } from "./assessment-libraries";
import { CloudBUser } from "./cloudb-user";
import { DEFAULT_CLOUDB_REGION } from "./contract";
import { cloudbUserName } from "./lab-names";

export interface CloudBInventoryProps {
  /**
   * Region and bootstrap credentials of cloud B. They must be inputs: literals would be in the synthesized folder. Empty
   * ones mean that there is no cloud B.
   */
  readonly cloudB: CloudBCredentials;

  /** Suffix of all names of the lab. */
  readonly deploymentId: string;

  /** Project of the assessment service. */
  readonly projectId: string;

  /** Region of the assessment data. */
  readonly region: string;

  /** Id of the discovery source that the machines are imported on. */
  readonly sourceId: string;

  /**
   * What must exist before anything of cloud B.
   *
   * @default - nothing
   */
  readonly after?: ITerraformDependable[];

  /**
   * What must exist before the import, the discovery source for one.
   *
   * @default - nothing
   */
  readonly dependsOn?: ITerraformDependable[];

  /**
   * False leaves cloud B out although there are credentials.
   *
   * @default true
   */
  readonly enabled?: boolean | IResolvable;
}

/**
 * Imports the machines of one region of cloud B: a user of its own that may list them, and the step that lists with this
 * user's key and imports.
 *
 * The step runs again when a script, the region, the key or the source changes, or when it is replaced by hand; a change
 * of the machines alone is not noticed. Without credentials nothing is created and cloud B is not called. Credentials
 * that are taken away cannot remove the user any more: destroy the `Programs` of this construct before.
 */
export class CloudBInventory extends Construct {
  /** Resource name of the user that lists; null without cloud B. */
  readonly userArn: string;

  constructor(scope: Construct, id: string, props: CloudBInventoryProps) {
    super(scope, id);
    requireProps(this.node.path, props, {
      cloudB: true,
      deploymentId: true,
      projectId: true,
      region: true,
      sourceId: true,
    });
    requireAll(this, props, RULES);
    const { deploymentId, enabled = true } = props;
    const { accessKeyId, region = DEFAULT_CLOUDB_REGION, secretAccessKey } = props.cloudB;
    if (!Token.isUnresolved(accessKeyId) || enabled === false) {
      this.userArn = expression("null");
      return;
    }

    const further = conditionOf(enabled);
    const isOn = `${accessKeyId} != ""${further === undefined ? "" : ` && (${further})`}`;
    const programs = new TerraformData(this, "Programs", {
      triggersReplace: { user: cloudbUserName(deploymentId) },
      provisioners: [{ type: "local-exec", command: `${shellCommand(this.script("discover-cloudb.sh"))} --check` }],
      count: countWhen(isOn),
      dependsOn: props.after,
    });

    const user = new CloudBUser(this, "User", {
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

  private importWith(user: CloudBUser, props: CloudBInventoryProps, cloudbRegion: string, isOn: string): void {
    const { deploymentId, projectId, region, sourceId, dependsOn = [] } = props;
    const libraries = addAssessmentLibraries(this);
    const discover = this.script("discover-cloudb.sh");
    const steps = [...EXPORT_FILES, ...IMPORT_FILES].map((step) => this.script(step));

    new TerraformData(this, "Import", {
      triggersReplace: {
        access_key_id: user.keyId,
        cloudb_region: cloudbRegion,
        project_id: projectId,
        region,
        scripts: Fn.sha256(
          Fn.join(
            ":",
            [...libraries, discover, ...steps].map(({ sha256 }) => sha256),
          ),
        ),
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
            CLOUDB_REGION: cloudbRegion,
            DEPLOYMENT_ID: deploymentId,
            PROJECT_ID: projectId,
            REGION: region,
            SOURCE_ID: sourceId,
          },
        },
      ],
      count: countWhen(isOn),
      dependsOn: [...user.ready, ...dependsOn],
    });
  }

  private script(file: string): StackFile {
    return addStackFile(this, packageFile(`lib/lab/scripts/${file}`), `scripts/${file}`);
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

const RULES: readonly Rule<CloudBInventoryProps>[] = [
  {
    holds: ({ cloudB }) =>
      [cloudB.accessKeyId, cloudB.secretAccessKey].every((value) => ifKnown(value, (known) => known === "")),
    message: () =>
      "accessKeyId or secretAccessKey is a literal; it would be in the synthesized folder for everybody to read; pass sensitive inputs, or empty text to leave cloud B out",
  },
  {
    holds: ({ cloudB }) => (cloudB.accessKeyId === "") === (cloudB.secretAccessKey === ""),
    message: ({ cloudB }) =>
      `accessKeyId is ${secretPresence(cloudB.accessKeyId)} and secretAccessKey is ${secretPresence(cloudB.secretAccessKey)}; they must be given together or not at all, because neither signs a request alone; give both, or empty text for both`,
  },
];
