import * as ts from "typescript";

import { KUBERNETES_INPUTS } from "../../lib/kubernetes-identity-provider";
import { LAB } from "../../lib/lab/lab-inputs";
import { SERVERLESS_INPUTS } from "../../lib/serverless-identity-provider";
import { temporaryFolder } from "../support/temporary-folder";
import { Editor, ENTRIES } from "./editor";

type Entry = keyof typeof ENTRIES;

/** Props of the constructs, and the inputs of a stack that a program gives in another way, or not at all. */
const PROPS: readonly [type: string, entry: Entry, inputs: object, others: readonly string[]][] = [
  ["ServerlessIdentityProviderProps", "index", SERVERLESS_INPUTS, ["subnetwork"]],
  ["KubernetesIdentityProviderProps", "kubernetes", KUBERNETES_INPUTS, ["subnetwork"]],
  [
    "AssessmentLabProps",
    "lab",
    LAB,
    ["tenantId", "cloudbAccessKeyId", "cloudbRegion", "cloudbSecretAccessKey", "rdpSourceRanges"],
  ],
];

const SERVERLESS = "index.ServerlessIdentityProviderProps";
const KUBERNETES = "kubernetes.KubernetesIdentityProviderProps";

/** Objects with one wrong member each, by the prop that they are given to. */
const MISSPELT: readonly [props: string, prop: string, object: string][] = [
  [SERVERLESS, "alerts", '{ "service-down": { treshold: 1 } }'],
  [SERVERLESS, "checkUpLimits", "{ taskLateSecond: 1 }"],
  [SERVERLESS, "denyMaintenancePeriod", '{ startDate: "", endDate: "", time: "" }'],
  [SERVERLESS, "dnsZone", '{ name: "", projectId: "" }'],
  [SERVERLESS, "existingBucket", '{ name: "", location: "" }'],
  [SERVERLESS, "existingDatabase", '{ connectionName: "", database: "", username: "" }'],
  [SERVERLESS, "existingRepository", '{ imagePrefix: "", location: "", project: "" }'],
  [SERVERLESS, "existingSecrets", '{ secretKey: { secretId: "", version: 1, project: "" } }'],
  [SERVERLESS, "existingSecrets", "{ secretkey: undefined }"],
  [SERVERLESS, "existingServiceAccounts", '{ server: "" }'],
  [SERVERLESS, "kmsKeys", '{ buckets: "" }'],
  [SERVERLESS, "livenessProbe", "{ period: 1 }"],
  [SERVERLESS, "maintenanceWindow", "{ days: 6, hour: 3 }"],
  [SERVERLESS, "network", '{ network: "", subnetwork: "", egress: "" }'],
  [SERVERLESS, "network", '{ network: "", subnetwork: "", tags: [] }'],
  [SERVERLESS, "notificationChannelsBySeverity", "{ warn: [] }"],
  [SERVERLESS, "protection", "{ banSecond: 1 }"],
  [SERVERLESS, "secretEnvironmentVariables", '{ X: { secretId: "", version: 1, project: "" } }'],
  [SERVERLESS, "smtp", '{ host: "", from: "", user: "" }'],
  [SERVERLESS, "startupProbe", "{ periodSecond: 1 }"],
  [KUBERNETES, "clusterHardening", '{ group: "" }'],
  [KUBERNETES, "existingCluster", '{ name: "", location: "", endpoint: "", certificate: "" }'],
  [KUBERNETES, "existingNamespace", '{ name: "", labels: {} }'],
  [KUBERNETES, "geoip", '{ accountId: 1, licenseKeySecret: { secretId: "", version: 1 }, hours: 1 }'],
  ["lab.AssessmentLabProps", "aws", '{ accessKeyId: "", secretAccessKey: "", zone: "" }'],
  ["lab.AssessmentLabProps", "sourceRanges", "{ https: [] }"],
  ["index.PostgresqlDatabaseProps", "existing", '{ connection: "" }'],
  ["index.PostgresqlDatabaseProps", "maintenanceWindow", "{ days: 6 }"],
  ["index.PostgresqlDatabaseProps", "network", '{ network: "", subnetwork: "", tag: [] }'],
  ["index.MediaBucketProps", "existing", '{ names: "" }'],
  ["index.IdentityProviderContainerProps", "smtp", '{ host: "", from: "", user: "" }'],
];

/** Longer than any name, and shorter than a table. */
const LONGEST_HOVER = 300;

describe("An editor of a program with the packed library", () => {
  let editor: Editor;

  beforeAll(() => {
    editor = new Editor(temporaryFolder());
  });

  /** Objects of the library that a type is or has, without those that only a token stands for. */
  function objectsIn(type: ts.Type): ts.Type[] {
    if (type.isUnion()) return type.types.flatMap(objectsIn);
    const entries = editor.checker.getIndexTypeOfType(type, ts.IndexKind.String);
    if (entries !== undefined && entries !== type) return objectsIn(entries);
    return editor.checker.getPropertiesOfType(type).some((each) => editor.isOwn(each)) ? [type] : [];
  }

  /** All props of a type and of the objects in it, by their paths. */
  function propsOf(type: ts.Type, prefix = ""): [path: string, prop: ts.Symbol][] {
    return editor.checker.getPropertiesOfType(type).flatMap((prop): [string, ts.Symbol][] => {
      const path = `${prefix}${prop.name}`;
      const nested = objectsIn(editor.checker.getTypeOfSymbol(prop)).filter((each) => !isPart(each));
      return [[path, prop], ...nested.flatMap((each) => propsOf(each, `${path}.`))];
    });
  }

  /** Whether a type has methods, as a construct has, and so is nothing that a program writes down. */
  function isPart(type: ts.Type): boolean {
    return editor.checker
      .getPropertiesOfType(type)
      .some((each) => editor.checker.getTypeOfSymbol(each).getCallSignatures().length > 0);
  }

  const textOf = (prop: ts.Symbol) => ts.displayPartsToString(prop.getDocumentationComment(editor.checker));

  it.each(PROPS)("shows a comment of every prop of %s, and of every member", (name, entry, inputs, others) => {
    const props = propsOf(editor.typeOf(entry, name));
    const names = Object.keys(inputs).filter((each) => !others.includes(each));
    expect(props.map(([path]) => path)).toEqual(expect.arrayContaining(names));
    expect(props.filter(([, prop]) => textOf(prop) === "").map(([path]) => path)).toEqual([]);
  });

  it("underlines every misspelt member of an object", () => {
    const lines = MISSPELT.map(
      ([props, prop, object], index) => `export const it${index}: Partial<${props}> = { ${prop}: ${object} };`,
    );
    editor.write(lines.join("\n"));
    const problems = editor.problems();
    expect(problems.map((each) => each.replace(/(TS2353|TS2561): Object literal may only.*$/, "$1"))).toEqual(
      lines.map((line) => expect.stringMatching(new RegExp(`^${escaped(line)}: TS(2353|2561)$`)) as unknown),
    );
  });

  it("shows names rather than all inputs", () => {
    const props = PROPS.flatMap(([name, entry]) => {
      const type = editor.typeOf(entry, name);
      const paths = propsOf(type).map(([path]) => path);
      return [`declare const ${entry}Props: ${entry}.${name}`].concat(
        paths.filter((path) => !path.includes(".")).map((path) => `${entry}Props.${path}`),
      );
    });
    const members = exported(ts.SymbolFlags.Class).flatMap(([entry, name, type]) => [
      `declare const ${name}It: ${entry}.${name}`,
      ...membersOf(type).map((member) => `${name}It.${member.name}`),
      ...type.getConstructSignatures().map(() => `new ${entry}.${name}`),
    ]);
    editor.write([...props, ...members].join("\n"));
    const shown = editor.shown();
    expect(shown.length).toBeGreaterThan(400);
    expect(shown.filter(([, text]) => text === "" || text.length > LONGEST_HOVER)).toEqual([]);
  });

  it("can write the type of whatever a public property returns", () => {
    const lines = reachable();
    editor.write(lines.join("\n"));
    expect(lines.length).toBeGreaterThan(100);
    expect(editor.problems()).toEqual([]);
  });

  /** All types of a kind that can be imported, with their entries; a class of which only the type can be is one. */
  function exported(kind: ts.SymbolFlags): [entry: Entry, name: string, type: ts.Type][] {
    return (Object.keys(ENTRIES) as Entry[]).flatMap((entry) =>
      editor
        .exportsOf(entry)
        .filter(({ flags }) => flags & kind)
        .map((each): [Entry, string, ts.Type] => [entry, each.name, editor.checker.getDeclaredTypeOfSymbol(each)]),
    );
  }

  /** Public members of a type that the library declares. */
  function membersOf(type: ts.Type): readonly ts.Symbol[] {
    const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
    return editor.checker
      .getPropertiesOfType(type)
      .filter((each) => editor.isOwn(each))
      .filter(({ valueDeclaration: of }) => of === undefined || !(ts.getCombinedModifierFlags(of) & hidden));
  }

  /** Functions of a program that return what is reachable from what is exported, each type once. */
  function reachable(): string[] {
    const lines = ["declare const given: any;"];
    const seen = new Set<ts.Type>();
    const visit = (of: string, path: string, type: ts.Type) => {
      // A generic class has the same members whatever its arguments are, and may return itself of others.
      const { target = type } = type as Partial<ts.TypeReference>;
      if (seen.has(target)) return;
      seen.add(target);
      for (const member of membersOf(type)) {
        const value = editor.checker.getNonNullableType(editor.checker.getTypeOfSymbol(member));
        const [method] = value.getCallSignatures();
        const given = method?.parameters.map(() => "given").join(", ");
        const returned = `${path}.${member.name}!${given === undefined ? "" : `(${given})`}`;
        lines.push(`export const by${lines.length} = (it: ${of}) => ${returned};`);
        const next = editor.checker.getNonNullableType(method?.getReturnType() ?? value);
        // Of a union, which has a member is not known, and its types are visited where they are exported.
        if (!next.isUnion()) for (const each of objectsIn(next)) visit(of, `${returned}!`, each);
      }
    };
    for (const [entry, name, type] of exported(ts.SymbolFlags.Type)) visit(`${entry}.${name}`, "it", type);
    return lines;
  }
});

const escaped = (text: string) => text.replaceAll(/[\^$.*+?()[\]{}|]/g, "\\$&");
