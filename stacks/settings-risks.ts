import { type CommonInputs } from "../lib/common-inputs";
import { type ValuesOf } from "../lib/core/inputs/value";
import { type Warning } from "../lib/core/inputs/warnings";
import { releaseRisksOf } from "../lib/idp/idp-image";
import { unexaminedPathsRisk } from "../lib/platform/domain/protection";
import { idleWorkerRisksOf } from "../lib/platform/serverless/serverless-service";
import { type ServerlessInputs } from "../lib/serverless-identity-provider";

/** Warnings of parts of both variants at plan; settings are checked already at synth. */
export function commonRisks(v: ValuesOf<CommonInputs>): readonly Warning[] {
  return [...releaseRisksOf(v), unexaminedPathsRisk(v.protection.at.waf)];
}

/** Risks of settings of the variant on Cloud Run. */
export function serverlessRisks(v: ValuesOf<ServerlessInputs>): readonly Warning[] {
  return [...commonRisks(v), ...idleWorkerRisksOf(v)];
}
