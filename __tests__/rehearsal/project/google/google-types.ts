import { mergedTypes, type ProviderTypes } from "../resource-type";
import { CERTIFICATE_TYPES } from "./certificates";
import { CLOUD_RUN_TYPES } from "./cloud-run";
import { CLUSTER_TYPES } from "./cluster";
import { COMPUTE_TYPES, GOOGLE_DATA_SOURCES } from "./compute";
import { DNS_TYPES } from "./dns";
import { GOOGLE_EPHEMERAL_TYPES } from "./ephemeral";
import { IAM_TYPES } from "./iam";
import { LOAD_BALANCER_TYPES } from "./load-balancer";
import { MONITORING_TYPES } from "./monitoring";
import { NETWORK_TYPES } from "./network";
import { SCHEDULER_TYPES } from "./scheduler";
import { SECURITY_POLICY_TYPES } from "./security-policy";
import { STORAGE_TYPES } from "./storage";

/** Resource types of the google provider, each with the file of the provider's source that describes it. */
const GOOGLE_TYPES = mergedTypes(
  CERTIFICATE_TYPES,
  CLOUD_RUN_TYPES,
  CLUSTER_TYPES,
  COMPUTE_TYPES,
  DNS_TYPES,
  IAM_TYPES,
  LOAD_BALANCER_TYPES,
  MONITORING_TYPES,
  NETWORK_TYPES,
  SCHEDULER_TYPES,
  SECURITY_POLICY_TYPES,
  STORAGE_TYPES,
);

export const GOOGLE: ProviderTypes = {
  resources: GOOGLE_TYPES,
  ephemeral: GOOGLE_EPHEMERAL_TYPES,
  dataSources: GOOGLE_DATA_SOURCES,
};
