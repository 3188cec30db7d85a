import { type JsonObject } from "./google-stand-in-schema";
import { ApiError, type Call, type Service } from "./google-stand-in-services";

export interface Binding {
  readonly role: string;
  readonly members: readonly string[];
  readonly condition?: { readonly title: string; readonly expression: string };
}

/** Resource Manager: who has which role in a project. */
export class ProjectPolicies {
  readonly bindings = new Map<string, readonly Binding[]>();
  /** How many of the next writes find the policy changed by somebody else. */
  overtaken = 0;
  private version = 1;

  readonly service: Service = {
    description: "cloudresourcemanager.v1",
    endpointVariable: "GOOGLE_RESOURCE_MANAGER_CUSTOM_ENDPOINT",
    basePath: "v1/",
    handlers: {
      "projects.getIamPolicy": (call) => this.get(call),
      "projects.setIamPolicy": (call) => this.set(call),
    },
  };

  private get etag(): string {
    return Buffer.from(`version ${this.version}`).toString("base64");
  }

  private get({ body, parameters: { resource = "" } }: Call): JsonObject {
    const { requestedPolicyVersion } = (body.options ?? {}) as { readonly requestedPolicyVersion?: number };
    const bindings = this.bindings.get(resource) ?? [];
    // An older format would leave conditions out, and the next write would make those grants unconditional.
    if (requestedPolicyVersion !== 3) throw new ApiError(400, "INVALID_ARGUMENT", "The policy has conditions.");
    return { version: 3, etag: this.etag, bindings };
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
