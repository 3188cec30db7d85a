import { type App } from "cdktf";

import { type PortableStack } from "../lib/core/portable-stack";
import { IdpKubernetesStack } from "./idp-kubernetes";
import { AssessmentLabStack } from "./assessment-lab";
import { IdpServerlessStack } from "./idp-serverless";
import { type Settings } from "./settings";

/** Every stack, under the name by which it is deployed. */
export function createStacks(app: App, { backend }: Settings): PortableStack[] {
  return [
    new IdpServerlessStack(app, "idp-serverless", { backend }),
    new IdpKubernetesStack(app, "idp-kubernetes", { backend }),
    new AssessmentLabStack(app, "assessment-lab", { backend }),
  ];
}
