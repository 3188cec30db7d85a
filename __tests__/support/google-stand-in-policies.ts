import { type JsonObject } from "./google-stand-in-schema";
import { ApiError, type Call, type Service } from "./google-stand-in-services";

export interface Binding {
  readonly role: string;
  readonly members: readonly string[];
  readonly condition?: { readonly title: string; readonly expression: string };
}

/** Resource Manager: who has which role in a project, and above it. */
export class ProjectPolicies {
  /** Folders and organization above each project, the nearest first, as `folders/1`, by which they have bindings. */
  ancestors: readonly string[] = [];
  /** Permissions of custom roles, by name. */
  readonly roles = new Map<string, readonly string[]>();
  readonly bindings = new Map<string, readonly Binding[]>();
  /** How many of the next writes come after another change of the policy, and are refused. */
  overtaken = 0;
  private version = 1;

  readonly service: Service = {
    description: "cloudresourcemanager.v1",
    endpointVariable: "GOOGLE_RESOURCE_MANAGER_CUSTOM_ENDPOINT",
    basePath: "v1/",
    handlers: {
      "projects.getIamPolicy": (call) => this.get(call),
      "projects.setIamPolicy": (call) => this.set(call),
      "projects.getAncestry": ({ parameters: { projectId = "" } }) => ({
        ancestor: [`projects/${projectId}`, ...this.ancestors].map((name) => {
          const [kind = "", id = ""] = name.split("/");
          return { resourceId: { type: kind.slice(0, -1), id } };
        }),
      }),
      "folders.getIamPolicy": (call) => this.get(call),
      "organizations.getIamPolicy": (call) => this.get(call),
    },
  };

  readonly iam: Service = {
    description: "iam.v1",
    endpointVariable: "GOOGLE_IAM_BETA_CUSTOM_ENDPOINT",
    basePath: "v1/",
    handlers: {
      "projects.roles.get": ({ parameters: { name = "" } }) => this.role(name),
      "organizations.roles.get": ({ parameters: { name = "" } }) => this.role(name),
    },
  };

  private role(name: string): JsonObject {
    const includedPermissions = this.roles.get(name);
    if (includedPermissions === undefined) throw new ApiError(403, "PERMISSION_DENIED", `No permission on ${name}.`);
    return { name, includedPermissions };
  }

  private get etag(): string {
    return Buffer.from(`version ${this.version}`).toString("base64");
  }

  private get({ body, parameters: { resource = "" } }: Call): JsonObject {
    const { requestedPolicyVersion } = (body.options ?? {}) as { readonly requestedPolicyVersion?: number };
    const bindings = this.bindings.get(resource) ?? [];
    // An older format would leave conditions out, and the next write would make those grants unconditional.
    if (requestedPolicyVersion !== 3) throw new ApiError(400, "INVALID_ARGUMENT", "The policy has conditions.");
    return { version: 3, etag: this.etag, ...(bindings.length === 0 ? {} : { bindings }) };
  }

  private set({ body, parameters: { resource = "" } }: Call): JsonObject {
    const policy = body.policy as { readonly bindings: readonly Binding[]; etag?: string; version?: number };
    if (this.overtaken > 0) {
      this.overtaken -= 1;
      this.version += 1;
      const theirs: Binding = { role: "roles/viewer", members: [`user:new-${this.version}@example.com`] };
      this.bindings.set(resource, [...(this.bindings.get(resource) ?? []), theirs]);
    }
    if (policy.etag !== this.etag) throw new ApiError(409, "ABORTED", "There were concurrent policy changes.");
    if (policy.version !== 3) throw new ApiError(400, "INVALID_ARGUMENT", "Conditions need version 3.");
    this.version += 1;
    this.bindings.set(resource, policy.bindings);
    return { version: 3, etag: this.etag, bindings: policy.bindings };
  }
}
