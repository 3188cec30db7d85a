import { Fn, TerraformLocal, Token, type IResolvable } from "cdktf";
import { type Construct } from "constructs";

import { matching } from "./checked-value";
import { commonLabels } from "./labels";
import {
  DEFAULT_APPLICATION_NAME,
  DEFAULT_REGION,
  TENANT_PREFIX_PATTERN,
  tenantPrefix,
  type DeploymentName,
} from "./names";
import { APPLICATION_NAME, LABELS, NAMES_TOGETHER, PROJECT_ID, REGION, TENANT_ID } from "./place-rules";
import { requireProps, type Rule } from "./rules";
import { SECRET_LOCATIONS } from "./stored-secret";

/** Location and name of a deployment, shared by all of its parts. */
export interface DeploymentContext {
  /** Project of all resources. It must exist and have billing enabled. */
  readonly projectId: string;

  /** Region of all parts, for example `us-central1`. */
  readonly region: string;

  /** Parts of all names. */
  readonly deployment: DeploymentName;

  /**
   * Labels of all resources that support them.
   *
   * @default - none
   */
  readonly labels?: Record<string, string>;

  /**
   * Regions in which new secrets are stored.
   *
   * @default - `region`
   */
  readonly secretLocations?: readonly string[];
}

/** Props of the place of one tenant. */
export interface TenantPlaceProps {
  /** Project of all resources: its id, not its name or number. Another project is another deployment. */
  readonly projectId: string;

  /**
   * Tenant that owns the deployment: 1 to 20 lower-case letters, digits and hyphens, part of every name. Changing it
   * later creates a new, empty deployment.
   */
  readonly tenantId: string;

  /**
   * Name of the application, part of every name: 1 to 18 lower-case letters, digits and hyphens that start with a
   * letter. Changing it later creates a new, empty deployment.
   *
   * @default "idp"
   */
  readonly applicationName?: string;

  /**
   * Labels on all resources that support them, in addition to `application` and `tenant`. A change rolls out new
   * instances.
   *
   * @default - only these two
   */
  readonly labels?: Record<string, string> | IResolvable;

  /**
   * Region of all parts. Changing it later replaces the database and the media bucket with empty ones.
   *
   * @default "us-central1"
   */
  readonly region?: string;

  /**
   * Regions in which new secrets are stored, each with a copy that is billed. Existing secrets stay where they are.
   *
   * @default - `region`
   */
  readonly secretLocations?: readonly string[];
}

/**
 * A place whose names contain the tenant and a hash of the project, so that they are unique.
 *
 * Creates only locals in the scope, for values known only to Terraform.
 *
 * @throws RulesBrokenError naming the scope if a prop breaks a rule
 */
export function tenantContext(scope: Construct, props: TenantPlaceProps): DeploymentContext {
  requireProps(scope.node.path, props, ["projectId", "tenantId"], TENANT_PLACE_RULES);
  const { labels, projectId, region = DEFAULT_REGION, secretLocations, tenantId } = props;
  const applicationName = applicationNameOf(props);

  // Locals keep plans and messages short.
  const prefix = tenantPrefix(tenantId, projectId);
  return {
    projectId,
    region,
    deployment: {
      applicationName,
      tenantPrefix: Token.isUnresolved(prefix) ? new TerraformLocal(scope, "tenant_prefix", prefix).asString : prefix,
    },
    labels: commonLabels(scope, { application: applicationName, tenant: tenantId }, labels),
    secretLocations: Token.isUnresolved(secretLocations)
      ? Token.asList(Fn.coalesce([secretLocations, [region]]))
      : secretLocations,
  };
}

function applicationNameOf({ applicationName = DEFAULT_APPLICATION_NAME }: TenantPlaceProps): string {
  return applicationName;
}

/** Rules for the place of a tenant, for constructs that create one. */
export const TENANT_PLACE_RULES: readonly Rule<TenantPlaceProps>[] = [
  PROJECT_ID.ruleOn("projectId", ({ projectId }) => projectId),
  REGION.ruleOn("region", ({ region }) => region),
  TENANT_ID.ruleOn("tenantId", ({ tenantId }) => tenantId),
  APPLICATION_NAME.ruleOn("applicationName", ({ applicationName }) => applicationName),
  NAMES_TOGETHER.ruleOn({
    applicationName: ["applicationName", applicationNameOf],
    tenantId: ["tenantId", ({ tenantId }) => tenantId],
  }),
  LABELS.ruleOn("labels", ({ labels }) => labels),
  SECRET_LOCATIONS.ruleOn("secretLocations", ({ secretLocations }) => secretLocations),
];

const TENANT_PREFIX = matching(TENANT_PREFIX_PATTERN, {
  must: "be a tenant id, a hyphen and 6 hexadecimal digits",
  reason: "names without a hash of the project may be taken by others",
  remedy: "take the place from tenantContext",
});

/** Rules for a place, for constructs that take one. */
export const PLACE_RULES: readonly Rule<{ readonly place: DeploymentContext }>[] = [
  PROJECT_ID.ruleOn("place.projectId", ({ place }) => place.projectId),
  REGION.ruleOn("place.region", ({ place }) => place.region),
  TENANT_PREFIX.ruleOn("place.deployment.tenantPrefix", ({ place }) => place.deployment.tenantPrefix),
  APPLICATION_NAME.ruleOn("place.deployment.applicationName", ({ place }) => place.deployment.applicationName),
  LABELS.ruleOn("place.labels", ({ place }) => place.labels),
  SECRET_LOCATIONS.ruleOn("place.secretLocations", ({ place }) => place.secretLocations),
];
