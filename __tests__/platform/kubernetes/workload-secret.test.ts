import { type ReadableSecret } from "../../../lib/core/generated-secret";
import { TerraformData } from "../../../lib/core/terraform-data";
import { KubernetesWorkload } from "../../../lib/platform/kubernetes/kubernetes-workload";
import { WorkloadSecret } from "../../../lib/platform/kubernetes/workload-secret";
import { namespaceIn, PLACE, standInContainer, standInIdentity, standInSecret } from "../../support/stand-in-parts";
import { bareStack, resourceOf, terraformOf } from "../../support/synthesis";

describe("WorkloadSecret", () => {
  const secretIn = (values: Record<string, ReadableSecret>, stack = bareStack()) => {
    const namespace = namespaceIn(stack);
    const secret = new WorkloadSecret(stack, "Secrets", { name: "idp", namespace, projectId: PLACE.projectId, values });
    const terraform = terraformOf(stack);
    return { secret, terraform, resource: resourceOf(terraform, "kubernetes_secret_v1", "secrets") };
  };

  it("holds values that are read at apply, at exactly the stored version, and written without a trace", () => {
    const { resource, terraform } = secretIn({ DB_PASSWORD: standInSecret("database", "3") });
    expect(resource).toEqual({
      metadata: { name: "idp", namespace: "${kubernetes_namespace_v1.namespace.metadata[0].name}" },
      type: "Opaque",
      data_wo: { DB_PASSWORD: "${ephemeral.google_secret_manager_secret_version.secrets_db_password.secret_data}" },
      data_wo_revision: "${sum([tonumber(3)])}",
    });
    expect(terraform.ephemeral?.google_secret_manager_secret_version).toMatchObject({
      secrets_db_password: { project: "demo-project", secret: "database", version: "3" },
    });
  });

  it("is written again when any of its versions is another, and tells which it holds", () => {
    const { resource, secret } = secretIn({
      A: standInSecret("a", "1"),
      B: standInSecret("b", "4"),
    });
    expect(resource.data_wo_revision).toBe("${sum([tonumber(1), tonumber(4)])}");
    expect(secret.versions).toBe("A=1,B=4");
  });

  it("reads a value only when it can be read", () => {
    const stack = bareStack();
    const stored = new TerraformData(stack, "Stored", {});
    const { terraform } = secretIn({ A: { ...standInSecret("a"), ready: [stored] } }, stack);
    expect(terraform.ephemeral?.google_secret_manager_secret_version?.secrets_a?.depends_on).toEqual([
      "terraform_data.stored",
    ]);
  });

  it("may be empty", () => {
    expect(secretIn({}).resource).toMatchObject({ data_wo: {}, data_wo_revision: 1 });
  });

  it("refuses variables that GKE's own synchronization would refuse", () => {
    const secret = standInSecret("secret");
    const stack = bareStack();
    const container = standInContainer({
      secretEnvironment: { IDP_POSTGRESQL__PASSWORD: secret, FINE: secret, A__B: secret },
    });
    expect(
      () =>
        new KubernetesWorkload(stack, "Workload", {
          place: PLACE,
          identity: standInIdentity(),
          container,
          namespace: namespaceIn(stack),
        }),
    ).toThrow(
      new Error(
        [
          "test/Workload: 2 problems",
          ...["IDP_POSTGRESQL__PASSWORD", "A__B"].map(
            (name) =>
              `  - secret variable ${name} has a double underscore; a key of a synchronized secret must have none, because GKE's own synchronization refuses it and the copy must be able to move there; use a name without and let the entrypoint map it`,
          ),
        ].join("\n"),
      ),
    );
  });
});
