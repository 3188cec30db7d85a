import { writeFileSync } from "node:fs";
import { join } from "node:path";

import Ajv from "ajv";
import { App } from "cdktf";
import { parse } from "yaml";

import { type Table } from "../../lib/core/inputs/rows";
import { terraformName } from "../../lib/core/inputs/rules";
import { createStacks } from "../../stacks/all-stacks";
import { inputSchema } from "../../stacks/folder/input-schema";
import { IdpKubernetesStack } from "../../stacks/idp-kubernetes";
import { IdpServerlessStack } from "../../stacks/idp-serverless";
import { INPUT_GROUPS } from "../../stacks/input-groups";
import { readSettingsFile } from "../../stacks/settings-file";
import { temporaryFolder } from "../support/temporary-folder";
import { forms } from "../tools/forms";
import { UPDATE_COMMAND } from "../tools/page-tables";
import { pageOf } from "../tools/pages";

type Facts = Readonly<Record<string, unknown>>;

interface Form {
  readonly title: string;
  readonly required?: readonly string[];
  readonly properties: Readonly<Record<string, Facts>>;
}

interface Step {
  readonly action: string;
  readonly input: { readonly content: string; readonly values: { readonly rows: Readonly<Record<string, Facts>> } };
}

interface Template {
  readonly spec: { readonly parameters: readonly Form[]; readonly steps: readonly Step[] };
}

const STACKS: readonly (readonly [stack: string, inputs: Table])[] = [
  ["idp-serverless", IdpServerlessStack.inputs],
  ["idp-kubernetes", IdpKubernetesStack.inputs],
];

const templateOf = (stack: string) => parse(pageOf(`stacks/examples/fleet/form-${stack}.yaml`).text) as Template;
const pagesOf = (stack: string) => templateOf(stack).spec.parameters;
const fieldsOf = (stack: string) =>
  Object.assign({}, ...pagesOf(stack).map(({ properties }) => properties)) as Form["properties"];

const words = { type: "string", minLength: 1 };

/** What the catalog and the scaffolder of Backstage demand of a template, of the keywords that are used here. */
const TEMPLATE = {
  type: "object",
  required: ["apiVersion", "kind", "metadata", "spec"],
  additionalProperties: false,
  properties: {
    apiVersion: { const: "scaffolder.backstage.io/v1beta3" },
    kind: { const: "Template" },
    metadata: {
      type: "object",
      required: ["name"],
      properties: {
        name: { type: "string", pattern: "^[A-Za-z0-9]([-_.A-Za-z0-9]{0,61}[A-Za-z0-9])?$" },
        title: words,
        description: { type: "string" },
        tags: { type: "array", items: { type: "string", pattern: "^[a-z0-9:+#]+(-[a-z0-9:+#]+)*$", maxLength: 63 } },
      },
    },
    spec: {
      type: "object",
      required: ["type", "steps", "owner", "parameters"],
      additionalProperties: false,
      properties: {
        type: words,
        owner: words,
        parameters: { type: "array", items: { type: "object" } },
        steps: {
          type: "array",
          items: {
            type: "object",
            required: ["action"],
            additionalProperties: false,
            properties: { id: words, name: words, action: words, input: { type: "object" } },
          },
        },
        output: {
          type: "object",
          properties: { links: { type: "array", items: { type: "object", properties: { url: words, title: words } } } },
        },
      },
    },
  },
};

it(`The forms ask for what the stacks have; when this fails, run: ${UPDATE_COMMAND}`, () => {
  for (const { path, text } of forms()) expect([path, pageOf(path).text]).toEqual([path, text]);
});

const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, keywords: ["ui:widget"], strictTypes: false });

describe.each(STACKS)("The form for a tenant of %s", (stack, inputs) => {
  const fields = fieldsOf(stack);

  it("is a template of the scaffolder", () => {
    const accepts = ajv.compile(TEMPLATE);
    accepts(templateOf(stack));
    expect(accepts.errors).toBeNull();
  });

  it("asks for each input in its group, but for secrets and for the release, which the ring decides", () => {
    const names = Object.keys(inputs).map(terraformName);
    const asked = Object.keys(fields);
    expect(names.filter((name) => !asked.includes(name))).toEqual(["application_version", "bootstrap_password"]);
    expect(asked.filter((name) => !names.includes(name))).toEqual(["ring"]);
    const titles = INPUT_GROUPS.map(({ title }) => title);
    const shown = pagesOf(stack).map(({ title }) => title);
    expect(shown).toEqual(titles.filter((title) => shown.includes(title)));
    for (const { properties, title } of pagesOf(stack).slice(1)) {
      const inOrder = INPUT_GROUPS.find((group) => group.title === title)?.inputs.map(terraformName) ?? [];
      expect(Object.keys(properties)).toEqual(inOrder.filter((name) => name in properties));
    }
  });

  it("asks first for what no tenant can change later, and requires nothing else but the ring", () => {
    const [first, ...others] = pagesOf(stack);
    expect(Object.keys(first?.properties ?? {}).slice(0, 3)).toEqual(["project_id", "region", "tenant_id"]);
    expect(first?.required).toEqual(["project_id", "region", "tenant_id", "ring"]);
    expect(others.flatMap(({ required = [] }) => required)).toEqual([]);
  });

  it("begins with the defaults, which its fields accept, and sets no optional object by itself", () => {
    for (const [name, row] of Object.entries(inputs)) {
      const field = fields[terraformName(name)];
      if (field === undefined) continue;
      const { default: value, members } = row;
      const isShown = value !== null && members === undefined && name !== "tenantId";
      expect([name, field.default]).toEqual([name, isShown ? value : undefined]);
      expect([name, field.oneOf !== undefined]).toEqual([name, members !== undefined && value === null]);
      if (!isShown && field.oneOf === undefined) continue;
      const accepts = ajv.compile(field);
      if (value !== undefined) accepts(value);
      expect([name, accepts.errors ?? null]).toEqual([name, null]);
    }
  });

  it("leaves out of the file what equals a default, but for the names", () => {
    const [{ input }] = templateOf(stack).spec.steps as [Step];
    const asked = Object.keys(fields).filter((name) => !["project_id", "ring"].includes(name));
    expect(Object.keys(input.values.rows)).toEqual(asked);
    for (const [name, { default: value, type }] of Object.entries(inputs)) {
      const row = input.values.rows[terraformName(name)];
      if (row === undefined) continue;
      const isNamed = ["region", "tenantId"].includes(name);
      // Of a list that is left alone, a form makes an empty one, whatever its default.
      const fallback = value === null ? (type === "list(string)" ? [] : undefined) : value;
      expect([name, row.fallback]).toEqual([name, isNamed ? undefined : fallback]);
    }
  });

  it("adds an entry as the fleet has them, under the name of the tenant", () => {
    const entry = templateOf(stack).spec.steps.find(({ action }) => action === "roadiehq:utils:json:merge");
    const answers: Readonly<Record<string, string>> = { tenant_id: "acme", ring: "canary", project_id: "acme-sign-in" };
    const content = entry?.input.content.replaceAll(
      /\$\{\{ parameters[.](\w+) \}\}/g,
      (_, name: string) => answers[name] ?? "",
    );
    const { tenants } = JSON.parse(pageOf("stacks/examples/fleet/fleet.json").text) as { tenants: { acme: Facts } };
    expect(JSON.parse(content ?? "")).toEqual({ tenants: { acme: { ...tenants.acme, folder: stack } } });
  });

  it("leads to a file that the schema of the folder accepts, and of which a folder can be synthesized", async () => {
    const accepts = ajv.compile(inputSchema(stack, inputs));
    accepts({ ...WRITTEN, $schema: `../${stack}/inputs.schema.json` });
    expect(accepts.errors).toBeNull();
    const folder = temporaryFolder();
    const file = join(folder, "umbrella.tfvars.json");
    writeFileSync(file, JSON.stringify(WRITTEN));
    const app = new App({ outdir: folder });
    const stacks = await createStacks(app, { backend: { type: "local" } }, [stack], await readSettingsFile(file));
    app.synth();
    expect(stacks).toHaveLength(1);
  });
});

/** What the scaffolder 4.3.0 wrote in a dry run of either form. */
const WRITTEN = {
  $schema: "../idp-serverless/inputs.schema.json",
  project_id: "umbrella-sign-in",
  region: "europe-west1",
  tenant_id: "umbrella",
  labels: { team: "access" },
  deletion_protection: false,
  environment_variables: { IDP_DEFAULT_LOCALE: 'quo"te ${x} {{ y }}' },
  blueprints: ["branding"],
  domain: "sign-in.umbrella.example",
  dns_zone: { name: "umbrella" },
  protection: { sign_ins_per_minute: 120, admin_ranges: ["203.0.113.0/24"], restrict_admin: true },
  smtp: {
    host: "smtp.umbrella.example",
    username: "idp",
    from: "idp@umbrella.example",
    password_secret: { secret_id: "smtp-password", version: "1" },
  },
  alert_emails: ["admin@umbrella.example"],
  min_instance_count: 2,
  startup_probe: { failure_threshold: 30 },
  database_version: 16,
  maintenance_window: {},
};
