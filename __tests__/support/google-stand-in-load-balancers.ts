import { createHash } from "node:crypto";

import { Operations } from "./google-stand-in-operations";
import { isObject, type JsonObject } from "./google-stand-in-schema";
import { type Call, counted, ReasonError, type Service } from "./google-stand-in-services";

/** An Ingress, as far as its load balancer depends on it. */
export interface IngressSpec {
  readonly project: string;
  readonly address: string;
  readonly namespace: string;
  readonly name: string;
  readonly service: string;
  readonly certificates: readonly string[];
}

export interface LoadBalancerParts {
  readonly rule: string;
  readonly proxy: string;
  readonly urlMap: string;
  readonly backend: string;
}

const COMPUTE = "https://www.googleapis.com/compute/v1/projects/";

/** Collections, each with the parameter that names one of it. */
const OF_BACKEND = ["backendServices", "backendService"] as const;
const OF_PROXY = ["targetHttpsProxies", "targetHttpsProxy"] as const;

/** Methods that read a resource, with their collection and the parameter that names it. */
const READS = [
  ["globalAddresses.get", "addresses", "address"],
  ["globalForwardingRules.get", "forwardingRules", "forwardingRule"],
  ["targetHttpsProxies.get", ...OF_PROXY],
  ["urlMaps.get", "urlMaps", "urlMap"],
  ["backendServices.get", ...OF_BACKEND],
] as const;

const SECURITY_POLICY = /^(projects\/[^/]+\/global\/securityPolicies\/[^/]+)$/;
const TLS_POLICY = /^(projects\/[^/]+\/global\/sslPolicies\/[^/]+)$/;
const CERTIFICATE_MAP =
  /^\/\/certificatemanager\.googleapis\.com\/(projects\/[^/]+\/locations\/global\/certificateMaps\/[^/]+)$/;

/** Compute Engine: the load balancers that GKE's controller creates for Ingresses, and what can be changed on them. */
export class LoadBalancers {
  /** Resources by `<project>/global/<collection>/<name>`. */
  readonly resources = new Map<string, JsonObject>();
  readonly operations = new Operations();
  /** Whether a policy or a certificate map exists, by its id (`projects/…`). */
  exists: (id: string) => boolean = () => true;
  private changes = 0;

  readonly service: Service = {
    description: "compute.v1",
    endpointVariable: "GOOGLE_COMPUTE_CUSTOM_ENDPOINT",
    basePath: "compute/v1/",
    handlers: counted(() => this.operations.tick(), {
      ...Object.fromEntries(
        READS.map(([method, collection, parameter]) => [
          method,
          (call: Call) => this.find(call, collection, parameter)[1],
        ]),
      ),
      "backendServices.patch": (call) => this.patch(call),
      "backendServices.setSecurityPolicy": (call) => this.attach(call, OF_BACKEND, "securityPolicy", SECURITY_POLICY),
      "targetHttpsProxies.setCertificateMap": (call) => this.attach(call, OF_PROXY, "certificateMap", CERTIFICATE_MAP),
      "targetHttpsProxies.setSslPolicy": (call) => this.attach(call, OF_PROXY, "sslPolicy", TLS_POLICY),
      "globalOperations.get": (call) => this.operation(call.parameters.operation ?? ""),
    }),
  };

  /** Creates the load balancer of an Ingress, as the controller does, or gives it other certificates. */
  make(ingress: IngressSpec): LoadBalancerParts {
    const { project, address, namespace, name, service, certificates } = ingress;
    const place = `${project}/global`;
    const parts = {
      rule: `${place}/forwardingRules/${partName("k8s2-fs", namespace, name)}`,
      proxy: `${place}/targetHttpsProxies/${partName("k8s2-ts", namespace, name)}`,
      urlMap: `${place}/urlMaps/${partName("k8s2-um", namespace, name)}`,
      backend: `${place}/backendServices/${partName("k8s1", namespace, service, "80")}`,
    };
    const addressPath = `${place}/addresses/${address}`;
    this.add(addressPath, { users: [COMPUTE + parts.rule], status: "IN_USE", ...this.resources.get(addressPath) });
    this.add(parts.rule, {
      IPProtocol: "TCP",
      portRange: "443-443",
      loadBalancingScheme: "EXTERNAL",
      target: COMPUTE + parts.proxy,
    });
    this.add(parts.proxy, {
      ...this.resources.get(parts.proxy),
      urlMap: COMPUTE + parts.urlMap,
      sslCertificates: certificates.map((certificate) => `${COMPUTE}${place}/sslCertificates/${certificate}`),
    });
    this.add(parts.urlMap, { defaultService: COMPUTE + parts.backend });
    if (!this.resources.has(parts.backend)) {
      this.add(parts.backend, {
        protocol: "HTTP",
        port: 80,
        portName: "http",
        loadBalancingScheme: "EXTERNAL",
        timeoutSec: 30,
        logConfig: { enable: true, sampleRate: 1 },
        description: JSON.stringify({
          "kubernetes.io/service-name": `${namespace}/${service}`,
          "kubernetes.io/service-port": "&ServiceBackendPort{Name:,Number:80,}",
          "x-features": ["NEG"],
          // Go escapes it in JSON.
        }).replaceAll("&", "\\u0026"),
        fingerprint: this.nextFingerprint(),
      });
    }
    return parts;
  }

  remove(project: string, address: string): void {
    const path = `${project}/global/addresses/${address}`;
    for (let next: readonly string[] = [path]; next.length > 0;) {
      const found = next.flatMap((key) => Object.values(this.resources.get(key) ?? {}));
      for (const key of next) this.resources.delete(key);
      const used = JSON.stringify([...this.resources.values()].map((resource) => without(resource, "selfLink")));
      next = found
        .flat()
        .filter((value): value is string => typeof value === "string" && value.startsWith(COMPUTE))
        .map((value) => value.slice(COMPUTE.length))
        // Two Ingresses over one service share its backend service.
        .filter((key) => this.resources.has(key) && !used.includes(`"${COMPUTE}${key}"`));
    }
  }

  /** What the load balancers refer to: policies and certificate maps, as `projects/…`. */
  get attached(): readonly string[] {
    return [...this.resources.values()]
      .flatMap(({ certificateMap, securityPolicy, sslPolicy }) => [certificateMap, securityPolicy, sslPolicy])
      .filter((reference): reference is string => typeof reference === "string")
      .map((reference) => reference.replace(/^.*(?=projects\/)/, ""));
  }

  /** The same resources, without operations. */
  copyFrom({ resources }: LoadBalancers): void {
    for (const [path, resource] of resources) this.resources.set(path, resource);
    this.changes += 1000;
  }

  add(path: string, values: JsonObject): void {
    this.resources.set(path, { ...values, name: path.split("/").at(-1), selfLink: COMPUTE + path });
  }

  private find({ parameters }: Call, collection: string, parameter: string): readonly [string, JsonObject] {
    const path = `${parameters.project ?? ""}/global/${collection}/${parameters[parameter] ?? ""}`;
    const found = this.resources.get(path);
    if (found === undefined) throw notFound(path);
    return [path, found];
  }

  private patch(call: Call): JsonObject {
    const [path, { fingerprint: present }] = this.find(call, ...OF_BACKEND);
    const { fingerprint, ...fields } = call.body;
    if (fingerprint !== present) throw new ReasonError(412, "conditionNotMet", "Invalid fingerprint.");
    const log = isObject(fields.logConfig) ? fields.logConfig : {};
    return this.accept(call, path, () => {
      const { logConfig, ...before } = this.resources.get(path) ?? {};
      const merged = fields.logConfig === undefined ? logConfig : { ...(isObject(logConfig) ? logConfig : {}), ...log };
      return without({ ...before, ...fields, logConfig: merged }, ...call.nulls);
    });
  }

  /** Attaches a policy or a certificate map, or with none detaches what there is. */
  private attach(call: Call, part: readonly [string, string], field: string, pattern: RegExp): JsonObject {
    const [path] = this.find(call, ...part);
    const { [field]: reference } = call.body;
    if (reference === undefined) return this.accept(call, path, () => without(this.resources.get(path), field));
    const id = this.required(reference, pattern);
    // Policies are answered with their whole address.
    const answered = field === "certificateMap" ? reference : `https://www.googleapis.com/compute/v1/${id}`;
    return this.accept(call, path, () => ({ ...this.resources.get(path), [field]: answered }));
  }

  /** The id in a reference to something that exists. */
  private required(reference: unknown, pattern: RegExp): string {
    const [, id] = (typeof reference === "string" ? pattern.exec(reference) : null) ?? [];
    if (id === undefined) throw invalid(`Invalid value for a reference: ${JSON.stringify(reference)}.`);
    if (!this.exists(id)) throw notFound(id);
    return id;
  }

  private accept(call: Call, target: string, changed: () => JsonObject): JsonObject {
    if (this.operations.isBusy(target))
      throw new ReasonError(400, "resourceNotReady", `The resource 'projects/${target}' is not ready`);
    const { name } = this.operations.begin(call, target, () => {
      // The Ingress may be gone by now.
      if (this.resources.has(target)) this.add(target, { ...changed(), fingerprint: this.nextFingerprint() });
    });
    return this.operation(name);
  }

  private operation(name: string): JsonObject {
    const operation = this.operations.find(name);
    if (operation === undefined) throw notFound(`operations/${name}`);
    const { done, failure, method, target } = operation;
    return {
      kind: "compute#operation",
      name,
      operationType: method,
      targetLink: COMPUTE + target,
      status: done ? "DONE" : "RUNNING",
      progress: done ? 100 : 0,
      ...(done && failure !== undefined
        ? { httpErrorStatusCode: 400, httpErrorMessage: "BAD REQUEST", error: { errors: [failure] } }
        : {}),
    };
  }

  private nextFingerprint(): string {
    this.changes += 1;
    return Buffer.from(`change ${this.changes}`).toString("base64");
  }
}

function without(resource: JsonObject | undefined, ...fields: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(resource ?? {}).filter(([name]) => !fields.includes(name)));
}

function notFound(path: string): ReasonError {
  return new ReasonError(404, "notFound", `The resource '${path}' was not found`);
}

function invalid(message: string): ReasonError {
  return new ReasonError(400, "invalid", message);
}

/**
 * The controller's name of a part: the uid of the cluster, fields that are cut to fit into 63 characters, and a hash.
 */
function partName(kind: string, ...fields: readonly string[]): string {
  const hash = createHash("sha256").update(fields.join("/")).digest("hex").slice(0, 8);
  const frame = `${kind}-0a1b2c3d--${hash}`;
  const room = Math.floor((63 - frame.length - fields.length + 1) / fields.length);
  return frame.replace("--", `-${fields.map((field) => field.slice(0, room)).join("-")}-`);
}
