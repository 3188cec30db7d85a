import { type Input, isList, summaryOf, type Table } from "../../lib/core/inputs/rows";
import { type Facts, terraformName } from "../../lib/core/inputs/rules";
import { groupedInputs } from "../input-groups";
import { inputSchema } from "./input-schema";

/** Rings in the example of a fleet, the usual one first. */
const RINGS = ["everyone", "canary"];

/**
 * Inputs that the ring determines. A tenant's own value would take precedence, and the tenant would miss the upgrades
 * of its ring.
 */
const OF_THE_RING = ["applicationVersion"];

/** Names that a tenant cannot change later; the form asks for each name and always writes it. */
const NAMES = ["project_id", "region", "tenant_id"];

/**
 * A software template of Backstage that adds a tenant to a fleet: a form of the inputs of a stack, in their groups, and
 * the pull request with the tenant's file and its entry in `fleet.json`.
 *
 * Secrets are not asked for, because the scaffolder keeps the answers.
 *
 * @param platform in the title of the form
 */
export function formTemplate(stack: string, platform: string, inputs: Table): Facts {
  const asked = Object.fromEntries(Object.entries(inputs).filter(([name, row]) => isAsked(name, row)));
  return {
    apiVersion: "scaffolder.backstage.io/v1beta3",
    kind: "Template",
    metadata: {
      name: `new-tenant-${stack}`,
      title: `Identity provider of a tenant on ${platform}`,
      description: "Opens a pull request that adds a tenant to the fleet. Nothing is created before it is merged.",
      tags: ["terraform", "google-cloud", "authentik"],
    },
    spec: { owner: "my-team", type: "service", parameters: pages(stack, asked), ...work(stack, asked) },
  };
}

const isAsked = (name: string, { ephemeral, sensitive }: Input) =>
  ephemeral !== true && sensitive !== true && !OF_THE_RING.includes(name);

function pages(stack: string, asked: Table): readonly Facts[] {
  const { properties } = inputSchema(stack, asked) as { readonly properties: Readonly<Record<string, Facts>> };
  const fields = Object.fromEntries(
    Object.entries(asked).map(
      ([name, row]) => [terraformName(name), field(terraformName(name), row, properties)] as const,
    ),
  );
  return groupedInputs(fields).map(({ group, rows }, index) => {
    const page = { title: group?.title ?? "Inputs", ...guidesOf(stack, group?.guides ?? []) };
    const inGroup = Object.fromEntries(rows);
    if (index > 0) return { ...page, properties: inGroup };
    return { ...page, required: [...NAMES, "ring"], properties: { ...firstFields(inGroup), ring: RING } };
  });
}

function guidesOf(stack: string, guides: readonly string[]): Facts {
  if (guides.length === 0) return {};
  return { description: `See ${guides.map((guide) => `${stack}/guides/${guide}`).join(", ")} in the repository.` };
}

const RING = {
  title: "Ring",
  description: "Which upgrades the tenant gets: those of canary come first.",
  type: "string",
  enum: RINGS,
  default: RINGS[0],
};

/** The names, then the other inputs. The name of a tenant is also the name of its files, so it has no default. */
function firstFields(fields: Readonly<Record<string, Facts>>): Facts {
  const first = Object.fromEntries(NAMES.map((name) => [name, fields[name]]));
  const tenant = { ...without(fields.tenant_id, ["default"]), pattern: "^[a-z0-9][a-z0-9-]{0,19}$" };
  return { ...first, ...fields, tenant_id: tenant };
}

/** A form field with one type, where the schema accepts every type that Terraform converts. */
function field(name: string, row: Input, schemas: Readonly<Record<string, Facts>>): Facts {
  const { default: value, members } = row;
  const about = { title: titleOf(name), description: summaryOf(row) };
  if (members !== undefined) {
    const object = objectField(members, schemas[name] ?? {});
    if (value !== null) return { ...about, ...object };
    // Without defaults, because a form fills in the defaults of all shown members and would set every object.
    return {
      ...about,
      oneOf: [
        { title: "Not set", type: "null" },
        { title: "Set", ...object },
      ],
    };
  }
  const shape = shapeOf(row, schemas[name] ?? {});
  const isGiven = value !== undefined && value !== null;
  // A checkbox cannot show that it was left unset.
  const isBox = shape.type === "boolean" && !isGiven;
  return { ...about, ...shape, ...(isBox && { "ui:widget": "select" }), ...(isGiven && { default: value }) };
}

function objectField(members: Table, { properties, required }: Facts): Facts {
  const schemas = properties as Readonly<Record<string, Facts>>;
  const fields = Object.entries(members).map(([name, row]) => [
    terraformName(name),
    field(terraformName(name), row, schemas),
  ]);
  return {
    type: "object",
    ...((required as string[]).length > 0 && { required }),
    properties: Object.fromEntries(fields),
  };
}

/** Keywords of a value without members, for one of its types. */
function shapeOf(row: Input, schema: Facts): Facts {
  const { additionalProperties, items, propertyNames } = schema as Readonly<Record<string, Facts | undefined>>;
  if (row.entries !== undefined)
    return {
      type: "object",
      propertyNames,
      additionalProperties: objectField(row.entries, additionalProperties ?? {}),
    };
  if (row.type.startsWith("map")) {
    return {
      type: "object",
      ...(propertyNames && { propertyNames }),
      additionalProperties: plain(additionalProperties),
    };
  }
  if (!isList(row)) return plain(schema);
  const words = items?.enum !== undefined && { uniqueItems: true, "ui:widget": "checkboxes" };
  return { type: "array", items: plain(items), ...words };
}

/** Keywords of a text, a number or a switch. */
function plain(schema: Facts = {}): Facts {
  const { anyOf, enum: given, pattern, type } = schema;
  const words = ((anyOf as readonly Facts[] | undefined)?.[0]?.enum ?? given) as readonly unknown[] | undefined;
  if (words !== undefined) {
    const choices = words.filter((word) => word !== null);
    return { type: typeof choices[0], enum: choices };
  }
  const [first] = [type].flat();
  if (first === "boolean") return { type: "boolean" };
  const facts = without(schema, ["default", "description", "examples", "pattern", "type"]);
  if (first === "number") return { type: facts.multipleOf === 1 ? "integer" : "number", ...facts };
  return { type: "string", ...(pattern !== undefined && { pattern }), ...facts };
}

function without(facts: Facts = {}, names: readonly string[]): Facts {
  return Object.fromEntries(Object.entries(facts).filter(([name]) => !names.includes(name)));
}

/** Words with a different spelling in titles than in names. */
const SPELLED: Readonly<Record<string, string>> = {
  ca: "CA",
  cpu: "CPU",
  dns: "DNS",
  gb: "GB",
  geoip: "GeoIP",
  http: "HTTP",
  id: "ID",
  ipv6: "IPv6",
  kms: "KMS",
  smtp: "SMTP",
  vpc: "VPC",
  waf: "WAF",
};

function titleOf(name: string): string {
  const title = name
    .split("_")
    .map((word) => SPELLED[word] ?? word)
    .join(" ");
  return title.charAt(0).toUpperCase() + title.slice(1);
}

/** Steps for the answers, and the shown results. */
function work(stack: string, asked: Table): Facts {
  const tenant = "${{ parameters.tenant_id }}";
  const account = (name: string) => `${name}@\${{ parameters.project_id }}.iam.gserviceaccount.com`;
  const entry = {
    ring: "${{ parameters.ring }}",
    folder: stack,
    planner: account("planner"),
    deployer: account("deployer"),
  };
  const steps = [
    {
      id: "tenant",
      name: "Write the file of the tenant",
      action: "fetch:template:file",
      input: {
        url: "./form-tenant.tfvars.json.njk",
        targetPath: `tenants/${tenant}.tfvars.json`,
        values: { folder: stack, inputs: "${{ parameters }}", rows: rowsOf(asked) },
      },
    },
    {
      id: "fleet",
      name: "Read the list of tenants",
      action: "fetch:plain:file",
      input: { url: "./fleet.json", targetPath: "fleet.json" },
    },
    {
      id: "entry",
      name: "Add the tenant to the list",
      action: "roadiehq:utils:json:merge",
      // Written as a text, because the scaffolder can fill in values but not names.
      input: { path: "fleet.json", content: JSON.stringify({ tenants: { [tenant]: entry } }) },
    },
    {
      id: "publish",
      name: "Open a pull request",
      action: "publish:github:pull-request",
      input: {
        repoUrl: "github.com?owner=my-organization&repo=my-fleet",
        branchName: `tenant-${tenant}`,
        title: `Add the tenant ${tenant}`,
        description: "The plan of the tenant is among the checks. A merge applies it, after the approval of its ring.",
      },
    },
  ];
  return { steps, output: { links: [{ title: "Pull request", url: "${{ steps.publish.output.remoteUrl }}" }] } };
}

/** Content of a tenant's file after the project. Values that equal the given defaults are left out. */
function rowsOf(asked: Table): Facts {
  const named = Object.fromEntries(Object.entries(asked).map(([name, row]) => [terraformName(name), row]));
  const rows = groupedInputs(named).flatMap((group) => group.rows.filter(([name]) => name !== "project_id"));
  return Object.fromEntries(
    rows.map(([name, row]) => [
      name,
      { ...(!NAMES.includes(name) && fallbackOf(row)), ...(row.members && { members: fallbacksOf(row.members) }) },
    ]),
  );
}

function fallbacksOf(members: Table): Facts {
  return Object.fromEntries(Object.entries(members).map(([name, row]) => [terraformName(name), fallbackOf(row)]));
}

/** A null is never written, so it needs no fallback. A form turns an untouched list into an empty one. */
function fallbackOf({ default: value, type }: Input): Facts {
  if (value === null && isList({ type })) return { fallback: [] };
  return value === undefined || value === null ? {} : { fallback: value };
}
