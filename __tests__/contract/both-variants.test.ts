import { BASE_URL_VARIABLE, OUTPOSTS, TLS_PORT, TRUSTED_PROXIES } from "../../lib/idp/contract";
import { stringsIn, valueAt } from "../stacks/configuration-graph";
import {
  KUBERNETES_ADDRESS,
  kubernetesResource,
  kubernetesTerraform,
  podContainerOf,
} from "../stacks/kubernetes-stack";
import { asMade, withLocals } from "../stacks/made-parts";
import { ADDRESS, containerOf, serverlessResource, serverlessTerraform } from "../stacks/serverless-stack";
import { type Block } from "../support/synthesis";

/** What the platforms add to the environment, each what it has. */
const PLATFORM_VARIABLES: readonly string[] = [
  TRUSTED_PROXIES,
  ...Object.keys(TLS_PORT.environment),
  BASE_URL_VARIABLE,
  OUTPOSTS.hostVariable,
  OUTPOSTS.imageVariable,
];

/** What each key of a copy is read from: the copy is a map, or an expression that merges one with further secrets. */
const readsOf = (data: unknown): ReadonlyMap<string, string> => {
  const pattern =
    /"(\w+)"\s*[:=]\s*"?(?:\$\{)?try\(ephemeral\.google_secret_manager_secret_version\.(\w+)\[0\]\.secret_data/g;
  const text = typeof data === "string" ? data : JSON.stringify(data);
  return new Map([...text.matchAll(pattern)].map(([, key = "", read = ""]) => [key, read]));
};

describe("The layer is not deployed on its own and has no deployment inputs of its own for end users; it provides the following, identically on both platform variants, a managed-Kubernetes variant and a serverless-container variant", () => {
  const serverless = () => containerOf(ADDRESS.service);
  const kubernetes = () => podContainerOf(KUBERNETES_ADDRESS.workload);
  const secretOf = (address: string) => /google_secret_manager_secret\.(\w+)\.secret_id/.exec(address)?.[1];

  it("the image is the same", () => {
    expect(kubernetes().image).toBe(serverless().image);
    expect(kubernetesTerraform().locals?.image_reference).toBe(serverlessTerraform().locals?.image_reference);
  });

  it("the environment is the same, in the same order of precedence", () => {
    const layers = (container: Block, locals: Block | undefined, prefix: string) => {
      const given = String(valueAt(container, "dynamic.env.0.for_each"));
      // Where a variable may be null, the layers are merged before those are left out.
      const order = given.includes(`local.${prefix}_environment`) ? String(locals?.[`${prefix}_environment`]) : given;
      const names = /^\$\{merge\((.+)\)\}$/.exec(order)?.[1]?.split(", ") ?? [];
      return names.flatMap<unknown>((name) => {
        const layer = locals?.[name.replace("local.", "")] as Record<string, string> | undefined;
        if (layer === undefined) return name;
        if (name !== "local.application_environment") expect(name).toMatch(`local.${prefix}_`);
        const own = Object.entries(layer).filter(
          ([variable]) => !PLATFORM_VARIABLES.includes(variable) && variable !== "DB_HOST",
        );
        return own.length === 0 ? [] : Object.fromEntries(own);
      });
    };
    const both = [
      layers(serverless(), serverlessTerraform().locals, "service"),
      layers(kubernetes(), kubernetesTerraform().locals, "workload"),
    ];
    expect(both[1]).toEqual(both[0]);
    expect(both[0]?.map((layer) => typeof layer)).toEqual(["object", "string", "object"]);
  });

  it("the probes are the same, readiness aside, which only one platform knows", () => {
    const normalized = (probe: unknown) => {
      const { http_get: get, ...timing } = probe as { http_get: Record<string, unknown> };
      return { ...timing, path: get.path, port: Number(get.port) };
    };
    for (const kind of ["startup_probe", "liveness_probe"])
      expect(normalized(kubernetes()[kind])).toEqual(normalized(serverless()[kind]));
  });

  it("buckets are mounted at the same places with the same options", () => {
    const service = serverlessResource(ADDRESS.service);
    const workload = kubernetesResource(KUBERNETES_ADDRESS.workload);
    const mounted = (mounts: unknown, name: unknown): unknown =>
      (mounts as Block[]).find((mount) => mount.name === name)?.mount_path;
    const onService = (valueAt(service, "template.volumes") as Block[])
      .filter((volume) => volume.gcs !== undefined)
      .map(({ gcs, name }) => ({
        bucket: valueAt(gcs, "bucket"),
        options: valueAt(gcs, "mount_options"),
        path: mounted(serverless().volume_mounts, name),
      }));
    const onWorkload = (valueAt(workload, "spec.template.spec.volume") as Block[])
      .filter((volume) => volume.csi !== undefined)
      .map(({ csi, name }) => ({
        bucket: valueAt(csi, "volume_attributes.bucketName"),
        options: String(valueAt(csi, "volume_attributes.mountOptions")).split(","),
        path: mounted(kubernetes().volume_mount, name),
      }));
    expect(onWorkload).toEqual(onService);
    expect(onService).toHaveLength(1);
  });

  it("the same variables are the same secrets, for the server and for the job", () => {
    const onPlatform = (container: Block) =>
      Object.fromEntries(
        (container.env as Block[]).map(({ name, value_source: source }): [string, string | undefined] => [
          String(name),
          secretOf(asMade(serverlessTerraform(), String(valueAt(source, "secret_key_ref.secret")))),
        ]),
      );
    const copied = (container: Block, copy: string) => {
      const values = readsOf(kubernetesResource(copy).data_wo);
      const own = (valueAt(container, "dynamic.env") as Block[]).at(-1);
      expect(own?.content).toEqual({
        name: "${env.value}",
        value_from: [{ secret_key_ref: [{ name: `\${${copy}.metadata[0].name}`, key: "${env.value}" }] }],
      });
      return Object.fromEntries(
        (own?.for_each as readonly string[]).map((name) => [name, values.get(name)?.replace(/_stored$/, "")]),
      );
    };
    expect(copied(kubernetes(), KUBERNETES_ADDRESS.workloadSecret)).toEqual(onPlatform(serverless()));
    expect(copied(podContainerOf(KUBERNETES_ADDRESS.job), KUBERNETES_ADDRESS.jobSecret)).toEqual(
      onPlatform(containerOf(ADDRESS.job)),
    );
  });

  it("inputs that both have are the same, their limits and the words about the platform aside", () => {
    const [serverlessInputs = {}, kubernetesInputs = {}] = [
      serverlessTerraform().variable,
      kubernetesTerraform().variable,
    ];
    const common = Object.keys(serverlessInputs).filter((name) => name in kubernetesInputs);
    expect(common.length).toBeGreaterThan(50);
    for (const name of common) {
      // Only one platform can serve a certificate that is validated by DNS without a further step.
      if (name === "certificate_validation") continue;
      const facts = ({ default: value, ephemeral, nullable, sensitive, type }: Block) => [
        value,
        ephemeral,
        nullable,
        sensitive,
        // There is a key for what runs the application, which is called by its name, and GKE scales workers.
        String(type)
          .replace(/\bcluster = /, "service = ")
          .replace(/ max_count = optional[^)]+[)],/, ""),
      ];
      expect([name, facts(kubernetesInputs[name] ?? {})]).toEqual([name, facts(serverlessInputs[name] ?? {})]);
    }
  });

  it("outputs that both have are described in the same words", () => {
    const descriptions = (terraform: typeof serverlessTerraform) =>
      Object.fromEntries(
        Object.entries(terraform().output ?? {}).map(([name, { description }]) => [name, description]),
      );
    expect(descriptions(kubernetesTerraform)).toMatchObject(descriptions(serverlessTerraform));
  });
});

/** Types whose names are taken in a whole project, or in the whole world. */
const NAMED = ["account_id", "bucket", "name", "repository_id", "secret_id"];

describe("Both variants in one project", () => {
  const namesOf = (terraform: typeof serverlessTerraform) =>
    new Set(
      Object.entries(terraform().resource ?? {})
        .filter(([type]) => type.startsWith("google_") && !type.endsWith("_iam_member"))
        .flatMap(([type, elements]) =>
          Object.values(elements).flatMap((element) =>
            NAMED.filter((attribute) => attribute in element).map(
              (attribute) => `${type} ${String(withLocals(terraform(), element[attribute]))}`,
            ),
          ),
        ),
    );

  it("share nothing with another application_name, because every name contains it", () => {
    const names = [...namesOf(serverlessTerraform), ...namesOf(kubernetesTerraform)].filter(
      (name) => !/\$\{google_|\$\{one\(/.test(name),
    );
    expect(names.length).toBeGreaterThan(15);
    // A record is that of a domain, and a login that of an instance, of which each deployment has its own.
    const others = names.filter((name) => !/^google_(dns_record_set|sql_user) /.test(name));
    expect(others.filter((name) => !name.includes("var.application_name"))).toEqual([]);
    expect(stringsIn(names)).toHaveLength(names.length);
  });
});
