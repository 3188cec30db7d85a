import { GoogleProvider } from "@cdktf/provider-google/lib/provider";
import { type Construct } from "constructs";

import { declareInputs } from "../lib/core/inputs";
import { MAIN_CHILD_ID, PortableStack, type PortableStackProps } from "../lib/core/portable-stack";
import {
  SERVERLESS_INPUTS,
  SERVERLESS_RELATIONS,
  ServerlessIdentityProvider,
} from "../lib/serverless-identity-provider";
import { describeFolder } from "./folder/described-folder";
import { identityProviderOutputs } from "./identity-provider-outputs";
import { outputsOf } from "./output-table";

/** The identity provider on Cloud Run, from an empty project in one apply. */
export class IdpServerlessStack extends PortableStack {
  constructor(scope: Construct, id: string, { backend }: Pick<PortableStackProps, "backend"> = {}) {
    super(scope, id, { providers: ["google", "random"], backend });
    const { network, subnetwork, ...inputs } = declareInputs(this, SERVERLESS_INPUTS, SERVERLESS_RELATIONS);
    new GoogleProvider(this, "google", { project: inputs.projectId, region: inputs.region });

    const idp = new ServerlessIdentityProvider(this, MAIN_CHILD_ID, { ...inputs, network: { network, subnetwork } });

    this.addOutputs(outputsOf(identityProviderOutputs(idp)));
    describeFolder(this, { stack: "idp-serverless", inputs: SERVERLESS_INPUTS });
  }
}
