import { LABELS } from "../../lib/core/deployment-context";
import { problems } from "../../lib/core/inputs/rules";
import { commonLabels } from "../../lib/core/labels";
import { objectLabels } from "../../lib/platform/kubernetes/workload-namespace";
import { bareStack, type Block, type Terraform } from "../support/synthesis";
import { valueAt } from "./configuration-graph";
import { type BlockSchema, trimmedSchema } from "./provider-schema/provider-schema";
import { STACKS } from "./variants";

/** Arguments that are labels of a resource, or of what it starts. */
const LABEL_ARGUMENTS = ["labels", "resource_labels", "user_labels"];

/** Arguments of that name that are none of the deployment's, with the reason. */
const NO_PLACE_FOR_LABELS: Readonly<Record<string, string>> = {
  "google_compute_instance.boot_disk.initialize_params.labels": "another label would replace the VM",
  "google_container_cluster.node_config.labels": "Autopilot makes the nodes",
  "google_container_cluster.node_config.resource_labels": "Autopilot makes the nodes, with the cluster's labels",
  "google_container_cluster.node_pool.node_config.labels": "Autopilot makes the nodes",
  "google_container_cluster.node_pool.node_config.resource_labels":
    "Autopilot makes the nodes, with the cluster's labels",
  "google_monitoring_alert_policy.conditions.condition_prometheus_query_language.labels":
    "they are part of the condition; the policy has user_labels",
  "google_monitoring_notification_channel.labels": "they are the address; the channel has user_labels",
  "google_monitoring_uptime_check_config.monitored_resource.labels": "they say what is asked",
  "kubernetes_job_v1.spec.template.metadata.labels": "another label would replace the job, and so run it again",
};

/** Paths of all arguments of a block that are labels. */
function labelPaths(
  { attributes = {}, block_types: blocks = {} }: BlockSchema,
  path: readonly string[] = [],
): string[] {
  return [
    ...LABEL_ARGUMENTS.filter((name) => attributes[name]?.optional === true || attributes[name]?.required === true).map(
      (name) => [...path, name].join("."),
    ),
    // What is deeper is of single volumes, rules and nodes.
    ...Object.entries(blocks).flatMap(([name, { block }]) =>
      path.length < 5 ? labelPaths(block, [...path, name]) : [],
    ),
  ];
}

/** The value at a path of a resource, in which a block may be a list of one. */
const labelsAt = (resource: Block, path: string): unknown =>
  path
    .split(".")
    .reduce<unknown>((value, step) => (value === undefined ? undefined : valueAt([value].flat()[0], step)), resource);

/** Every place for labels of a stack, with what is there. */
function labelled(terraform: Terraform): [place: string, address: string, labels: unknown][] {
  return Object.entries(terraform.resource ?? {}).flatMap(([type, elements]) => {
    const schema = trimmedSchema(type.split("_")[0] ?? "")?.resource_schemas?.[type]?.block;
    const paths = schema === undefined ? [] : labelPaths(schema);
    return Object.entries(elements).flatMap(([name, resource]) =>
      paths.map((path): [string, string, unknown] => [`${type}.${path}`, `${type}.${name}`, labelsAt(resource, path)]),
    );
  });
}

/** How a configuration refers to the labels of its deployment. */
const COMMON = /\$\{(merge\()?local\.((lab_)?all_labels|namespace_labels)\b/;

describe("The labels of a deployment", () => {
  it.each(STACKS)("are on everything of $name that takes labels", ({ terraform }) => {
    const places = labelled(terraform()).filter(([place]) => !(place in NO_PLACE_FOR_LABELS));
    expect(places.length).toBeGreaterThan(3);
    expect(places.filter(([, , labels]) => !COMMON.test(String(labels)))).toEqual([]);
  });

  it("are left out only where they would not be labels of the deployment, or would replace something", () => {
    const places = new Set(STACKS.flatMap(({ terraform }) => labelled(terraform()).map(([place]) => place)));
    expect(Object.keys(NO_PLACE_FOR_LABELS).filter((place) => !places.has(place))).toEqual([]);
  });
});

/** Labels that Google Cloud takes, some of which Kubernetes does not. */
const GIVEN = { "cost-center": "4711", "team-": "-identity_", a_: "x", empty: "", tenant: "other" };

/** The rule of Kubernetes for both. */
const KUBERNETES_LABEL = /^([a-z0-9A-Z]([-_.a-z0-9A-Z]*[a-z0-9A-Z])?)?$/;

it("Labels in a cluster begin and end as Kubernetes requires, and are complete", () => {
  const EXPECTED = { "cost-center": "4711", team: "identity", a: "x", empty: "", tenant: "other" };
  const stack = bareStack();
  expect(problems(LABELS, "labels", GIVEN)).toEqual([]);
  const labels = objectLabels(stack, commonLabels(stack, { tenant: "acme-" }, GIVEN));
  expect(labels).toEqual(EXPECTED);
  expect(
    Object.entries(labels ?? {})
      .flat()
      .filter((text) => !KUBERNETES_LABEL.test(text)),
  ).toEqual([]);
});
