import { stringify } from "yaml";

import { formTemplate } from "../../stacks/folder/form-template";
import { IdpKubernetesStack } from "../../stacks/idp-kubernetes";
import { IdpServerlessStack } from "../../stacks/idp-serverless";
import { type Page } from "./pages";

/** The templates beside the example of a fleet, as they must be. */
export function forms(): Page[] {
  const templates = {
    "idp-serverless": formTemplate("idp-serverless", "Cloud Run", IdpServerlessStack.inputs),
    "idp-kubernetes": formTemplate("idp-kubernetes", "GKE", IdpKubernetesStack.inputs),
  };
  return Object.entries(templates).map(([stack, template]) => {
    const text = stringify(template, { aliasDuplicateObjects: false, lineWidth: 0 });
    return { path: `stacks/examples/fleet/form-${stack}.yaml`, text: `${NOTE}\n${text}` };
  });
}

const NOTE = "# Generated from the inputs. In a fleet, set owner and repoUrl.";
