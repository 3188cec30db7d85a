import { TerraformLocal } from "cdktf";

import { InputVariable } from "../../lib/core/inputs/input-variable";
import * as names from "../../lib/core/names";
import { evaluated } from "../stacks/terraform-run";
import { describeWith } from "../support/programs";
import { fc } from "../support/seeded-cases";
import { bareStack, terraformOf } from "../support/synthesis";

interface Deployment {
  readonly tenant: string;
  readonly project: string;
  readonly application: string;
}

/** Values that the inputs of the stacks accept. */
const tenant = fc.stringMatching(/^[a-z0-9-]{1,20}$/);
const project = fc.stringMatching(/^[a-z][a-z0-9-]{4,28}[a-z0-9]$/);
const application = fc.stringMatching(/^[a-z]([a-z0-9-]{0,16}[a-z0-9])?$/);
const deployment = fc.record({ tenant, project, application });

const LONGEST: Deployment = { tenant: "t".repeat(20), project: "p".repeat(30), application: "a".repeat(18) };
const SHORTEST: Deployment = { tenant: "0", project: "abcdef", application: "a" };
const ODDEST: Deployment = { tenant: "-", project: "a--b-1", application: "a--b" };

/** Every name of a deployment, as the library builds them. */
const namesOf = ({ tenant, project, application }: Deployment, tenantPrefix = names.tenantPrefix(tenant, project)) => {
  const parts = { tenantPrefix, applicationName: application };
  return {
    prefix: parts.tenantPrefix,
    bucket: names.bucketName(parts, "storage"),
    cluster: names.clusterName(parts),
    job: names.partName(parts, "db-init"),
    network: names.partName(parts, "c0ffee00"),
    postgresql: names.postgresqlName(parts),
    secret: names.secretId(parts, "database-administrator-password"),
    service: names.serviceName(parts),
    serviceAccount: names.serviceAccountId(parts, "idp-run"),
    sqlInstance: names.sqlInstanceName(parts),
  };
};

type Names = ReturnType<typeof namesOf>;

describe("The name of", () => {
  // Each pattern is Google Cloud's own rule, with its length; a service's name is part of a host name.
  it.each<[keyof Names, string, RegExp, number]>([
    ["bucket", "object store", /^[a-z0-9][a-z0-9_-]*[a-z0-9]$/, 63],
    ["cluster", "cluster service", /^[a-z][a-z0-9-]*[a-z0-9]$/, 40],
    ["network", "network service", /^[a-z][a-z0-9-]*[a-z0-9]$/, 63],
    ["service", "serverless platform", /^[a-z][a-z0-9-]*[a-z0-9]$/, 49],
    ["job", "serverless platform", /^[a-z][a-z0-9-]*[a-z0-9]$/, names.JOB_NAME_AND_TOKEN_MAX_LENGTH - 8],
    ["serviceAccount", "identity service", /^(?=.{6})[a-z][a-z0-9-]*[a-z0-9]$/, names.SERVICE_ACCOUNT_ID_MAX_LENGTH],
    ["secret", "secret store", /^[A-Za-z0-9_-]+$/, names.SECRET_ID_MAX_LENGTH],
    ["sqlInstance", "database service", /^[a-z][a-z0-9-]*[a-z0-9]$/, 98],
    ["postgresql", "database", /^[a-z0-9_]+$/, 63],
  ])("a %s is one that the %s accepts, for any legal input", (kind, _, pattern, maxLength) => {
    fc.assert(
      fc.property(deployment, (given) => {
        const name = namesOf(given)[kind];
        expect(name).toMatch(pattern);
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(maxLength);
      }),
      { examples: [[LONGEST], [SHORTEST], [ODDEST]] },
    );
  });

  it.each(["idp-run", "idp-start-dump", "idp-start-check-up", "idp-start-sign-in", "idp-create-database-x"])(
    "an account fits what Google allows, for %s",
    (purpose) => {
      const name = names.serviceAccountId({ tenantPrefix: "demo-1a2b3c", applicationName: "idp" }, purpose);
      expect(name).toMatch(new RegExp(`^${purpose}-[0-9a-f]{8,12}$`));
      expect(name.length).toBeLessThanOrEqual(names.SERVICE_ACCOUNT_ID_MAX_LENGTH);
    },
  );

  it("every name differs between tenants, projects and applications", () => {
    const other = (part: keyof Deployment, value: fc.Arbitrary<string>) =>
      fc.tuple(deployment, value).map(([one, changed]) => [one, { ...one, [part]: changed }] as const);
    fc.assert(
      fc.property(
        fc.oneof(other("tenant", tenant), other("project", project), other("application", application)),
        ([one, two]) => {
          fc.pre(JSON.stringify(one) !== JSON.stringify(two));
          const [first, second] = [namesOf(one), namesOf(two)];
          for (const kind of Object.keys(first) as (keyof Names)[]) {
            // The prefix does not contain the application.
            if (kind === "prefix" && one.application !== two.application) continue;
            expect(first[kind]).not.toBe(second[kind]);
          }
        },
      ),
    );
  });

  it("a secret, a database and an account differ even if tenant and application join to the same text", () => {
    const one = namesOf({ tenant: "eu-acme", project: "demo-project", application: "idp" });
    const two = namesOf({ tenant: "acme", project: "demo-project", application: "idp-eu" });
    for (const kind of ["bucket", "postgresql", "secret", "serviceAccount", "sqlInstance"] as const) {
      expect(one[kind]).not.toBe(two[kind]);
    }
  });
});

/** The same names, built from inputs known only to Terraform; the prefix has its own name, as in the stacks. */
const configurationOf = (deployments: readonly Deployment[]) => {
  const stack = bareStack();
  deployments.forEach((given, index) => {
    const input = (part: keyof Deployment) =>
      new InputVariable(stack, `${part}_${index}`, { type: "string", default: given[part], description: part })
        .stringValue;
    const inputs = { tenant: input("tenant"), project: input("project"), application: input("application") };
    const prefix = new TerraformLocal(stack, `prefix_${index}`, names.tenantPrefix(inputs.tenant, inputs.project));
    new TerraformLocal(stack, `names_${index}`, namesOf(inputs, prefix.asString));
  });
  return terraformOf(stack);
};

describeWith(["terraform"], "Terraform", () => {
  it("gives the names of its inputs that literals would have", () => {
    const deployments = [LONGEST, SHORTEST, ODDEST, ...fc.sample(deployment, { numRuns: 30, seed: 7 })];
    expect(Object.values(evaluated(configurationOf(deployments)))).toEqual(
      expect.arrayContaining(deployments.map((given) => namesOf(given))),
    );
  });
});

describe("The path of the database socket", () => {
  it("counts what a connection name adds to project, region, tenant and application", () => {
    fc.assert(
      fc.property(deployment, ({ application, project, tenant }) => {
        const parts = { tenantPrefix: names.tenantPrefix(tenant, project), applicationName: application };
        expect(`${project}:us-central1:${names.sqlInstanceName(parts)}`).toHaveLength(
          `${project}us-central1${tenant}${application}`.length + names.CONNECTION_NAME_FRAME_LENGTH,
        );
      }),
    );
  });
});
