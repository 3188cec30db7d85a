export { AssessmentLab } from "./assessment-lab";
export { type FirewallRuleName } from "./contract";
export { type FirewallSourceRanges } from "./lab-firewall";
export { type AssessmentLabProps, type AwsCredentials } from "./lab-inputs";
