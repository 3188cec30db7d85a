import { type TerraformStack } from "cdktf";
import { Construct } from "constructs";

import { expression } from "../../lib/core/expression";
import { InputVariable } from "../../lib/core/input-variable";
import { BUCKET_NAME_RESERVED_WORD, PROJECT_ID_PATTERN, TENANT_ID_MAX_LENGTH } from "../../lib/core/names";
import { DEFAULT_REGION, DEFAULT_ZONE } from "../../lib/lab/contract";
import {
  COMPUTER_NAME_MAX_LENGTH,
  defaultZone,
  DEPLOYMENT_ID_PATTERN,
  ILLEGAL_DEPLOYMENT_ID_LENGTH,
  keyBucketName,
} from "../../lib/lab/lab-names";

/** Group of the deployment form. */
const GROUP = "[1 Project and location]";

/** Where a lab is, and what its names contain. */
export class LabLocationInputs extends Construct {
  readonly projectId: string;
  readonly region: string;
  readonly zone: string;
  readonly deploymentId: string;

  constructor(stack: TerraformStack) {
    super(stack, "lab-location-inputs");

    this.projectId = new InputVariable(this, "project_id", {
      type: "string",
      description: `${GROUP} Project that the lab goes into; it must exist and have billing, and whoever applies needs the Owner role. Another project is another lab.`,
      validation: [
        {
          condition: `\${can(regex("${PROJECT_ID_PATTERN}", var.project_id))}`,
          errorMessage:
            'project_id is "${var.project_id}"; it must be the id of a project, 6 to 30 lower-case letters, digits and hyphens that start with a letter, because every address is built from it; use the id, not the name or the number.',
        },
      ],
    }).stringValue;

    this.region = new InputVariable(this, "region", {
      type: "string",
      default: DEFAULT_REGION,
      description: `${GROUP} Region of the lab and, for ever, of all assessment data of the project. Changing it later replaces bucket and hosts, and leaves behind what the assessment service has; only another project can have assessment data in another region.`,
      validation: [
        {
          condition: '${can(regex("^[a-z]+-[a-z]+[0-9]+$", var.region))}',
          errorMessage: `region is "\${var.region}"; it must be the name of a region such as ${DEFAULT_REGION}, because the assessment data of a project is in one for ever; a zone has one more letter at the end, leave that out.`,
        },
      ],
    }).stringValue;

    const zone = new InputVariable(this, "zone", {
      type: "string",
      default: DEFAULT_ZONE,
      description: `${GROUP} Zone of all hosts; it must lie in region. ${DEFAULT_ZONE} in any other region counts as not given: the zone is then zone b of that region. Changing it later replaces the hosts.`,
      validation: [
        {
          condition: `\${var.zone == "${DEFAULT_ZONE}" || (can(regex("-[a-z]$", var.zone)) && replace(var.zone, "/-[a-z]$/", "") == var.region)}`,
          errorMessage:
            'zone is "${var.zone}"; it must be a zone of the region ${var.region}, because hosts, bucket and assessment data belong together; use for example ${var.region}-b.',
        },
      ],
    }).stringValue;
    // A default cannot depend on another input, so the default stands for "not given".
    this.zone = expression(`(${zone} == "${DEFAULT_ZONE}" ? ${defaultZone(this.region)} : ${zone})`);

    new InputVariable(this, "tenant_id", {
      type: "string",
      default: "demo",
      description: `${GROUP} 1 to ${TENANT_ID_MAX_LENGTH} lower-case letters, digits and hyphens. It has no effect, now or when it is changed later: every name contains deployment_id instead. It is there for forms that ask for it everywhere.`,
      validation: [
        {
          condition: `\${can(regex("^[a-z0-9-]{1,${TENANT_ID_MAX_LENGTH}}$", var.tenant_id))}`,
          errorMessage: `tenant_id is "\${var.tenant_id}"; it must be 1 to ${TENANT_ID_MAX_LENGTH} lower-case letters, digits and hyphens, because other stacks use it in names that allow nothing else; shorten or rewrite it.`,
        },
      ],
    });

    this.deploymentId = new InputVariable(this, "deployment_id", {
      type: "string",
      default: null,
      description: `${GROUP} Part of every name: up to 8 lower-case letters and digits, but not ${ILLEGAL_DEPLOYMENT_ID_LENGTH}; none takes 8 random hexadecimal digits. The Windows host is called assess-<id>-winvm01, of which Windows keeps the first ${COMPUTER_NAME_MAX_LENGTH} characters as its computer name: with 8 that is assess-<id>. The name of the key bucket, ${keyBucketName("<id>")}, must be free among the buckets of everybody, so give an id that nobody else chooses. Changing it later replaces everything.`,
      validation: [
        {
          condition: `\${var.deployment_id == null ? true : can(regex("${DEPLOYMENT_ID_PATTERN}", var.deployment_id))}`,
          errorMessage:
            "deployment_id is ${jsonencode(var.deployment_id)}; it must be 1 to 8 lower-case letters and digits, because it is part of every name and the whole of it must be in the computer name of the Windows host; shorten or rewrite it, or give none.",
        },
        {
          condition: `\${length(coalesce(var.deployment_id, "random")) != ${ILLEGAL_DEPLOYMENT_ID_LENGTH}}`,
          errorMessage: `deployment_id is \${jsonencode(var.deployment_id)}; it must not have ${ILLEGAL_DEPLOYMENT_ID_LENGTH} characters, because Windows cuts the host's name after ${COMPUTER_NAME_MAX_LENGTH} and a computer name that ends in a hyphen is not legal; add or remove one.`,
        },
        {
          condition: `\${!strcontains(coalesce(var.deployment_id, "random"), "${BUCKET_NAME_RESERVED_WORD}")}`,
          errorMessage: `deployment_id is \${jsonencode(var.deployment_id)}; it must not contain "${BUCKET_NAME_RESERVED_WORD}", because it is part of the bucket's name and the store reserves that word; choose another id.`,
        },
      ],
    }).stringValue;
  }
}
