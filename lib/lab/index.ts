export { AssessmentLab } from "./assessment-lab";
export { type AssessmentLabProps, type CloudBCredentials } from "./assessment-lab-props";
export { type FirewallSourceRanges } from "./lab-firewall";
