import { AssessmentLab, type AssessmentLabProps } from "../../lib/lab";
import { ASSESSMENT_LAB_RULES } from "../../lib/lab/lab-rules";
import { InputVariable } from "../../lib/core/input-variable";
import { camelCase } from "../../stacks/inputs/object-type";
import { bareLabStack, literalLab } from "../stacks/lab-stack";
import { REFUSED_BY_LAB } from "../stacks/refused-inputs";
import { type Inputs } from "../stacks/terraform-run";
import { brokenRules } from "../support/broken-rules";
import { fc } from "../support/seeded-cases";

/** A name or a text in the words of somebody who calls the construct. */
const asProp = (name: string) =>
  ({ cloudb_region: "aws.region", rdp_source_ranges: "sourceRanges.rdp" })[name] ?? camelCase(name);

/** Props of inputs; the place of a region of AWS is among its credentials. */
const propsOf = (inputs: Inputs): Partial<AssessmentLabProps> =>
  Object.assign(
    {},
    ...Object.entries(inputs).map(([name, value]) => {
      const [prop = "", member] = asProp(name).split(".");
      return { [prop]: member === undefined ? value : { accessKeyId: "", secretAccessKey: "", [member]: value } };
    }),
  ) as Partial<AssessmentLabProps>;

type Case = readonly [behaviour: string, props: Partial<AssessmentLabProps>, failures: readonly string[]];

/** What is refused as an input and as a prop; only the stack has a tenant, and AWS is given otherwise. */
const REFUSED_AS_INPUTS = [...REFUSED_BY_LAB.alone, ...REFUSED_BY_LAB.together].flatMap(
  ([behaviour, inputs]): Case[] => {
    const names = Object.keys(inputs);
    return /tenant_id|cloudb_.*key/.test(names.join()) ? [] : [[behaviour, propsOf(inputs), names.map(asProp)]];
  },
);

const RULE_OF_SOURCES =
  "it must have at least one IPv4 range, each beginning with its first address, because a firewall rule without a source allows any; set one, for example 203.0.113.7/32";
const RULE_OF_LITERALS =
  "is a literal; it must be an input, because a literal can be read in the synthesized folder; pass a sensitive input, or an empty string for no AWS";
const RULE_OF_BOTH =
  "only one of aws.accessKeyId and aws.secretAccessKey is given; a request is signed with both; set both, or neither";

const REFUSED: readonly Case[] = [
  [
    "rules without a source, and with one that is none",
    { sourceRanges: { internal: [], ssh: [], rdp: ["203.0.113.7"], icmp: [], http: ["fd00::/8"] } },
    [
      `sourceRanges.internal is []; ${RULE_OF_SOURCES}`,
      `sourceRanges.ssh is []; ${RULE_OF_SOURCES}`,
      `sourceRanges.rdp is ["203.0.113.7"]; ${RULE_OF_SOURCES}`,
      `sourceRanges.icmp is []; ${RULE_OF_SOURCES}`,
      `sourceRanges.http is ["fd00::/8"]; ${RULE_OF_SOURCES}`,
    ],
  ],
  [
    "half of the credentials of AWS as a literal, without showing it",
    { aws: { accessKeyId: "AKIAEXAMPLE", secretAccessKey: "" } },
    [`aws.accessKeyId ${RULE_OF_LITERALS}`, RULE_OF_BOTH],
  ],
  [
    "a literal secret of AWS, without showing it",
    { aws: { accessKeyId: "", secretAccessKey: "example" } },
    [`aws.secretAccessKey ${RULE_OF_LITERALS}`, RULE_OF_BOTH],
  ],
];

describe("AssessmentLab refuses", () => {
  it.each(REFUSED)("%s", (_behaviour, props, failures) => {
    expect(() => literalLab(props)).toThrow(brokenRules("test/Lab", failures));
  });

  it.each(REFUSED_AS_INPUTS)("%s", (_behaviour, props, names) => {
    const refused = expect(() => literalLab(props));
    refused.toThrow(new RegExp(`^test/Lab: .*\n  - .*\\b(${names.join("|")})\\b`));
    refused.not.toThrow("unsaid");
  });

  it("by every rule", () => {
    const broken = ASSESSMENT_LAB_RULES.filter((rule) =>
      [...REFUSED, ...REFUSED_AS_INPUTS].some(([, props]) => !rule.holds({ projectId: "demo-project", ...props })),
    );
    expect(broken).toHaveLength(ASSESSMENT_LAB_RULES.length);
  });
});

describe("AssessmentLab accepts", () => {
  it.each<readonly [string, Partial<AssessmentLabProps>]>([
    ["a small Windows disk where there is no Windows VM", { createWindowsVm: false, windowsVmBootDiskSizeGb: 10 }],
    ["a small Linux disk where there is no Linux VM", { linuxVmCount: 0, linuxVmBootDiskSizeGb: 1 }],
    [
      "Arm machine types where there is no VM of the kind",
      {
        createWindowsVm: false,
        windowsVmMachineType: "c4a-standard-4",
        linuxVmCount: 0,
        linuxVmMachineType: "t2a-standard-2",
      },
    ],
    ["empty credentials of AWS", { aws: { accessKeyId: "", secretAccessKey: "" } }],
    ...["us-gov-west-1", "cn-northwest-1", "us-isob-east-1", "eusc-de-east-1"].map(
      (region) => [`AWS region ${region}`, { aws: { accessKeyId: "", secretAccessKey: "", region } }] as const,
    ),
    ["a zone of another region when that region is given", { region: "europe-west1", zone: "europe-west1-d" }],
    ["a range of one address", { sourceRanges: { rdp: ["203.0.113.7/32"] } }],
    ["a rule that is left out by name", { sourceRanges: { rdp: undefined } }],
    ["any address as source, in writing", { sourceRanges: { http: ["0.0.0.0/0"] } }],
  ])("%s", (_behaviour, props) => {
    expect(() => literalLab(props)).not.toThrow();
  });

  it("whatever only Terraform knows, which the inputs' own rules judge at plan", () => {
    const stack = bareLabStack();
    const text = new InputVariable(stack, "text", { type: "string", description: "Anything." }).stringValue;
    const size = new InputVariable(stack, "size", { type: "number", description: "Anything." }).numberValue;
    const isOn = new InputVariable(stack, "is_on", { type: "bool", description: "Anything." }).booleanValue;
    expect(
      () =>
        new AssessmentLab(stack, "Lab", {
          projectId: text,
          assessDiscoveryClientName: text,
          aws: { accessKeyId: text, secretAccessKey: text, region: text },
          createVpc: isOn,
          deploymentId: text,
          internalTrafficCidr: text,
          linuxVmBootDiskSizeGb: size,
          linuxVmCount: size,
          region: text,
          sourceRanges: { rdp: [text] },
          windowsPassword: text,
          windowsVmBootDiskSizeGb: size,
          zone: text,
        }),
    ).not.toThrow();
  });
});

describe("A deployment id that is accepted", () => {
  const names = fc.stringMatching(/^[a-z0-9-]{1,2}[a-z0-9]{0,7}$/);

  it("makes names that the platform, the store and Windows take", () => {
    fc.assert(
      fc.property(names, (deploymentId) => {
        const props = { projectId: "demo-project", deploymentId };
        if (!ASSESSMENT_LAB_RULES.every((rule) => rule.holds(props))) return;
        const { resource = {} } = literalLab({ deploymentId });
        const hosts = Object.values(resource.google_compute_instance ?? {}).map(({ name }) => String(name));
        const others = ["google_compute_network", "google_compute_firewall", "google_storage_bucket"].flatMap((type) =>
          Object.values(resource[type] ?? {}).map(({ name }) => String(name)),
        );
        for (const name of [...hosts.map((host) => host.replace(/\$\{.*/, "999")), ...others])
          expect(name).toMatch(/^[a-z]([a-z0-9-]{0,61}[a-z0-9])$/);
        const [windows = ""] = hosts.filter((host) => host.endsWith("winvm01"));
        const computerName = windows.slice(0, 15);
        expect(computerName).toContain(deploymentId);
        expect(computerName).toMatch(/^[a-z][a-z0-9-]{0,13}[a-z0-9]$/);
      }),
      { numRuns: 20 },
    );
  });
});
