import { Fn, Token, type IResolvable, type TerraformStack } from "cdktf";
import { Construct } from "constructs";

import { expression } from "../../lib/core/expression";
import { InputVariable } from "../../lib/core/input-variable";
import { imagePrefix, tenantPrefix } from "../../lib/core/names";
import {
  BASELINE_ENVIRONMENT,
  LATEST_VERSION,
  OLDEST_VERSION,
  PINNED_VERSION,
  REFUSED_VERSION,
} from "../../lib/idp/contract";
import { environmentValidations } from "../../lib/idp/environment-rules";
import { REFUSED_RELEASE_RULE, SUPPORTED_RELEASE_RULE } from "../../lib/idp/releases";

/** Which release of the identity provider runs, and with what settings. */
export class ApplicationInputs extends Construct {
  readonly version: string;
  readonly bootstrapPassword: string;
  readonly bootstrapPasswordVersion: number;
  readonly environment: IResolvable;
  readonly existingContainerImage: string;

  constructor(stack: TerraformStack) {
    super(stack, "application-inputs");

    this.version = new InputVariable(this, "application_version", {
      type: "string",
      default: LATEST_VERSION,
      description: `Release to run: "${LATEST_VERSION}" for the known-good ${PINNED_VERSION}, or an exact release from ${OLDEST_VERSION.year}.${OLDEST_VERSION.feature} on. A newer one builds an image, rolls it out and migrates the database; there is no way back.`,
      validation: [
        {
          condition: `\${var.application_version == "${LATEST_VERSION}" || try(${SUPPORTED_RELEASE}, false)}`,
          errorMessage: `application_version is "\${var.application_version}"; ${SUPPORTED_RELEASE_RULE}.`,
        },
        {
          condition: `\${var.application_version != "${REFUSED_VERSION}"}`,
          errorMessage: `application_version is "\${var.application_version}"; ${REFUSED_RELEASE_RULE}.`,
        },
      ],
    }).stringValue;

    this.bootstrapPassword = new InputVariable(this, "bootstrap_password", {
      type: "string",
      default: null,
      ephemeral: true,
      sensitive: true,
      description:
        "First password of the built-in administrator; none, or an empty one, generates one of 24 characters. The application reads it on its first start only; later it is changed inside the application. Kept in the secret store, never in the state.",
      validation: [
        {
          condition: '${length(coalesce(var.bootstrap_password, "generated")) >= 8}',
          errorMessage:
            "bootstrap_password is given with fewer than 8 characters; it must have 8 or more, because the sign-in page of the first administrator is public and a short one is guessed; give a longer one, or none to generate it.",
        },
      ],
    }).stringValue;

    this.bootstrapPasswordVersion = new InputVariable(this, "bootstrap_password_version", {
      type: "number",
      default: 1,
      description:
        "Raise it by one to have bootstrap_password written to the secret store. The application reads it on its first start only, so this changes no password of a deployment that has started once.",
      validation: [
        {
          condition:
            "${var.bootstrap_password_version >= 1 && floor(var.bootstrap_password_version) == var.bootstrap_password_version}",
          errorMessage:
            "bootstrap_password_version is ${var.bootstrap_password_version}; it must be a whole number from 1, because a change of it is what writes the secret; use 1 and raise it by one.",
        },
      ],
    }).numberValue;

    this.environment = new InputVariable(this, "environment_variables", {
      type: "map(string)",
      default: {},
      description: `Settings of the application in IDP_ names; they win over the baseline (${Object.entries(
        BASELINE_ENVIRONMENT,
      )
        .map(([name, value]) => `${name}=${value}`)
        .join(
          ", ",
        )}). They are in plain text in the state, so passwords do not belong here. A change rolls out new instances.`,
      validation: environmentValidations("environment_variables"),
    }).value as IResolvable;

    this.existingContainerImage = new InputVariable(this, "existing_container_image", {
      type: "string",
      default: null,
      description:
        "Image with its tag that is run instead of one built here, for example one that was built by this stack in another project. Then no repository is created and nothing is built. Giving it later deletes the repository of this deployment with all its images, so the image must not be one of them; taking it back builds a new one.",
      validation: [
        {
          condition:
            '${var.existing_container_image == null ? true : !endswith(var.existing_container_image, ":latest") && can(regex("^[^\\\\s/@]+/[^\\\\s@]+(:[^\\\\s/@]+|(:[^\\\\s/@]+)?@sha256:[0-9a-f]{64})$", var.existing_container_image))}',
          errorMessage:
            "existing_container_image is ${jsonencode(var.existing_container_image)}; it must be a host, a path and a tag other than latest or a digest, because a moving image would roll out without notice; write for example us-docker.pkg.dev/my-project/images/idp:2026.5.4.",
        },
        {
          condition: `\${var.existing_container_image == null ? true : !${IS_OWN_IMAGE}}`,
          errorMessage: `existing_container_image is \${jsonencode(var.existing_container_image)}; it must not begin with ${OWN_IMAGES}, because that repository belongs to this deployment and is deleted, with the image, once an existing image is given; copy the image into another repository first, or give none.`,
        },
      ],
    }).stringValue;
  }
}

/** What images of the deployment's own repository begin with, for the message and the rule of an input. */
const OWN_IMAGES = `${imagePrefix(expression("var.region"), expression("var.project_id"), {
  applicationName: expression("var.application_name"),
  tenantPrefix: tenantPrefix(expression("var.tenant_id"), expression("var.project_id")),
})}/`;

/** Made by the framework's function: in a condition written by hand, the expressions within the text would lose their marks. */
const IS_OWN_IMAGE = Token.asString(Fn.startswith(expression("var.existing_container_image"), OWN_IMAGES));

/** True for an exact release that keeps everything in PostgreSQL; fails on any other text. */
const SUPPORTED_RELEASE =
  `tonumber(regex("^([0-9]{4})[.]([0-9]{1,2})[.][0-9]+$", var.application_version)[0]) * 100` +
  ` + tonumber(regex("^([0-9]{4})[.]([0-9]{1,2})[.][0-9]+$", var.application_version)[1])` +
  ` >= ${OLDEST_VERSION.year * 100 + OLDEST_VERSION.feature}`;
