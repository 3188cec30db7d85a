import { type TerraformStack } from "cdktf";
import { Construct } from "constructs";

import { InputVariable } from "../../lib/core/input-variable";
import { databaseTierValidation, DEFAULT_DATABASE_TIER } from "../../lib/platform/database-tier";
import { type NetworkAttachment } from "../../lib/platform/network-attachment";

/** How large the database is, how available, and how it is reached. */
export class DatabaseInputs extends Construct {
  readonly tier: string;
  readonly availability: string;
  readonly network: NetworkAttachment;

  constructor(stack: TerraformStack) {
    super(stack, "database-inputs");

    this.tier = new InputVariable(this, "database_tier", {
      type: "string",
      default: DEFAULT_DATABASE_TIER,
      description:
        "Size of the database, db-custom-<CPUs>-<memory in MB>. It decides how many connections there are, and so how many instances fit. Changing it later restarts the database.",
      validation: [databaseTierValidation("database_tier")],
    }).stringValue;

    this.availability = new InputVariable(this, "database_availability", {
      type: "string",
      default: "ZONAL",
      description:
        "ZONAL, or REGIONAL with a standby in another zone at about twice the price. Changing it later restarts the database.",
      validation: [
        {
          condition: '${contains(["ZONAL", "REGIONAL"], var.database_availability)}',
          errorMessage:
            'database_availability is "${var.database_availability}"; it must be ZONAL or REGIONAL, because the platform knows no other; use ZONAL for one zone, REGIONAL for a standby in another.',
        },
      ],
    }).stringValue;

    this.network = {
      network: new InputVariable(this, "network", {
        type: "string",
        default: null,
        description:
          "Existing network, projects/<project>/global/networks/<name>, that already has private services access: the database gets a private address on it and no public one. None leaves a public address that only authorized proxy connections can use. Once given it cannot be taken back.",
        validation: [
          {
            condition:
              '${var.network == null ? true : can(regex("^projects/[^/]+/global/networks/[^/]+$", var.network))}',
            errorMessage:
              "network is ${jsonencode(var.network)}; it must be projects/<project>/global/networks/<name>, because the network may belong to another project; write it in full.",
          },
          {
            condition: "${(var.network == null) == (var.subnetwork == null)}",
            errorMessage:
              "network and subnetwork must be given together or not at all, because the service reaches the network through the subnetwork; give both, or remove both.",
          },
        ],
      }).stringValue,
      subnetwork: new InputVariable(this, "subnetwork", {
        type: "string",
        default: null,
        description:
          "Subnetwork of that network in the same region, projects/<project>/regions/<region>/subnetworks/<name>, /26 or larger: instances take addresses from it. After a destroy the platform holds these addresses for one to two hours.",
        validation: [
          {
            condition:
              '${var.subnetwork == null ? true : can(regex("^projects/[^/]+/regions/${var.region}/subnetworks/[^/]+$", var.subnetwork))}',
            errorMessage:
              "subnetwork is ${jsonencode(var.subnetwork)}; it must be projects/<project>/regions/${var.region}/subnetworks/<name>, because instances take addresses in their own region only; write it in full.",
          },
        ],
      }).stringValue,
    };
  }
}
