import { Fn } from "cdktf";

import { CheckedValue } from "../../lib/core/checked-value";
import { expression } from "../../lib/core/expression";
import { SECRET_WRITE_VERSION } from "../../lib/core/generated-secret";
import { imagePrefix, tenantPrefix } from "../../lib/core/names";
import { BASELINE_ENVIRONMENT, LATEST_VERSION } from "../../lib/idp/contract";
import { ENVIRONMENT_RULES } from "../../lib/idp/environment-rules";
import { APPLICATION_VERSION, BUILD_LOCATION, EXISTING_IMAGE, FOREIGN_IMAGE } from "../../lib/idp/image-rules";
import { OLDEST_VERSION, PINNED_VERSION, RECOMMENDED_VERSION } from "../../lib/idp/releases";
import { TOKEN_SET_ONCE } from "../../lib/idp/settings-props";
import { ALL_IN_ONE_RELEASE } from "../../lib/idp/worker-mode";
import { type Input } from "./input-table";

/** Minimum length of the first administrator's password. */
const BOOTSTRAP_PASSWORD_LEAST_LENGTH = 8;

/** Prefix of this deployment's images, as a Terraform expression. */
const OWN_IMAGES = `${imagePrefix(expression("var.region"), expression("var.project_id"), {
  applicationName: expression("var.application_name"),
  tenantPrefix: tenantPrefix(expression("var.tenant_id"), expression("var.project_id")),
})}/`;

/** Inputs for release, image, password and settings of the application. */
export const APPLICATION_INPUTS = {
  application_version: {
    type: "string",
    default: LATEST_VERSION,
    example: RECOMMENDED_VERSION,
    description: `Release to run: "${LATEST_VERSION}" for the tested ${PINNED_VERSION}, whose later patches close security holes, or an exact release such as ${RECOMMENDED_VERSION}, from ${OLDEST_VERSION.year}.${OLDEST_VERSION.feature} on. Changing it later builds an image, rolls it out and migrates the database, which cannot be undone.`,
    must: APPLICATION_VERSION,
    // Not with worker_mode, on which other rules depend: a wrong release would hide what they refuse.
    together: [
      ALL_IN_ONE_RELEASE.validationOf({ workerMode: "worker_mode", applicationVersion: "application_version" }),
    ],
  },
  bootstrap_password: {
    type: "string",
    default: null,
    ephemeral: true,
    sensitive: true,
    description:
      "First password of the built-in administrator; null or empty generates one of 24 characters. It is stored in Secret Manager, never in the state. The application reads it on its first start only; change it in the application later.",
    must: new CheckedValue<string>({
      accepts: (password) => password === "" || password.length >= BOOTSTRAP_PASSWORD_LEAST_LENGTH,
      condition: (password) => `${password} == "" || length(${password}) >= ${BOOTSTRAP_PASSWORD_LEAST_LENGTH}`,
      must: `have ${BOOTSTRAP_PASSWORD_LEAST_LENGTH} or more characters`,
      reason: "the sign-in page is public, and a short one can be guessed",
      remedy: "use a longer one, or none to generate it",
      secret: true,
    }),
  },
  bootstrap_password_version: {
    type: "number",
    default: 1,
    description:
      "Raise it by one to write bootstrap_password to Secret Manager again. Changing it later does not change the password of a deployment that has already started.",
    must: SECRET_WRITE_VERSION,
  },
  bootstrap_token: {
    type: "bool",
    default: false,
    description:
      "Creates a token of the built-in administrator for the application's API, in Secret Manager and never in the state, so that another stack can configure the application. The application reads it on its first start only: set it in the first apply. Setting it later rolls out new instances but creates no token; setting it to false deletes the secret, not the token.",
    together: [
      TOKEN_SET_ONCE.validationOf({ setter: "bootstrap_token", variables: "environment_variables" }),
      TOKEN_SET_ONCE.validationOf({ setter: "bootstrap_token", variables: "secret_environment_variables" }),
    ],
  },
  build_location: {
    type: "string",
    default: "global",
    description:
      "Location of the image's build: global, or a region that Cloud Build has (https://cloud.google.com/build/docs/locations); some projects may use only a few of them. Changing it later builds nothing again.",
    must: BUILD_LOCATION,
  },
  environment_variables: {
    type: "map(string)",
    default: {},
    description: `Settings of the application under their IDP_ names. They override the baseline (${Object.entries(
      BASELINE_ENVIRONMENT,
    )
      .map(([name, value]) => `${name}=${value}`)
      .join(
        ", ",
      )}). They are in plain text in the state: secrets belong in secret_environment_variables, and names of secrets are refused here. The application ignores names that it does not know. A change rolls out new instances.`,
    must: ENVIRONMENT_RULES,
  },
  existing_container_image: {
    type: "string",
    default: null,
    description:
      "Image with its tag or digest to run instead of building one, for example one that this stack built in another project. No repository is created then. Setting it later deletes the repository of this deployment with all its images, so the image must not be one of them; removing it builds a new one.",
    must: EXISTING_IMAGE,
    together: [
      FOREIGN_IMAGE.validationOf(
        { image: "existing_container_image", ownPrefix: OWN_IMAGES },
        // `Fn.join` quotes the text, which contains expressions.
        { ownPrefix: Fn.join("", [OWN_IMAGES]) },
      ),
    ],
  },
} as const satisfies Record<string, Input>;
