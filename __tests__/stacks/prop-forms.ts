import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import {
  DataTerraformRemoteStateLocal,
  type IResolvable,
  TerraformHclModule,
  TerraformResource,
  TerraformVariable,
} from "cdktf";
import { type Construct } from "constructs";

import { ServerlessIdentityProvider } from "../../lib";
import { isPlainObject } from "../../lib/core/expr/expr";
import { InputVariable } from "../../lib/core/inputs/input-variable";
import { type Input, type Table } from "../../lib/core/inputs/rows";
import { terraformName } from "../../lib/core/inputs/rules";
import { RulesBrokenError } from "../../lib/core/inputs/rules-broken-error";
import { KubernetesIdentityProvider } from "../../lib/kubernetes";
import { KUBERNETES_INPUTS } from "../../lib/kubernetes-identity-provider";
import { AssessmentLab } from "../../lib/lab";
import { LAB } from "../../lib/lab/lab-inputs";
import { SERVERLESS_INPUTS } from "../../lib/serverless-identity-provider";
import { type BareStack, bareStack, type Terraform, terraformOf } from "../support/synthesis";
import { bareLabStack } from "./lab-stack";
import { kubernetesProps, labProps, serverlessProps } from "./literal-programs";

/** What a program may give in the place of a literal. */
export const FORMS = ["template", "attribute", "output", "data", "variable", "resource"] as const;
export type Form = (typeof FORMS)[number];

type Props = Readonly<Record<string, unknown>>;

/** A prop, or a member of one. */
export interface Place {
  /** As a caller spells it. */
  readonly name: string;
  readonly path: readonly string[];
  readonly row: Input;
}

/** A construct, with literals for all of its props. */
export interface Subject {
  readonly name: string;
  readonly table: Table;
  readonly stack: () => BareStack;
  readonly make: (scope: Construct, props: object) => unknown;
  readonly literals: (stack: BareStack) => Props;
  /** Where a program gives an input, where it is no prop of that name; undefined for one that it does not give. */
  readonly elsewhere: Readonly<Record<string, readonly string[] | undefined>>;
  /** Props that contradict, or leave out, others of the literals, with what each needs in the smallest program. */
  readonly apart: Readonly<Record<string, Props>>;
}

const BACKUP_PLAN = "projects/backups/locations/us-central1/backupPlans/daily";

const account = (name: string) => `idp-${name}@shared-accounts.iam.gserviceaccount.com`;

/** Members that the literals leave out. */
const MORE_LITERALS: Props = {
  "existingServiceAccounts.job": account("job"),
  "existingServiceAccounts.dump": account("dump"),
  "existingServiceAccounts.checkUp": account("check-up"),
  "existingServiceAccounts.signInProbe": account("sign-in-probe"),
  "existingServiceAccounts.recovery": account("recovery"),
  "existingServiceAccounts.build": account("build"),
  "existingServiceAccounts.scheduler": account("scheduler"),
  "existingServiceAccounts.nodes": account("nodes"),
  "aws.accessKeyId": "AKIAIOSFODNN7EXAMPLE",
  "aws.secretAccessKey": "s".repeat(40),
  bootstrapPassword: "first-password-1",
  "kmsKeys.projectNumber": "1234567890",
};

const KEY = { secretId: "shared", version: 2 };
const ON_NETWORK = { network: ["network", "network"], subnetwork: ["network", "subnetwork"] };

const EXISTING_DATABASE = {
  connectionName: "shared-data:us-central1:shared",
  database: "sign_in",
  user: "sign_in",
  passwordSecret: KEY,
  administrator: { user: "administrator", secret: KEY },
  maxConnections: 500,
};

const EXISTING_CLUSTER = {
  name: "shared",
  location: "us-central1",
  endpoint: "203.0.113.9",
  autopilot: true,
  caCertificate: Buffer.from("-----BEGIN CERTIFICATE-----\n").toString("base64"),
  nodeAccount: "nodes@shared-accounts.iam.gserviceaccount.com",
};

const SECURITY_POLICY = "projects/shared/global/securityPolicies/sign-in";

const NETWORK = {
  network: "projects/demo-project/global/networks/main",
  subnetwork: "projects/demo-project/regions/us-central1/subnetworks/main",
};

/** What contradicts others in all of the literals, with what it needs. */
const APART_IN_BOTH: Subject["apart"] = {
  existingBackupPlan: { existingBackupPlan: BACKUP_PLAN, backupBeforeUpgrade: false },
  // The deployment of the literals may be destroyed, which a lock forbids.
  dumps: {
    dumps: { schedule: "30 2 * * *", atApply: true, retentionDays: 90, lockDays: 400, copyBucket: "acme-backups" },
  },
  existingDatabase: { existingDatabase: EXISTING_DATABASE },
  existingSecurityPolicy: { domain: "sign-in.example.com", existingSecurityPolicy: SECURITY_POLICY },
};

const PROVIDERS = ["google", "kubernetes", "random"] as const;

export const SUBJECTS: readonly Subject[] = [
  {
    name: "ServerlessIdentityProvider",
    table: SERVERLESS_INPUTS,
    stack: () => bareStack({ providers: PROVIDERS }),
    make: (scope, props) => new ServerlessIdentityProvider(scope, "Idp", props as never),
    literals: serverlessProps,
    elsewhere: ON_NETWORK,
    apart: {
      ...APART_IN_BOTH,
      existingContainerImage: { existingContainerImage: "registry.example.com/idp:2026.5.4" },
      loadBalancerProxyRange: {
        domain: "sign-in.example.com",
        network: NETWORK,
        closeDefaultAddress: true,
        loadBalancer: "internal",
        loadBalancerProxyRange: "10.129.0.0/26",
      },
      standby: {
        domain: "sign-in.example.com",
        network: NETWORK,
        standby: {
          region: "us-east1",
          promoted: true,
          number: 2,
          subnetwork: "projects/demo-project/regions/us-east1/subnetworks/main",
          dualRegionBuckets: true,
          turboReplication: true,
        },
      },
    },
  },
  {
    name: "KubernetesIdentityProvider",
    table: KUBERNETES_INPUTS,
    stack: () => bareStack({ providers: PROVIDERS }),
    make: (scope, props) => new KubernetesIdentityProvider(scope, "Idp", props as never),
    literals: kubernetesProps,
    elsewhere: ON_NETWORK,
    apart: {
      ...APART_IN_BOTH,
      // The image of the literals is not built.
      applicationVersion: { applicationVersion: "2025.12.1" },
      build: {
        build: { location: "europe-west1", pool: "projects/builders/locations/us-central1/workerPools/private" },
      },
      existingRepository: {
        existingRepository: { imagePrefix: "europe-docker.pkg.dev/shared-images/idp", location: "europe" },
      },
      existingCluster: { existingCluster: EXISTING_CLUSTER },
      existingNamespace: { existingCluster: EXISTING_CLUSTER, existingNamespace: { name: "sign-in" } },
    },
  },
  {
    name: "AssessmentLab",
    table: LAB,
    stack: bareLabStack,
    make: (scope, props) => new AssessmentLab(scope, "Lab", props as never),
    literals: (stack) => {
      // The lab counts on the id, for which an ephemeral value is no use.
      const secret = (name: string) =>
        new InputVariable(stack, name, { type: "string", description: "", sensitive: true });
      const aws = { accessKeyId: secret("id").stringValue, secretAccessKey: secret("secret").stringValue };
      return { ...labProps(stack), aws: { ...aws, region: "eu-west-1" } };
    },
    elsewhere: {
      cloudbAccessKeyId: ["aws", "accessKeyId"],
      cloudbSecretAccessKey: ["aws", "secretAccessKey"],
      cloudbRegion: ["aws", "region"],
      rdpSourceRanges: ["sourceRanges", "rdp"],
      // Its folder takes it for compatibility, and does nothing with it.
      tenantId: undefined,
    },
    // On a network that exists, its owner makes the rules.
    apart: { createDefaultFirewallRules: { createDefaultFirewallRules: true } },
  },
];

/** All props of a construct, and the members of those that are objects. */
export function placesOf({ elsewhere, table }: Subject): Place[] {
  const placesIn = (rows: Table, around: readonly string[]): Place[] =>
    Object.entries(rows).flatMap(([name, row]) => {
      const moved = around.length === 0 && name in elsewhere;
      const path = moved ? elsewhere[name] : [...around, name];
      if (path === undefined) return [];
      return [{ name: path.join("."), path, row }, ...placesIn(row.members ?? {}, path)];
    });
  return placesIn(table, []);
}

/** Whether a prop can be given in a form: text is around text only, and few props take a resource. */
export function canBe({ row }: Place, form: Form): boolean {
  if (form === "resource") return row.reads !== undefined;
  return form !== "template" || row.type === "string";
}

const isObject = (value: unknown): value is Props => isPlainObject(value) && !Array.isArray(value);

const valueAt = (props: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), props);

/** Props with another value at a path. */
export function withValueAt(props: Props, [name = "", ...rest]: readonly string[], value: unknown): Props {
  if (rest.length === 0) return { ...props, [name]: value };
  const inner = props[name];
  return { ...props, [name]: withValueAt(isObject(inner) ? inner : {}, rest, value) };
}

/** A literal for a prop: that of the program, its default, its example, or what another member of the object has. */
function literalOf(props: Props, { name, path, row }: Place): unknown {
  const around = valueAt(props, path.slice(0, -1));
  const others = isObject(around) && path.length > 1 ? Object.values(around) : [];
  const plain = { string: "string", number: "number", bool: "boolean" }[row.type];
  const fitting = others.find((each) =>
    plain === undefined ? Array.isArray(each) === row.type.startsWith("list(") : typeof each === plain,
  );
  return MORE_LITERALS[name] ?? valueAt(props, path) ?? row.default ?? row.example ?? fitting ?? FALLBACKS[row.type];
}

/** A value as the only one of a list or a map, or itself. */
export function inCollection({ entries, type }: Input, value: unknown): unknown {
  if (type.startsWith("list(")) return [value];
  return entries === undefined ? value : { IDP_X: value };
}

const FALLBACKS: Readonly<Record<string, unknown>> = {
  string: "some",
  number: 3,
  bool: true,
  "list(string)": ["some"],
};

/** A literal with members under Terraform's names. */
function inTerraform({ entries, members }: Input, value: unknown): unknown {
  if (!isObject(value)) return value;
  if (entries !== undefined) {
    const entry: Input = { type: "object", description: "", members: entries };
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, inTerraform(entry, each)]));
  }
  if (members === undefined) return value;
  const all = Object.entries(members).map(([name, row]) => [name, row, value[name] ?? row.default ?? null] as const);
  return Object.fromEntries(all.map(([name, row, each]) => [terraformName(name), inTerraform(row, each)]));
}

/** A literal as an expression of its type. */
function typed({ type }: Input, value: unknown): unknown {
  const text = JSON.stringify(value).replaceAll(/[$%](?=\{)/g, (marker) => marker + marker);
  if (type.startsWith("list(")) return `\${tolist(${text})}`;
  return type.startsWith("map(") ? `\${tomap(${text})}` : value;
}

/** As the state has it. */
function typeOf({ type }: Input, value: unknown): unknown {
  if (Array.isArray(value)) return ["list", "string"];
  if (value === null) return "string";
  if (type === "map(string)") return ["map", "string"];
  if (!isObject(value))
    return type === "string" ? "string" : ({ boolean: "bool" }[typeof value as string] ?? typeof value);
  return [
    "object",
    Object.fromEntries(Object.entries(value).map(([key, each]) => [key, typeOf({ type: "", description: "" }, each)])),
  ];
}

/** What a program refers to, in a stack. */
export class Others {
  readonly inputs: Record<string, unknown> = {};
  readonly addresses = new Map<string, string>();
  private readonly outputs: Record<
    string,
    { readonly row: Input; readonly value: unknown; readonly isKnown: boolean }
  > = {};
  private module?: TerraformHclModule;
  private state?: DataTerraformRemoteStateLocal;

  /** @param known names of props that the module's output must have a known value for */
  constructor(
    private readonly stack: BareStack,
    private readonly known: ReadonlySet<string>,
  ) {}

  /** A token for a value of a prop. */
  given(place: Place, form: Form, id: string, literal: unknown): unknown {
    const { row } = place;
    const value = inTerraform(row, literal);
    if (form === "template") return `form-${String(this.given(place, "attribute", id, literal))}`;
    if (form === "variable") return this.ofVariable(place, id, value);
    if (form === "resource") return this.resource(place, id);
    this.outputs[id] = { row, value, isKnown: this.known.has(place.name) };
    if (form === "attribute") {
      const resource = new TerraformResource(this.stack, id, { terraformResourceType: "terraform_data" });
      resource.addOverride("input", typed(row, value));
      this.addresses.set(place.name, `terraform_data.${id}.output`);
      if (row.type === "string") return resource.getStringAttribute("output");
      if (row.type === "number") return resource.getNumberAttribute("output");
      if (row.type === "list(string)") return resource.getListAttribute("output");
      return resource.interpolationForAttribute("output");
    }
    this.addresses.set(
      place.name,
      form === "output" ? `module.others.${id}` : `data.terraform_remote_state.others.outputs.${id}`,
    );
    const source =
      form === "output"
        ? (this.module ??= new TerraformHclModule(this.stack, "others", {
            source: "./others",
            skipAssetCreationFromLocalModules: true,
          }))
        : (this.state ??= new DataTerraformRemoteStateLocal(this.stack, "others", { path: "others.json" }));
    if (row.type === "string") return source.getString(id);
    if (row.type === "number") return source.getNumber(id);
    if (row.type === "list(string)") return source.getList(id);
    return source.get(id) as unknown;
  }

  /** A resource of a type that may stand for the value, or for each of it. */
  private resource({ name, row }: Place, id: string): unknown {
    const [type = ""] = Object.keys(row.reads ?? {});
    this.addresses.set(name, `${type}.${id}`);
    return inCollection(row, new TerraformResource(this.stack, id, { terraformResourceType: type }));
  }

  private ofVariable({ name, row }: Place, id: string, value: unknown): unknown {
    const { ephemeral = false, sensitive = false, type } = row;
    const variable = ephemeral
      ? new InputVariable(this.stack, id, { type, description: "", ephemeral, sensitive })
      : new TerraformVariable(this.stack, id, { type, sensitive });
    this.addresses.set(name, `var.${id}`);
    this.inputs[id] = value;
    if (type === "string") return variable.stringValue;
    if (type === "number") return variable.numberValue;
    return type === "list(string)" ? variable.listValue : (variable.value as IResolvable);
  }

  /** Writes the module and the state beside a synthesized stack. */
  write(folder: string): void {
    const entries = Object.entries(this.outputs);
    const resources = entries.map(([id, { row, value }]): [string, unknown] => [id, { input: typed(row, value) }]);
    const module = {
      resource: { terraform_data: Object.fromEntries(resources) },
      output: Object.fromEntries(
        entries.map(([id, { isKnown, row, value }]) => [
          id,
          { value: isKnown ? typed(row, value) : `\${terraform_data.${id}.output}` },
        ]),
      ),
    };
    mkdirSync(join(folder, "others"));
    if (entries.length > 0) writeFileSync(join(folder, "others", "main.tf.json"), JSON.stringify(module));
    const values = entries.map(([id, { row, value }]): [string, unknown] => [id, { value, type: typeOf(row, value) }]);
    const state = { version: 4, terraform_version: "1.11.0", serial: 1, lineage: "others", resources: [] };
    writeFileSync(join(folder, "others.json"), JSON.stringify({ ...state, outputs: Object.fromEntries(values) }));
  }
}

/** Name of the groups of all that does not contradict another. */
export const TOGETHER = "what can stand together";

/** Props that can stand together, in a program that has literals for the rest. */
export interface Group {
  readonly name: string;
  readonly places: readonly Place[];
  readonly props: (stack: BareStack) => Props;
}

/** All places of a construct, each in one group: an object as a whole cannot stand beside its members. */
export function groupsOf(subject: Subject): Group[] {
  const places = placesOf(subject);
  const tops = [undefined, ...Object.keys(subject.apart)];
  return tops.flatMap((top) => {
    const props = (stack: BareStack) => {
      const all = subject.literals(stack);
      return top === undefined ? all : { projectId: all.projectId, ...subject.apart[top] };
    };
    const own = places.filter(({ path: [first = ""] }) => (first in subject.apart ? first : undefined) === top);
    const depths = [...new Set(own.filter(isWhole).map(({ path }) => path.length))];
    const what = top ?? TOGETHER;
    return [
      { name: what, places: own.filter((each) => !isWhole(each)), props },
      ...depths.map((depth) => {
        const atDepth = own.filter((each) => isWhole(each) && each.path.length === depth);
        return { name: `${what}, objects at depth ${depth}`, places: atDepth, props };
      }),
    ].filter((group) => group.places.length > 0);
  });
}

const isWhole = ({ row }: Place): boolean => row.members !== undefined;

/** A program, and what the construct says of its props. */
export interface Synthesized {
  readonly stack: BareStack;
  readonly terraform: Terraform;
  readonly others: Others;
  /** What is refused at synthesis, by the name of the prop. */
  readonly refused: ReadonlyMap<string, string>;
}

/**
 * Synthesizes a program that gives a group of props in a form, without those that are refused in this form.
 *
 * @throws RulesBrokenError that names none of them
 */
export function synthesized(
  subject: Subject,
  { places, props }: Group,
  form: Form | undefined,
  refused = new Map<string, string>(),
): Synthesized {
  const stack = subject.stack();
  const group = { name: "", places, props };
  const others = new Others(
    stack,
    new Set(form === "output" ? synthesized(subject, group, "attribute").refused.keys() : []),
  );
  const literals = props(stack);
  const given = places.reduce((all, place, index) => {
    const literal = literalOf(literals, place);
    const isLeft = form === undefined || refused.has(place.name) || !canBe(place, form);
    if (isLeft && valueAt(literals, place.path) !== undefined) return all;
    return withValueAt(all, place.path, isLeft ? literal : others.given(place, form, `form${index}`, literal));
  }, literals);
  try {
    subject.make(stack, given);
    return { stack, others, refused, terraform: terraformOf(stack) };
  } catch (error) {
    const failures = failuresOf(error);
    const named = places.flatMap((place): [string, string][] => {
      const failure = failures.find((each) => each.includes(place.name));
      return failure === undefined || refused.has(place.name) || form === undefined ? [] : [[place.name, failure]];
    });
    if (named.length === 0) throw error;
    return synthesized(subject, group, form, new Map([...refused, ...named]));
  }
}

/** What a construct refuses when it is made, and at synthesis. */
function failuresOf(error: unknown): readonly string[] {
  if (error instanceof RulesBrokenError) return error.failures;
  const { message } = error as Error;
  return message.startsWith("Validation failed") ? message.split("\n") : [];
}

/** The text of what a plan makes, without what only judges its values, or refers to nothing that is made. */
export function usedText({ locals = {}, resource = {}, ...others }: Terraform): string {
  const { terraform_data: ofTerraform = {}, ...rest } = resource;
  const kept = Object.entries(ofTerraform).filter(([name]) => !name.endsWith("_inputs"));
  let text = JSON.stringify([{ ...others, check: undefined }, rest, Object.fromEntries(kept)]);
  let left = Object.entries(locals);
  for (;;) {
    const used = left.filter(([name]) => new RegExp(`local[.]${name}(?![\\w-])`).test(text));
    if (used.length === 0) return text;
    left = left.filter((each) => !used.includes(each));
    text += JSON.stringify(used);
  }
}
