import { type Construct } from "constructs";

import { allOf, anyOf, isSet, isUnset, isWord } from "./core/conditional";
import { type DeploymentContext } from "./core/place";
import { ProjectApis, type ApiName } from "./core/project-apis";
import { type IdentityProviderProps } from "./identity-provider-props";

/** APIs that a variant needs in addition to the common ones. */
export interface VariantApis {
  /** APIs that it always needs. */
  readonly apis: readonly ApiName[];

  /**
   * APIs that it needs only on an existing network or with a domain.
   *
   * @default - none
   */
  readonly apisOnDemand?: readonly ApiName[];

  /**
   * APIs that it needs only for scheduled jobs.
   *
   * @default - none
   */
  readonly apisOfSchedules?: readonly ApiName[];
}

const COMMON_APIS: readonly ApiName[] = ["iam", "logging", "monitoring", "secretmanager", "sqladmin", "storage"];

/** APIs needed only to build an image. */
const BUILD_APIS: readonly ApiName[] = ["artifactregistry", "cloudbuild"];

/** The APIs of a whole identity provider, each enabled only if something uses it. */
export function deploymentApis(
  scope: Construct,
  { projectId, region }: DeploymentContext,
  settings: IdentityProviderProps,
  variant: VariantApis,
  certificateValidation: string,
): ProjectApis {
  const { dnsZone, domain, dumpSchedule, existingContainerImage, keepDumps, network } = settings;
  const apis = new ProjectApis(scope, "Apis", { projectId, region, apis: [...COMMON_APIS, ...variant.apis].sort() });
  const enable = (names: readonly ApiName[] = [], condition: string) => {
    names.forEach((name) => {
      apis.enable(name, condition);
    });
  };
  enable(BUILD_APIS, isUnset(existingContainerImage));
  enable(variant.apisOnDemand, anyOf(isSet(network?.network), isSet(domain)));
  if (domain !== undefined) {
    enable(["certificatemanager"], allOf(isSet(domain), isWord(certificateValidation, "dns")));
  }
  if (dnsZone !== undefined) enable(["dns"], isSet(dnsZone.name));
  if (dumpSchedule !== undefined || keepDumps !== undefined) enable(variant.apisOfSchedules, isSet(dumpSchedule));
  return apis;
}
