import { providerSchema } from "../../stacks/provider-schema/provider-schema";
import { Cloud, Refusal } from "./cloud";
import { GOOGLE_TYPES } from "./google/google-types";
import { mergedTypes } from "./resource-type";
import { ResourceProvider } from "../providers/resource-provider";
import {
  completed,
  blockType,
  textAt,
  Unknown,
  UNKNOWN,
  type Value,
  valueAt,
  type ValueObject,
} from "./terraform-value";

const schema = providerSchema("google");

/** A project whose services are on, with the google provider configured for it. */
class Project {
  readonly images = new Set<string>();
  readonly cloud: Cloud;
  private readonly provider: ResourceProvider;

  constructor() {
    const enabledApis = { has: () => true } as unknown as Set<string>;
    this.cloud = new Cloud({ enabledApis, hasImage: (image) => this.images.has(image), hasAnswered: () => true });
    this.provider = new ResourceProvider(schema, { resources: GOOGLE_TYPES, ephemeral: {} }, this.cloud);
    this.provider.configure({ project: "my-project", region: "us-central1" });
  }

  problems(type: string, args: object): readonly string[] {
    return this.provider.problems(type, configuration(type, args), "resource");
  }

  plan(type: string, args: object, prior: Value = null): ValueObject {
    const config = configuration(type, args);
    const proposed = prior === null ? config : withPrior(config, prior);
    return this.provider.plan(type, { prior, planned: proposed, config }).planned as ValueObject;
  }

  apply(type: string, args: object, prior: Value = null): ValueObject {
    const planned = this.plan(type, args, prior);
    return this.provider.apply(type, { prior, planned, config: configuration(type, args) }) as ValueObject;
  }

  destroy(type: string, prior: Value): void {
    this.provider.apply(type, { prior, planned: null, config: null });
  }
}

/** Arguments as Terraform sends them: every other attribute null, every other block empty. */
function configuration(type: string, args: object): ValueObject {
  const element = schema.resource_schemas?.[type];
  if (element === undefined) throw new Error(`there is no schema of ${type}`);
  const { block_types: blocks = {} } = element.block;
  const lists = Object.entries(blocks).filter(([, { nesting_mode: mode }]) => mode === "list" || mode === "set");
  const none = Object.fromEntries(lists.map(([name]) => [name, []]));
  return completed({ ...none, ...args }, blockType(element.block)) as ValueObject;
}

/** What was computed stays proposed where nothing is given. */
function withPrior(config: ValueObject, prior: Value): ValueObject {
  return Object.fromEntries(Object.entries(config).map(([name, value]) => [name, value ?? valueAt(prior, name)]));
}

let project: Project;

beforeEach(() => {
  project = new Project();
});

const account = (name: string) => project.apply("google_service_account", { account_id: name });

function secretOf(id: string, ...payloads: readonly string[]): ValueObject {
  const secret = project.apply("google_secret_manager_secret", { secret_id: id, replication: [{ auto: [{}] }] });
  for (const payload of payloads) {
    project.apply("google_secret_manager_secret_version", { secret: textAt(secret, "id"), secret_data: payload });
  }
  return secret;
}

const READER = "roles/secretmanager.secretAccessor";

describe("A grant", () => {
  const grant = (member: string, secret = "key") =>
    project.apply("google_secret_manager_secret_iam_member", { secret_id: secret, role: READER, member });

  it("needs an account that exists", () => {
    secretOf("key");
    const member = "serviceAccount:runtime@my-project.iam.gserviceaccount.com";
    expect(() => grant(member)).toThrow(
      "needs what is not there: google_service_account projects/my-project/serviceAcc",
    );

    account("runtime");
    expect(textAt(grant(member), "member")).toBe(member);
  });

  it("needs no account for a member of the platform's own or a user", () => {
    secretOf("key");
    for (const member of [
      "serviceAccount:service-1@gcp-sa-x.iam.gserviceaccount.com",
      "user:a@example.com",
      "allUsers",
    ])
      expect(textAt(grant(member), "member")).toBe(member);
  });

  it("may be to an account of another project that others made", () => {
    secretOf("key");
    const email = "ci@tools.iam.gserviceaccount.com";
    expect(() => grant(`serviceAccount:${email}`)).toThrow(Refusal);

    project.cloud.others.add(`google_service_account projects/tools/serviceAccounts/${email}`);
    expect(textAt(grant(`serviceAccount:${email}`), "role")).toBe(READER);
  });

  it.each(["key", "projects/my-project/secrets/key", "projects/123456789012/secrets/key"])(
    "finds its secret by %s",
    (reference) => {
      secretOf("key");
      expect(grant("allUsers", reference)).toBeDefined();
      expect(() => grant("allUsers", reference.replace("key", "lock"))).toThrow("projects/my-project/secrets/lock");
    },
  );
});

describe("Where others' things are taken to be there", () => {
  beforeEach(() => {
    project.cloud.othersExist = true;
  });

  const bind = (bucket: string, name: string) =>
    project.apply("google_storage_bucket_iam_member", {
      ...{ bucket, role: "roles/storage.objectViewer" },
      member: `serviceAccount:${name}@my-project.iam.gserviceaccount.com`,
    });

  it("whatever is planned is not among them before it is made", () => {
    expect(bind("files", "runtime")).toBeDefined();
    project.plan("google_service_account", { account_id: "planned" });
    expect(() => bind("files", "planned")).toThrow(
      "google_service_account projects/my-project/serviceAccounts/planned@",
    );

    project.plan("google_storage_bucket", { name: "media", location: "EU" });
    expect(() => bind("media", "runtime")).toThrow("google_storage_bucket media");
    project.apply("google_storage_bucket", { name: "media", location: "EU" });
    expect(bind("media", "runtime")).toBeDefined();
  });

  it("a service is on and answers unless it is turned on here", () => {
    const cloud = new Cloud({ enabledApis: new Set(), hasImage: () => false, hasAnswered: () => false });
    const [isOn, answers] = GOOGLE_TYPES.google_storage_bucket?.needs?.({}, cloud) ?? [];
    const met = () => [isOn?.isMet(cloud), answers?.isMet(cloud)];
    expect(met()).toEqual([false, false]);

    cloud.othersExist = true;
    expect(met()).toEqual([true, true]);
    cloud.plan("google_project_service", "my-project/storage.googleapis.com");
    expect(met()).toEqual([false, true]);
    cloud.surroundings.enabledApis.add("storage.googleapis.com");
    expect(met()).toEqual([true, true]);
  });

  it("a thing whose identity is not known before the apply may be the one that is looked for", () => {
    const { cloud } = project;
    cloud.plan("thing", "projects/my-project/things/");
    expect(
      ["projects/my-project/things/a", "projects/others/things/a"].map((id) => cloud.hasOthers("thing", id)),
    ).toEqual([false, true]);
  });
});

describe("What is protected", () => {
  it.each([
    ["google_secret_manager_secret", { secret_id: "key", replication: [{ auto: [{}] }] }, false],
    [
      "google_sql_database_instance",
      { name: "main", database_version: "POSTGRES_15", settings: [{ tier: "db-g1-small" }] },
      true,
    ],
    ["google_cloud_run_v2_job", { name: "job", location: "us-central1", template: [{ template: [{}] }] }, true],
    ["google_cloud_run_v2_service", { name: "web", location: "us-central1", template: [{}] }, true],
    ["google_container_cluster", { name: "one", location: "us-central1" }, true],
  ])("%s is destroyed only when its state says that it may be", (type, args, byDefault) => {
    const id = `${type} of a test`;
    const object = { type, id, values: configuration(type, args), writeOnly: {}, needs: [] };
    project.cloud.create(object);
    const destroy = (given: boolean | null) => () => {
      project.destroy(type, { ...object.values, id, deletion_protection: given });
    };

    expect(destroy(true)).toThrow(/deletion_protection/);
    expect(project.cloud.find(type, id)).toBe(object);
    if (byDefault) expect(destroy(null)).toThrow(/deletion_protection/);
    destroy(false)();
    expect(project.cloud.find(type, id)).toBeUndefined();
  });

  it("an instance that the platform protects as well stays until that is off too", () => {
    const type = "google_sql_database_instance";
    const values = { settings: [{ deletion_protection_enabled: true }] };
    project.cloud.create({ type, id: "main", values, writeOnly: {}, needs: [] });
    expect(() => {
      project.destroy(type, { id: "main", deletion_protection: false });
    }).toThrow("The instance is protected");
  });
});

describe("A container", () => {
  const IMAGE = "us-central1-docker.pkg.dev/my-project/images/idp:1";

  const service = (container: object, prior: Value = null) =>
    project.apply(
      "google_cloud_run_v2_service",
      {
        ...{ name: "web", location: "us-central1" },
        template: [{ service_account: textAt(runtime, "email"), containers: [{ image: IMAGE, ...container }] }],
      },
      prior,
    );

  const fromSecret = (version: string) => ({
    env: [{ name: "KEY", value_source: [{ secret_key_ref: [{ secret: "key", version }] }] }],
  });

  let runtime: ValueObject;

  beforeEach(() => {
    runtime = account("runtime");
    project.images.add(IMAGE);
    secretOf("key", "a payload");
    const member = textAt(runtime, "member");
    project.apply("google_secret_manager_secret_iam_member", { secret_id: "key", role: READER, member });
  });

  it("starts with everything that it names", () => {
    for (const version of ["1", "latest"]) {
      expect(textAt(service(fromSecret(version)), "uri")).toMatch(/^https:\/\/web-/);
      project.cloud.forget("google_cloud_run_v2_service projects/my-project/locations/us-central1/services/web");
    }
  });

  it("does not start without its image", () => {
    project.images.clear();
    expect(() => service({})).toThrow(`needs what is not there: the image ${IMAGE}`);
  });

  it("does not start without the version of its secret", () => {
    expect(() => service(fromSecret("2"))).toThrow(
      "needs what is not there: google_secret_manager_secret_version projects/123456789012/secrets/key/versions/2",
    );
  });

  it("is not changed to what it cannot start with", () => {
    const running = service({});
    expect(() => service(fromSecret("2"), running)).toThrow("needs what is not there");
    expect(() => service({ image: `${IMAGE}0` }, running)).toThrow("needs what is not there: the image");
    expect(valueAt(service(fromSecret("1"), running), "template.0.containers.0.env.0.name")).toBe("KEY");
  });

  it("does not start before somebody has made its role in the database", () => {
    const type = "google_sql_database_instance";
    project.cloud.create({ type, id: "main", values: {}, writeOnly: { root_password_wo: "admin" }, needs: [] });
    project.apply("google_project_iam_member", {
      ...{ project: "my-project", role: "roles/cloudsql.client", member: textAt(runtime, "member") },
    });
    const env = (values: Record<string, string>) => Object.entries(values).map(([name, value]) => ({ name, value }));
    const template = (values: Record<string, string>) => ({
      service_account: textAt(runtime, "email"),
      containers: [{ image: IMAGE, env: env(values) }],
      volumes: [{ name: "cloudsql", cloud_sql_instance: [{ instances: ["my-project:us-central1:main"] }] }],
    });
    const place = { location: "us-central1" };
    const start = (password: string) =>
      project.apply("google_cloud_run_v2_service", {
        ...{ ...place, name: "web" },
        template: [template({ DB_USER: "idp", DB_PASSWORD: password })],
      });
    const initialize = (administrator: string) =>
      project.apply("google_cloud_run_v2_job", {
        ...{ ...place, name: "db-init", run_execution_token: "one" },
        template: [
          { template: [template({ DB_USER: "idp", DB_PASSWORD: "geheim", DB_ADMIN_PASSWORD: administrator })] },
        ],
      });

    expect(() => start("geheim")).toThrow("needs what is not there: the role idp in the database main");
    expect(() => initialize("wrong")).toThrow("the database refuses the administrator's password");
    project.cloud.forget("google_cloud_run_v2_job projects/my-project/locations/us-central1/jobs/db-init");
    initialize("admin");
    expect(() => start("another")).toThrow("the database refuses the password of its role idp");
    project.cloud.forget("google_cloud_run_v2_service projects/my-project/locations/us-central1/services/web");
    expect(start("geheim")).toBeDefined();
  });
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
    const open = ["without a source a rule lets everybody through"];
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
    expect(() => {
      project.destroy("google_compute_subnetwork", subnetwork);
    }).toThrow("is still used by google_compute_instance");
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
    const config = configuration("google_compute_instance", machine);
    const provider = new ResourceProvider(schema, { resources: GOOGLE_TYPES, ephemeral: {} }, project.cloud);
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

it("Kinds that two files describe are refused", () => {
  const { google_compute_network: network, ...others } = GOOGLE_TYPES;
  if (network === undefined) throw new Error("there is no kind of a network");
  const one = { google_compute_network: network };
  expect(Object.keys(mergedTypes(one, others)).sort()).toEqual(Object.keys(GOOGLE_TYPES).sort());
  expect(() => mergedTypes(one, GOOGLE_TYPES)).toThrow("described twice: google_compute_network");
});
