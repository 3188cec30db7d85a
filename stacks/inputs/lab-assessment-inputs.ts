import { type IResolvable, type TerraformStack } from "cdktf";
import { Construct } from "constructs";

import { InputVariable } from "../../lib/core/input-variable";
import { type CloudBCredentials } from "../../lib/lab/assessment-lab-props";
import {
  CLOUDB_REGION_PATTERN,
  DEFAULT_CLOUDB_REGION,
  DEFAULT_DISCOVERY_CLIENT_NAME,
  DISCOVERY_CLIENT_NAME_MAX_LENGTH,
  DISCOVERY_CLIENT_NAME_PATTERN,
} from "../../lib/lab/contract";

/** Group of the deployment form. */
const GROUP = "[8 Assessment]";

/** Address of the first thing of cloud B, on which all the others depend: the construct gives it to what comes after the inputs. */
export const CLOUDB_PROGRAMS_ADDRESS = "terraform_data.lab_cloudb_programs";

/** What the assessment service is told, and where further inventory comes from. */
export class LabAssessmentInputs extends Construct {
  readonly initializeAssessmentService: IResolvable;
  readonly assessDiscoveryClientName: string;
  readonly cloudB: CloudBCredentials;

  constructor(stack: TerraformStack) {
    super(stack, "lab-assessment-inputs");

    this.initializeAssessmentService = new InputVariable(this, "initialize_assessment_service", {
      type: "bool",
      default: true,
      description: `${GROUP} Prepares the assessment service in region and registers the discovery source. False provisions only hosts, network and bucket. What the service has is not removed by a destroy.`,
    }).booleanValue;

    this.assessDiscoveryClientName = new InputVariable(this, "assess_discovery_client_name", {
      type: "string",
      default: DEFAULT_DISCOVERY_CLIENT_NAME,
      description: `${GROUP} Display name of the discovery source, 1 to ${DISCOVERY_CLIENT_NAME_MAX_LENGTH} characters. The discovery client must be given the same at sign-in, capitals included; with another one its results land in a second source. Labs of one project with the same name share one source, so give each its own. Changing it later registers another source.`,
      validation: [
        {
          condition: `\${can(regex(${JSON.stringify(DISCOVERY_CLIENT_NAME_PATTERN)}, var.assess_discovery_client_name))}`,
          errorMessage: `assess_discovery_client_name is \${jsonencode(var.assess_discovery_client_name)}; it must be 1 to ${DISCOVERY_CLIENT_NAME_MAX_LENGTH} characters without control characters and without white space but plain spaces inside, because it is typed by hand into the discovery client and must match; rewrite it.`,
        },
      ],
    }).stringValue;

    // A rule of the region, which it must therefore name: of a variable's own rule Terraform shows the value, sensitive or not.
    const together = {
      condition:
        '${var.cloudb_region == null || (var.cloudb_access_key_id == "") == (var.cloudb_secret_access_key == "")}',
      errorMessage:
        "only one of cloudb_access_key_id and cloudb_secret_access_key is given; they must be given together or not at all, because neither signs a request alone; give both, or remove both.",
    };
    this.cloudB = {
      accessKeyId: new InputVariable(this, "cloudb_access_key_id", {
        type: "string",
        default: "",
        sensitive: true,
        description: `${GROUP} Bootstrap access key of cloud B, which may create, attach and delete a user, a policy and an access key; the documentation of the lab lists the rights. They make a read-only user, and that one lists the instances. Empty skips cloud B entirely: no call, nothing created. What was imported stays when the user is removed. To remove the user alone, destroy it while the credentials are still given, with -target=${CLOUDB_PROGRAMS_ADDRESS}, and empty them after that.`,
      }).stringValue,
      secretAccessKey: new InputVariable(this, "cloudb_secret_access_key", {
        type: "string",
        default: "",
        sensitive: true,
        description: `${GROUP} Secret of that access key; to be given together with it. Changing both later is safe.`,
      }).stringValue,
      region: new InputVariable(this, "cloudb_region", {
        type: "string",
        default: DEFAULT_CLOUDB_REGION,
        description: `${GROUP} Region of cloud B whose instances are imported; read only when the credentials are given. A region without instances imports nothing.`,
        validation: [
          together,
          {
            condition: `\${can(regex("${CLOUDB_REGION_PATTERN}", var.cloudb_region))}`,
            errorMessage:
              'cloudb_region is "${var.cloudb_region}"; it must be the name of a region of cloud B such as us-east-1, because instances are listed region by region; correct it.',
          },
        ],
      }).stringValue,
    };
  }
}
