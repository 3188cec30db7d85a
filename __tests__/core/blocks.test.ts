import { JobV1 } from "@cdktf/provider-kubernetes/lib/job-v1";
import { ServiceAccountV1 } from "@cdktf/provider-kubernetes/lib/service-account-v1";
import { SqlDatabaseInstance } from "@cdktf/provider-google/lib/sql-database-instance";
import { TerraformStack } from "cdktf";
import { Construct } from "constructs";

import { EphemeralResource } from "../../lib/core/ephemeral-resource";
import { InputVariable, type InputVariableProps } from "../../lib/core/input-variable";
import {
  NEWER_GOOGLE_ATTRIBUTES,
  NEWER_KUBERNETES_ATTRIBUTES,
  setNewerAttribute,
} from "../../lib/core/newer-attribute";
import { PROVIDER_REQUIREMENTS } from "../../lib/core/provider-requirements";
import { bareStack, terraformOf, testApp } from "../support/synthesis";

describe("EphemeralResource", () => {
  const props = { type: "random_password", provider: "random", attributes: { length: 12, special: false } } as const;

  it("states the releases of its provider that have the type, in any stack", () => {
    const stack = new TerraformStack(testApp(), "test");
    new EphemeralResource(stack, "Password", props);
    expect(terraformOf(stack).terraform.required_providers).toEqual({ random: PROVIDER_REQUIREMENTS.random });
  });
});

describe("InputVariable", () => {
  const variableOf = (props: Partial<InputVariableProps> = {}) => {
    const stack = bareStack();
    new InputVariable(new Construct(stack, "Inputs"), "environment_variables", {
      type: "string",
      description: "A value.",
      ...props,
    });
    return terraformOf(stack).variable?.environment_variables;
  };

  it.each([["us-central1"], [""], [0], [3], [false], [true], [[]], [["a"]], [{}]])(
    "has the default %j, which an explicit null does not replace",
    (value) => {
      expect(variableOf({ default: value })).toMatchObject({ default: value, nullable: false });
    },
  );

  it("has the default null, and then accepts null", () => {
    expect(variableOf({ default: null })).toEqual({ type: "string", description: "A value.", default: null });
  });
});

describe("setNewerAttribute", () => {
  const instanceIn = (stack: TerraformStack) =>
    new SqlDatabaseInstance(stack, "Database", {
      databaseVersion: "POSTGRES_15",
      settings: { tier: "db-f1-micro" },
    });

  it.each(["root_password", "settings.0.new_thing", "toString"])(
    "refuses an attribute that is not listed: %s",
    (path) => {
      const attribute = path.replace(".0", "");
      expect(() => setNewerAttribute(instanceIn(bareStack()), path, "x")).toThrow(
        new Error(
          `test/Database: google_sql_database_instance.${attribute} is not listed in NEWER_GOOGLE_ATTRIBUTES, which decides the accepted provider releases; add it with the release that introduced it`,
        ),
      );
    },
  );

  it("uses a separate list for each provider", () => {
    const stack = new TerraformStack(testApp(), "test");
    const account = new ServiceAccountV1(stack, "Account", { metadata: {} });
    expect(() => setNewerAttribute(account, "metadata.new_thing", "x")).toThrow(
      new Error(
        "test/Account: kubernetes_service_account_v1.metadata.new_thing is not listed in NEWER_KUBERNETES_ATTRIBUTES, which decides the accepted provider releases; add it with the release that introduced it",
      ),
    );
    const job = new JobV1(stack, "Job", { metadata: {}, spec: { template: { metadata: {}, spec: {} } } });
    const path = "spec.template.spec.init_container.0.restart_policy";
    expect(() => setNewerAttribute(job, path, "Always")).not.toThrow();
  });

  it("needs no release of the kubernetes provider that is not accepted", () => {
    const [, from = ""] = /^>= (\S+),/.exec(PROVIDER_REQUIREMENTS.kubernetes.version) ?? [];
    for (const release of Object.values(NEWER_KUBERNETES_ATTRIBUTES))
      expect(release.localeCompare(from, "en", { numeric: true })).toBeLessThanOrEqual(0);
  });

  it("needs no newer release than the accepted ones, and no older one is accepted", () => {
    const releases = Object.values(NEWER_GOOGLE_ATTRIBUTES).map((release) => release.split(".").map(Number));
    const [newest = []] = releases.sort(([a = 0, b = 0], [c = 0, d = 0]) => c - a || d - b);
    expect(PROVIDER_REQUIREMENTS.google.version).toMatch(`>= ${newest.join(".")}, < ${(newest[0] ?? 0) + 1}.0.0`);
  });
});

describe("requireProvider", () => {
  it.each(Object.entries(PROVIDER_REQUIREMENTS))(
    "states an open range up to a major release that nobody has tried: %s",
    (_, range) => {
      const [, from = "", to = ""] = /^>= (\d+)\.\d+\.\d+, < (\d+)\.0\.0$/.exec(range.version) ?? [];
      expect(Number(to)).toBeGreaterThan(Number(from));
    },
  );
});
