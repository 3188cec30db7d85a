export { AssessmentLab } from "./assessment-lab";
export { AssessmentSource, type AssessmentSourceProps } from "./assessment-source";
export { CloudBInventory, type CloudBInventoryProps } from "./cloudb-inventory";
export { type AssessmentLabProps, type CloudBCredentials } from "./assessment-lab-props";
export { type FirewallSourceRanges } from "./lab-firewall";
