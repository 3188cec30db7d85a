export { AssessmentLab } from "./assessment-lab";
export { type AssessmentLabProps, type AwsCredentials } from "./assessment-lab-props";
export { AssessmentSource, type AssessmentSourceProps } from "./assessment-source";
export { AwsInventory, type AwsInventoryProps } from "./aws-inventory";
export { type FirewallRuleName } from "./contract";
export { type FirewallSourceRanges } from "./lab-firewall";
