import { TerraformResource, type ITerraformDependable } from "cdktf";

import { type ContainerSpec } from "../../lib/idp/container-spec";
import {
  identityProviderContainer,
  type IdentityProviderContainerProps,
} from "../../lib/idp/identity-provider-container";
import { PostgresqlDatabase } from "../../lib/platform/postgresql-database";
import { type BareStack } from "../support/synthesis";

/** A deployment with short names. */
export const DEPLOYMENT = { tenantPrefix: "demo-abc123", applicationName: "idp" };

export const PLACE = { projectId: "demo-project", region: "us-central1", deployment: DEPLOYMENT };

/** A database to connect to. */
export function databaseIn(stack: BareStack, tier?: string): PostgresqlDatabase {
  return new PostgresqlDatabase(stack, "Database", { ...PLACE, tier });
}

/** The identity provider's container, with names in place of what other constructs make. */
export function containerIn(stack: BareStack, overrides: Partial<IdentityProviderContainerProps> = {}): ContainerSpec {
  return identityProviderContainer(stack, {
    database: { host: "/sockets", name: "names", user: "role", password: { secretId: "database", version: "3" } },
    image: "registry/idp:1",
    media: {
      name: "storage",
      bucketName: "media-bucket",
      mountPath: "/media",
      mountOptions: ["uid=1000", "gid=1000"],
    },
    secrets: {
      secretKey: { secretId: "key", version: "1" },
      bootstrapPassword: { secretId: "first", version: "2" },
    },
    resources: { cpu: "2", memory: "4Gi" },
    ...overrides,
  });
}

/** What a dependency is in the configuration: `<type>.<name>`. */
export function addressOf(dependency: ITerraformDependable): string {
  if (!TerraformResource.isTerraformResource(dependency)) throw new Error("only resources have an address here");
  return `${dependency.terraformResourceType}.${dependency.friendlyUniqueId}`;
}
