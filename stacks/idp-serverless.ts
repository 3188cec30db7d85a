import { GoogleProvider } from "@cdktf/provider-google/lib/provider";
import { type Construct } from "constructs";

import { declareInputs } from "../lib/core/inputs";
import { MAIN_CHILD_ID, PortableStack } from "../lib/core/portable-stack";
import { type StateBackend } from "../lib/core/state-backend";
import {
  SERVERLESS_INPUTS,
  SERVERLESS_RELATIONS,
  ServerlessIdentityProvider,
} from "../lib/serverless-identity-provider";
import { describeFolder } from "./folder/described-folder";
import { identityProviderOutputs } from "./identity-provider-outputs";

export interface IdpServerlessStackProps {
  /**
   * Where the state is kept.
   *
   * @default - the file `terraform.tfstate` in the synthesized folder
   */
  readonly backend?: StateBackend;
}

/** The identity provider on Cloud Run, from an empty project in one apply. */
export class IdpServerlessStack extends PortableStack {
  constructor(scope: Construct, id: string, props: IdpServerlessStackProps = {}) {
    super(scope, id, { providers: ["google", "random"], backend: props.backend });
    const { network, subnetwork, ...inputs } = declareInputs(this, SERVERLESS_INPUTS, SERVERLESS_RELATIONS);
    new GoogleProvider(this, "google", { project: inputs.projectId, region: inputs.region });

    const identityProvider = new ServerlessIdentityProvider(this, MAIN_CHILD_ID, {
      ...inputs,
      network: { network, subnetwork },
    });

    this.addOutputs(identityProviderOutputs(identityProvider));
    describeFolder(this, { stack: "idp-serverless", inputs: SERVERLESS_INPUTS });
  }
}
