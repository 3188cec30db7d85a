import fc from "fast-check";

import { AssessmentLab, type AssessmentLabProps, type AwsCredentials } from "../../lib/lab";
import { ASSESSMENT_LAB_RULES } from "../../lib/lab/lab-rules";
import { InputVariable } from "../../lib/core/input-variable";
import { bareLabStack, literalLab } from "../stacks/lab-stack";

const RANGE_EXAMPLE = "10.128.0.0/9";
const RULE_OF_ID =
  "it must be 1 to 8 lower-case letters and digits, because Windows keeps 15 characters of assess-<id>-winvm01 as its computer name, and these must include the whole id; shorten or rewrite it";
const RULE_OF_RANGE = `it must be an IPv4 range such as ${RANGE_EXAMPLE} that begins with its first address; correct it`;
const RULE_OF_SOURCES =
  "it must have at least one IPv4 range, each beginning with its first address, because a firewall rule without a source allows any; set one, for example 203.0.113.7/32";
const RULE_OF_NAME =
  "it must be 1 to 63 characters, without control characters and with no white space except plain spaces between other characters, because it is typed into the discovery client and must match; rewrite it";
const RULE_OF_LITERALS =
  "is a literal; it must be an input, because a literal can be read in the synthesized folder; pass a sensitive input, or an empty string for no AWS";
const RULE_OF_BOTH =
  "only one of aws.accessKeyId and aws.secretAccessKey is given; a request is signed with both; set both, or neither";

const REFUSED: readonly (readonly [behaviour: string, props: Partial<AssessmentLabProps>, failures: string[]])[] = [
  ["a long deployment id", { deploymentId: "abcdefghi" }, [`deploymentId is "abcdefghi"; ${RULE_OF_ID}`]],
  ["an empty deployment id", { deploymentId: "" }, [`deploymentId is ""; ${RULE_OF_ID}`]],
  [
    "a deployment id that leaves a hyphen at the end of the computer name",
    { deploymentId: "abcdefg" },
    [
      'deploymentId is "abcdefg"; it must not have 7 characters, because the first 15 characters of assess-<id>-winvm01 would then end in a hyphen, which a computer name must not; add or remove one',
    ],
  ],
  [
    "a deployment id that the store reserves",
    { deploymentId: "google" },
    [
      'deploymentId is "google"; it must not contain "google", because Cloud Storage reserves that word in bucket names; choose another id',
    ],
  ],
  [
    "an existing network without its id",
    { createVpc: false },
    [
      "createVpc is false and deploymentId is missing; the existing network must be named assess-<id>-vpc, because the lab finds it by that name; set deploymentId to the id in the network's name, or set createVpc to true",
    ],
  ],
  [
    "a zone as region",
    { region: "us-central1-a" },
    [
      'region is "us-central1-a"; it must be the name of a region such as us-central1; for a zone such as us-central1-a, drop the zone letter',
    ],
  ],
  [
    "labels that Google Cloud does not take",
    { labels: { Team: "identity", fine: "yes" } },
    [
      'labels has "Team"; keys must be 1 to 63 and values up to 63 lower-case letters, digits, hyphens and underscores, and keys must start with a letter; rewrite them',
    ],
  ],
  [
    "the default zone in another region",
    { region: "europe-west1", zone: "us-central1-a" },
    ['zone is "us-central1-a"; it must be a zone of the region "europe-west1"; use for example europe-west1-b'],
  ],
  [
    "a region as zone",
    { zone: "us-central1" },
    ['zone is "us-central1"; it must be a zone of the region "us-central1"; use for example us-central1-b'],
  ],
  [
    "the name of a project in the place of its id",
    { projectId: "My Project" },
    [
      'projectId is "My Project"; it must be the id of a project: 6 to 30 lower-case letters, digits and hyphens that start with a letter; use the id, not the name or the number',
    ],
  ],
  [
    "machine types that are none",
    { windowsVmMachineType: "large", linuxVmMachineType: "E2-MEDIUM" },
    [
      'windowsVmMachineType is "large"; it must be a machine type such as e2-medium or n2-standard-4; choose one that gcloud compute machine-types list prints',
      'linuxVmMachineType is "E2-MEDIUM"; it must be a machine type such as e2-medium or n2-standard-4; choose one that gcloud compute machine-types list prints',
    ],
  ],
  [
    "machine types with Arm processors, for which neither image is made",
    { windowsVmMachineType: "c4a-standard-4", linuxVmMachineType: "n4a-standard-2" },
    [
      'windowsVmMachineType is "c4a-standard-4"; it must be of a family with x86 processors, because there is no Windows Server for Arm; use for example e2-medium or n2-standard-4, or set createWindowsVm to false',
      'linuxVmMachineType is "n4a-standard-2"; it must be of a family with x86 processors, because the image of the targets is for these; use for example e2-medium or n2-standard-4, or set linuxVmCount to 0',
    ],
  ],
  [
    "a range that does not begin with its first address",
    { internalTrafficCidr: "10.0.0.1/8" },
    [`internalTrafficCidr is "10.0.0.1/8"; ${RULE_OF_RANGE}`],
  ],
  [
    "any address as internal",
    { internalTrafficCidr: "0.0.0.0/0" },
    [
      `internalTrafficCidr is "0.0.0.0/0"; it must be /8 or smaller, because every protocol is allowed from there and the Windows VM has a public address; use the range of the network, ${RANGE_EXAMPLE}`,
    ],
  ],
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
    "a chosen password, without showing it",
    { windowsPassword: "Geheim-2026" },
    [
      "windowsPassword is given; it must be fixed or unknown, because a password of your own would be in the state and in the VM's metadata; use unknown, and set one with gcloud compute reset-windows-password",
    ],
  ],
  [
    "a disk that Windows does not fit on",
    { windowsVmBootDiskSizeGb: 49 },
    [
      "windowsVmBootDiskSizeGb is 49; it must be a whole number from 50 to 65536, because the image alone needs 50 GB; change it, or set createWindowsVm to false",
    ],
  ],
  [
    "a negative number of targets",
    { linuxVmCount: -1 },
    ["linuxVmCount is -1; it must be a whole number from 0; use 0 for none"],
  ],
  [
    "a disk that Linux does not fit on",
    { linuxVmBootDiskSizeGb: 9.5 },
    [
      "linuxVmBootDiskSizeGb is 9.5; it must be a whole number from 10 to 65536, because the image alone needs 10 GB; change it, or set linuxVmCount to 0",
    ],
  ],
  [
    "a client name that begins with a space",
    { assessDiscoveryClientName: " client" },
    [`assessDiscoveryClientName is " client"; ${RULE_OF_NAME}`],
  ],
  [
    "a client name with a tab in it",
    { assessDiscoveryClientName: "my\tclient" },
    [`assessDiscoveryClientName is "my\\tclient"; ${RULE_OF_NAME}`],
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
  [
    "AWS without credentials",
    { aws: {} as AwsCredentials },
    ["accessKeyId", "secretAccessKey"].map((name) => `aws.${name} is missing; it has no default; set it`),
  ],
  [
    "a country as region of AWS",
    { aws: { accessKeyId: "", secretAccessKey: "", region: "us" } },
    ['aws.region is "us"; it must be the name of an AWS region such as us-east-1; correct it'],
  ],
];

describe("AssessmentLab refuses", () => {
  it.each(REFUSED)("%s", (_behaviour, props, failures) => {
    const count = failures.length === 1 ? "1 problem" : `${failures.length} problems`;
    const expected = [`test/Lab: ${count}`, ...failures.map((failure) => `  - ${failure}`)].join("\n");
    expect(() => literalLab(props)).toThrow(new Error(expected));
  });

  it("by every rule", () => {
    const broken = ASSESSMENT_LAB_RULES.filter((rule) =>
      REFUSED.some(([, props]) => !rule.holds({ projectId: "demo-project", ...props })),
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
