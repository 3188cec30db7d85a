import { ENTRYPOINT_COMMANDS } from "../../../../lib/idp/worker-mode";
import { Cloud, type CloudObject, Refusal } from "../cloud";
import { type ValueObject } from "../terraform-value";
import { KUBERNETES_TYPES } from "./kubernetes-types";

const surroundings = { enabledApis: new Set<string>(), hasImage: () => false, hasAnswered: () => false };

const DEPLOYMENT = "kubernetes_deployment_v1";
const SCALER = "kubernetes_horizontal_pod_autoscaler_v2";

let cloud: Cloud;

/** Makes an object in the namespace `apps` without looking at its needs. */
function make(type: string, name: string, values: ValueObject): CloudObject {
  const object = { type, id: `apps/${name}`, values: { metadata: [{ name, namespace: "apps" }], ...values } };
  const created = { ...object, writeOnly: {}, needs: [] };
  cloud.create(created);
  return created;
}

/** A deployment of one container, which selects its pods by all of their labels or by the first one. */
function deployment(name: string, args: readonly string[], labels: ValueObject, selector = labels): CloudObject {
  const container = [{ name, args }];
  const template = [{ metadata: [{ labels }], spec: [{ container }] }];
  const spec = [{ progress_deadline_seconds: 700, selector: [{ match_labels: selector }], template }];
  const made = make(DEPLOYMENT, name, { spec, timeouts: { create: "30m" } });
  KUBERNETES_TYPES[DEPLOYMENT]?.afterCreate?.(made, cloud);
  return made;
}

const scaler = (name: string, target: string, container: string): CloudObject =>
  make(SCALER, name, {
    spec: [{ scale_target_ref: [{ name: target }], metric: [{ container_resource: [{ container }] }] }],
  });

const soundness = (object: CloudObject) => () => KUBERNETES_TYPES[object.type]?.requireStart?.(object, cloud);

const SERVER = { app: "idp", part: "server" };
const WORKER = { app: "idp", part: "worker" };

beforeEach(() => {
  cloud = new Cloud(surroundings);
  deployment("server", [ENTRYPOINT_COMMANDS.serverAlone], SERVER);
  deployment("worker", [ENTRYPOINT_COMMANDS.worker], WORKER);
});

describe("Two deployments of one namespace", () => {
  it("are told apart by their labels", () => {
    const objects = cloud.ofType(DEPLOYMENT);
    expect(objects).toHaveLength(2);
    for (const object of objects) expect(soundness(object)).not.toThrow();
  });

  it("are not, where one selects the pods of the other", () => {
    const third = deployment("third", [], { app: "idp", part: "third" }, { app: "idp" });
    expect(soundness(third)).toThrow(
      new Refusal(`${DEPLOYMENT} apps/third selects pods of apps/server, apps/worker, apps/third`),
    );
  });

  it("have a service that sends requests to the server alone", () => {
    const service = (name: string, selector: ValueObject) =>
      make("kubernetes_service_v1", name, { spec: [{ selector }] });
    expect(soundness(service("web", SERVER))).not.toThrow();
    expect(soundness(service("all", { app: "idp" }))).toThrow(
      new Refusal("the service apps/all sends requests to apps/worker, where no server runs"),
    );
  });

  it("have a disruption budget each", () => {
    const type = "kubernetes_pod_disruption_budget_v1";
    const budget = (name: string, labels: ValueObject) =>
      make(type, name, { spec: [{ selector: [{ match_labels: labels }] }] });
    expect(soundness(budget("worker", WORKER))).not.toThrow();
    expect(soundness(budget("both", { app: "idp" }))).toThrow(
      new Refusal(`${type} apps/both selects pods of apps/server, apps/worker`),
    );
    expect(soundness(budget("none", { app: "other" }))).toThrow(
      new Refusal(`${type} apps/none selects pods of nothing`),
    );
  });
});

describe("An autoscaler", () => {
  it("measures a container of its target, which no other one scales", () => {
    const first = scaler("worker", "worker", "worker");
    expect(soundness(first)).not.toThrow();
    scaler("second", "worker", "worker");
    expect(soundness(first)).toThrow(new Refusal("apps/worker and apps/second scale the same pods"));
    expect(soundness(scaler("server", "server", "worker"))).toThrow(
      new Refusal("apps/server measures the container worker, which apps/server does not have"),
    );
  });

  it.each([
    [1, 2, []],
    [2, 2, []],
    [3, 2, ["spec.maxReplicas must be greater than or equal to minReplicas"]],
  ])("from %d to %d pods has these problems: %j", (least, most, problems) => {
    const spec = [
      {
        ...{
          min_replicas: least,
          max_replicas: most,
          metric: [],
          behavior: [],
          target_cpu_utilization_percentage: null,
        },
        scale_target_ref: [{ api_version: "apps/v1", kind: "Deployment", name: "worker" }],
      },
    ];
    const values = { metadata: [{ name: "worker", namespace: "apps" }], spec };
    expect(KUBERNETES_TYPES[SCALER]?.invalid?.(values)).toEqual(problems);
  });
});
