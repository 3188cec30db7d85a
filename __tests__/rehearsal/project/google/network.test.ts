import { ResourceProvider } from "../../providers/resource-provider";
import { mergedTypes } from "../resource-type";
import { textAt, Unknown, UNKNOWN, valueAt, type ValueObject } from "../terraform-value";
import { GOOGLE_TYPES } from "./google-types";
import { configuration, Project, schema } from "./project-fixture";

let project: Project;

beforeEach(() => {
  project = new Project();
});

describe("What is left to the provider block", () => {
  it.each([
    [
      "google_service_account",
      { account_id: "a" },
      "projects/my-project/serviceAccounts/a@my-project.iam.gserviceaccount.com",
    ],
    [
      "google_secret_manager_secret",
      { secret_id: "a", replication: [{ auto: [{}] }] },
      "projects/my-project/secrets/a",
    ],
    ["google_storage_bucket", { name: "a", location: "EU" }, "a"],
    ["google_compute_network", { name: "a" }, "projects/my-project/global/networks/a"],
  ])("is the project of %s, in its identity as well", (type, args, id) => {
    expect(project.apply(type, args)).toMatchObject({ id, project: "my-project" });
    expect(
      project.apply(type, { ...args, project: "other", ...(type.includes("bucket") && { name: "b" }) }).project,
    ).toBe("other");
  });
});

describe("A network", () => {
  const MAIN = "https://www.googleapis.com/compute/v1/projects/my-project/global/networks/main";
  const rule = (args: object) => ({ name: "rule", network: "main", allow: [{ protocol: "tcp" }], ...args });

  beforeEach(() => {
    project.apply("google_compute_network", { name: "main", auto_create_subnetworks: false });
  });

  it.each(["main", "global/networks/main", "projects/my-project/global/networks/main", MAIN])(
    "is found by %s",
    (network) => {
      const from = { source_ranges: ["10.0.0.0/8"], network };
      expect(project.apply("google_compute_firewall", rule(from)).direction).toBeDefined();
      expect(() =>
        project.apply("google_compute_firewall", rule({ ...from, name: "r", network: `${network}2` })),
      ).toThrow("google_compute_network projects/my-project/global/networks/main2");
    },
  );

  it("lets traffic in only from a source that is named", () => {
    const open = ["a rule without a source allows any address"];
    const problems = (args: object) => project.problems("google_compute_firewall", rule(args));
    expect([problems({}), problems({ direction: "INGRESS" }), problems({ source_ranges: [] })]).toEqual([
      open,
      open,
      open,
    ]);
    for (const args of [
      { direction: "EGRESS" },
      { source_ranges: ["10.0.0.0/8"] },
      { source_tags: ["web"] },
      { source_service_accounts: ["a@my-project.iam.gserviceaccount.com"] },
    ])
      expect(problems(args)).toEqual([]);
  });

  it("has databases once it has private services access, and keeps that as long as they are there", () => {
    const settings = { tier: "db-custom-1-3840", ip_configuration: [{ private_network: MAIN }] };
    const instance = { name: "db", database_version: "POSTGRES_15", settings: [settings], deletion_protection: false };
    const database = () => project.apply("google_sql_database_instance", instance);
    expect(database).toThrow(
      "needs what is not there: private services access in projects/my-project/global/networks/main",
    );

    const range = {
      name: "services",
      address_type: "INTERNAL",
      purpose: "VPC_PEERING",
      prefix_length: 20,
      network: MAIN,
    };
    const access = (network: string) =>
      project.apply("google_service_networking_connection", {
        ...{ network, service: "servicenetworking.googleapis.com" },
        reserved_peering_ranges: ["services"],
      });
    const id = "projects/my-project/global/networks/main";
    expect(() => access(id)).toThrow("google_compute_global_address named services");
    project.apply("google_compute_global_address", range);
    expect(() => access(`${id}2`)).toThrow(`google_compute_network ${id}2`);
    const connection = access(id);
    const made = database();
    expect(() => project.destroy("google_service_networking_connection", connection)).toThrow(
      "is still used by google_sql_database_instance",
    );
    project.destroy("google_sql_database_instance", made);
    project.destroy("google_service_networking_connection", connection);
  });

  it("has machines by their subnetwork alone, once that is there", () => {
    const machine = (subnetwork: string) =>
      project.apply("google_compute_instance", {
        ...{ name: "vm", zone: "us-central1-a", machine_type: "e2-small" },
        boot_disk: [{}],
        network_interface: [{ subnetwork }],
      });
    expect(() => machine("services")).toThrow(
      "needs what is not there: google_compute_subnetwork projects/my-project/regions/us-central1/subnetworks/services",
    );

    const subnetwork = project.apply("google_compute_subnetwork", {
      ...{ name: "services", region: "us-central1", network: "main", ip_cidr_range: "10.0.0.0/24" },
    });
    expect(valueAt(machine(textAt(subnetwork, "self_link")), "network_interface.0.network")).toBe(MAIN);
    expect(() => project.destroy("google_compute_subnetwork", subnetwork)).toThrow(
      "is still used by google_compute_instance",
    );
  });
});

describe("A plan", () => {
  it("knows nothing of the computed values of a part that an update adds, and keeps those of the others", () => {
    const machine = { name: "vm", zone: "us-central1-a", machine_type: "e2-small", boot_disk: [{}] };
    const one = { network: "projects/others/global/networks/main" };
    const made = project.apply("google_compute_instance", { ...machine, network_interface: [one] });
    const first = valueAt(made, "network_interface.0") as ValueObject;
    const second = valueAt(
      configuration("google_compute_instance", { network_interface: [one] }),
      "network_interface.0",
    );
    const config = configuration("google_compute_instance", { ...machine, project: "my-project" });
    const provider = new ResourceProvider(schema, { resources: GOOGLE_TYPES }, project.cloud);
    const planned = { ...made, network_interface: [first, second] };

    const { planned: plan } = provider.plan("google_compute_instance", { prior: made, planned, config });

    expect(valueAt(plan, "network_interface.0")).toEqual(first);
    expect(valueAt(plan, "network_interface.1.network_ip")).toBeInstanceOf(Unknown);
  });

  it("of nothing new has no unknown value", () => {
    const bucket = { name: "media", location: "EU" };
    expect(Object.values(project.plan("google_storage_bucket", bucket))).toContain(UNKNOWN);
    const made = project.apply("google_storage_bucket", bucket);
    expect(Object.values(project.plan("google_storage_bucket", bucket, made))).not.toContain(UNKNOWN);
  });
});

it("Types that two files describe are refused", () => {
  const { google_compute_network: network, ...others } = GOOGLE_TYPES;
  if (network === undefined) throw new Error("there is no kind of a network");
  const one = { google_compute_network: network };
  expect(Object.keys(mergedTypes(one, others)).sort()).toEqual(Object.keys(GOOGLE_TYPES).sort());
  expect(() => mergedTypes(one, GOOGLE_TYPES)).toThrow("described twice: google_compute_network");
});
