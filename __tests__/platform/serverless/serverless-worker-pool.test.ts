import { InputVariable } from "../../../lib/core/input-variable";
import { type ContainerSpec } from "../../../lib/idp/container-spec";
import { workerContainer } from "../../../lib/idp/worker-container";
import {
  ServerlessWorkerPool,
  type ServerlessWorkerPoolProps,
} from "../../../lib/platform/serverless/serverless-worker-pool";
import { ServerlessService } from "../../../lib/platform/serverless/serverless-service";
import { valueAt } from "../../stacks/configuration-graph";
import { PLACE, standInIdentity, standInIdentityProvider } from "../../support/stand-in-parts";
import { bareStack, resourceOf, terraformOf, type BareStack, type Block } from "../../support/synthesis";

const TYPE = "google_cloud_run_v2_worker_pool";

const RUNNER = standInIdentity();

const workerIn = (stack: BareStack, changes: Partial<ContainerSpec> = {}): ContainerSpec => ({
  ...workerContainer(standInIdentityProvider(stack, { workerMode: "separate" }), {}, { cpu: "1", memory: "2Gi" }),
  ...changes,
});

const poolIn = (
  props: Partial<ServerlessWorkerPoolProps> = {},
  changes: Partial<ContainerSpec> = {},
  stack: BareStack = bareStack(),
) => {
  const made = new ServerlessWorkerPool(stack, "Worker", {
    place: PLACE,
    identity: RUNNER,
    container: workerIn(stack, changes),
    ...props,
  });
  return { stack, made, resource: () => resourceOf(terraformOf(stack), TYPE, "worker") };
};

describe("ServerlessWorkerPool", () => {
  it("has a fixed number of instances and no deletion protection, so that a failed start can be repaired", () => {
    const { made, resource } = poolIn({ instanceCount: 2 });
    expect(resource()).toMatchObject({
      project: "demo-project",
      name: "idp-demo-abc123-w",
      location: "us-central1",
      deletion_protection: false,
      scaling: { manual_instance_count: 2 },
      template: { service_account: RUNNER.email },
      timeouts: { create: "30m", update: "30m" },
      lifecycle: { ignore_changes: ["client", "client_version"] },
    });
    expect(made.workerName).toBe("idp-demo-abc123-w");
    expect(made.node.defaultChild).toBe(made.workerPool);
  });

  it("sets only the number for scaling, because the API knows nothing else", () => {
    expect(Object.keys(poolIn().resource().scaling as Block)).toEqual(["manual_instance_count"]);
    expect(valueAt(poolIn().resource(), "scaling.manual_instance_count")).toBe(1);
  });

  it("runs the worker of the server's image, with its variables, secrets, database and mounts, and no port or probe", () => {
    const stack = bareStack();
    const { resource } = poolIn({}, {}, stack);
    new ServerlessService(stack, "Service", {
      place: PLACE,
      identity: RUNNER,
      container: standInIdentityProvider(stack, { workerMode: "separate" }),
    });
    const service = resourceOf(terraformOf(stack), "google_cloud_run_v2_service", "service");
    const { args, resources, ...worker } = valueAt(resource(), "template.containers.0") as Block;
    const { args: serverArgs, resources: ofServer, ...server } = valueAt(service, "template.containers.0") as Block;
    expect([args, serverArgs]).toEqual([["worker"], ["server-alone"]]);
    expect([resources, ofServer]).toMatchObject([
      { limits: { cpu: "1", memory: "2Gi" } },
      { limits: { cpu: "2", memory: "4Gi" } },
    ]);
    const { liveness_probe: alive, ports, startup_probe: started, ...rest } = server;
    expect([alive, ports, started].every((part) => part !== undefined)).toBe(true);
    expect(worker).toEqual(rest);
    expect(valueAt(resource(), "template.volumes")).toEqual(valueAt(service, "template.volumes"));
    expect((resource().depends_on as string[]).sort()).toEqual((service.depends_on as string[]).sort());
  });

  it("mounts the database last, as the service returns it, and the bucket with its owner", () => {
    expect(valueAt(poolIn().resource(), "template.volumes")).toEqual([
      { name: "storage", gcs: { bucket: "bucket", mount_options: ["uid=1000"], read_only: false } },
      { name: "cloudsql", cloud_sql_instance: { instances: ["demo-project:us-central1:sql-demo"] } },
    ]);
  });

  it("reaches the database over a network that is given", () => {
    const network = {
      network: "projects/shared/global/networks/main",
      subnetwork: "projects/shared/regions/us-central1/subnetworks/services",
    };
    expect(valueAt(poolIn({ network }).resource(), "template.vpc_access")).toEqual({
      egress: "PRIVATE_RANGES_ONLY",
      network_interfaces: [network],
    });
  });

  it("exists only if the condition holds", () => {
    expect(poolIn().resource().count).toBeUndefined();
    const stack = bareStack();
    const mode = new InputVariable(stack, "mode", { type: "string", description: "Mode." }).stringValue;
    const { resource } = poolIn({ condition: `\${${mode} == "separate"}` }, {}, stack);
    expect(resource().count).toContain('var.mode == "separate"');
  });
});
