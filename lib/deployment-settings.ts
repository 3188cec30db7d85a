import { type Construct } from "constructs";

import { type DeploymentContext } from "./core/place";
import { type ProjectApis } from "./core/project-apis";
import { addWarnings } from "./core/warnings";
import { clientSecretRisk, recoveryMailRisk } from "./idp/blueprint-risks";
import { ExistingSecrets } from "./idp/existing-secrets";
import { mailSettings, type MailSettings } from "./idp/mail-settings";
import { type IdentityProviderProps } from "./identity-provider-props";

/** The application's settings that are more than plain variables. */
interface DeploymentSettings {
  readonly mail: MailSettings;

  /** Undefined if there can be none. */
  readonly existingSecrets: ExistingSecrets | undefined;
}

/** Settings of the mail server, and all existing secrets with settings. */
export function deploymentSettings(
  scope: Construct,
  { blueprints = [], environmentVariables: environment = {}, secretEnvironmentVariables, smtp }: IdentityProviderProps,
  { apis, place }: { readonly apis: ProjectApis; readonly place: DeploymentContext },
): DeploymentSettings {
  const mail = mailSettings(smtp);
  addWarnings(scope, "RecoveryHasMail", [recoveryMailRisk(scope, { blueprints, environment, mail })]);
  const secrets = secretEnvironmentVariables ?? {};
  addWarnings(scope, "ClientHasSecret", [clientSecretRisk(scope, { blueprints, environment, secrets })]);
  const references = [secretEnvironmentVariables, mail.password].filter((given) => given !== undefined);
  if (references.length === 0) return { mail, existingSecrets: undefined };
  const existingSecrets = new ExistingSecrets(scope, "ExistingSecrets", {
    projectId: place.projectId,
    references,
    dependsOn: apis.ready("secretmanager"),
  });
  return { mail, existingSecrets };
}
