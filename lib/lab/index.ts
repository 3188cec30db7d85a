export { AssessmentLab } from "./assessment-lab";
export { type AssessmentLabProps, type AwsCredentials } from "./lab-inputs";
export { type FirewallRuleName } from "./contract";
export { type FirewallSourceRanges } from "./lab-firewall";
