import { GoogleProvider } from "@cdktf/provider-google/lib/provider";
import { type Construct } from "constructs";

import { declaredInputs, declareInputs } from "../lib/core/inputs/declared-inputs";
import { type Table } from "../lib/core/inputs/rows";
import { warnOfSettings } from "../lib/core/inputs/warnings";
import { MAIN_CHILD_ID, PortableStack } from "../lib/core/portable-stack";
import {
  SERVERLESS_INPUTS,
  SERVERLESS_RELATIONS,
  SERVERLESS_WARNINGS,
  ServerlessIdentityProvider,
} from "../lib/serverless-identity-provider";
import { describeFolder } from "./folder/described-folder";
import { identityProviderOutputs } from "./identity-provider-outputs";
import { explainGroups, inGroupOrder } from "./input-groups";
import { outputsOf } from "./output-table";
import { type StackSettings } from "./settings";
import { serverlessRisks } from "./settings-risks";

const INPUTS = inGroupOrder(SERVERLESS_INPUTS);

/** The identity provider on Cloud Run, from an empty project in one apply. */
export class IdpServerlessStack extends PortableStack {
  static readonly inputs: Table = INPUTS;

  constructor(scope: Construct, id: string, { backend, deployment }: StackSettings = {}) {
    super(scope, id, { providers: ["google", "random"], backend });
    // First, because the error for refused settings lists the warnings too.
    if (deployment !== undefined) warnOfSettings(this, INPUTS, SERVERLESS_WARNINGS, deployment, serverlessRisks);
    const { network, subnetwork, ...inputs } = declareInputs(this, INPUTS, SERVERLESS_RELATIONS, deployment);
    explainGroups(this);
    new GoogleProvider(this, "google", { project: inputs.projectId, region: inputs.region });

    const idp = new ServerlessIdentityProvider(this, MAIN_CHILD_ID, {
      ...inputs,
      network: network === undefined || subnetwork === undefined ? undefined : { network, subnetwork },
    });

    this.addOutputs(outputsOf(this, identityProviderOutputs(idp)));
    describeFolder(this, {
      stack: "idp-serverless",
      deployment,
      inputs: declaredInputs(this),
      table: INPUTS,
    });
  }
}
