import { type Construct } from "constructs";

import { type CommonInputs } from "./common-inputs";
import { type DeploymentContext } from "./core/deployment-context";
import { allOf, anyOf, isSet, isUnset } from "./core/expr/conditions";
import { type Expr } from "./core/expr/expr";
import { type SettingsOf, type ValuesOf } from "./core/inputs/value";
import { type ApiName, ProjectApis } from "./core/project-apis";
import { isDumped } from "./idp/dumps";
import { type NetworkAttachment } from "./platform/network/network-attachment";

/**
 * APIs of a variant: always required, required only on an existing network or with a domain, and required only for
 * scheduled jobs.
 */
export interface VariantApis {
  readonly always: readonly ApiName[];
  readonly network?: ApiName;
  readonly schedules?: ApiName;
}

const COMMON_APIS: readonly ApiName[] = ["iam", "logging", "monitoring", "secretmanager", "sqladmin", "storage"];

interface Deployment {
  readonly network: NetworkAttachment | undefined;
  readonly context: DeploymentContext;
  readonly isCheckedUp: Expr<boolean>;
  readonly settings: SettingsOf<CommonInputs>;
  readonly values: ValuesOf<CommonInputs>;
}

/** The APIs of a deployment, each enabled only if something uses it. */
export function addApis(
  scope: Construct,
  { always, network, schedules }: VariantApis,
  { network: attached, context: { projectId, region }, isCheckedUp, settings, values: v }: Deployment,
): ProjectApis {
  const { dnsZone, domain, existingContainerImage } = settings;
  const apis = new ProjectApis(scope, "Apis", { projectId, region, apis: [...COMMON_APIS, ...always].sort() });
  for (const name of ["artifactregistry", "cloudbuild"] as const) apis.enable(name, isUnset(existingContainerImage));
  if (network) apis.enable(network, anyOf(isSet(attached?.network), isSet(domain)));
  apis.enable("certificatemanager", allOf(v.domain.isSet(), v.certificateValidation.eq("dns")));
  if (dnsZone !== undefined) apis.enable("dns", isSet(dnsZone.name));
  const isScheduled = anyOf(isDumped(v), isCheckedUp, v.signInProbe.isSet(), v.auditLog.isSet());
  if (schedules) apis.enable(schedules, isScheduled);
  return apis;
}
