import { type Construct } from "constructs";

import { packageFile } from "../core/package-file";
import { addRestLibraries } from "../core/project-apis";
import { addStackFile, type StackFile } from "../core/stack-file";

/** Puts the functions that the scripts of the assessment service share beside them, in the order in which they are read. */
export function addAssessmentLibraries(scope: Construct): StackFile[] {
  return [
    ...addRestLibraries(scope),
    addStackFile(scope, packageFile("lib/lab/scripts/assessment-rest.sh"), "scripts/assessment-rest.sh"),
  ];
}
