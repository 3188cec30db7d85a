import { type TerraformStack } from "cdktf";

import { InputVariable } from "../../lib/core/inputs/input-variable";
import { AssessmentLab, type AssessmentLabProps } from "../../lib/lab";
import { valueAt } from "../stacks/configuration-graph";
import { bareLabStack, labTerraform, literalLab } from "../stacks/lab-stack";
import { evaluated } from "../stacks/terraform-run";
import { describeWith } from "../support/programs";
import { apisIn } from "../support/stand-in-parts";
import { resourceAddresses, resourceOf, type Terraform, terraformOf } from "../support/synthesis";

/** What a check asks. */
const conditionOf = (terraform: Terraform, check: string): string =>
  String(valueAt(terraform.check?.[check], "assert.0.condition"));

describe("AssessmentLab with nothing but a project", () => {
  it("exposes the private key only as the file in the bucket", () => {
    const terraform = literalLab();
    const holders = Object.entries(terraform.resource ?? {}).flatMap(([type, elements]) =>
      Object.entries(elements)
        .filter(([, element]) => JSON.stringify(element).includes(".private_key_"))
        .map(([name]) => `${type}.${name}`),
    );
    expect(holders).toEqual(["google_storage_bucket_object.lab_key_file"]);
    expect(JSON.stringify(terraform.locals)).not.toContain(".private_key_");
  });
});

describeWith(["terraform"], "The warning about the internal range, judged by Terraform", () => {
  /** Ranges that the check finds fault with, given counts in the place of network and rule. */
  const faulty = (ranges: readonly string[], networks: number, rules: number): string[] => {
    const condition = conditionOf(labTerraform(), "lab_reaches_targets")
      .replace("length(google_compute_network.lab_vpc[*])", String(networks))
      .replace("length(google_compute_firewall.lab_firewall_allow_internal[*])", String(rules));
    const locals = Object.fromEntries(
      ranges.map((range, index) => [
        `c${index}`,
        condition.replaceAll("var.internal_traffic_cidr", JSON.stringify(range)),
      ]),
    );
    const values = evaluated({ locals });
    return ranges.filter((_, index) => values[`c${index}`] === false);
  };

  const OUTSIDE = ["192.168.0.0/16", "10.0.0.0/9", "10.0.0.0/16", "11.0.0.0/8", "10.127.255.255/32"];
  const INSIDE = ["10.128.0.0/9", "10.0.0.0/8", "10.128.0.0/20", "10.255.0.0/16", "10.255.255.255/32"];

  it("comes for a range without any address of the network, and for no other", () => {
    expect(faulty([...OUTSIDE, ...INSIDE], 1, 1)).toEqual(OUTSIDE);
  });

  it("does not come on a network that exists, or where no rule uses the range", () => {
    expect([faulty(OUTSIDE, 0, 1), faulty(OUTSIDE, 1, 0)]).toEqual([[], []]);
  });
});

describeWith(["terraform"], "The warning about remote desktop, judged by Terraform", () => {
  it("is given for a rule with a range wider than /8, and for no other", () => {
    const condition = (rules: readonly string[][]) =>
      conditionOf(labTerraform(), "lab_limits_remote_desktop").replace(
        "google_compute_firewall.lab_firewall_allow_rdp[*].source_ranges",
        JSON.stringify(rules),
      );
    const values = evaluated({
      locals: {
        everybody: condition([["0.0.0.0/0"]]),
        half: condition([["0.0.0.0/1", "203.0.113.7/32"]]),
        office: condition([["203.0.113.0/24", "10.0.0.0/8"]]),
        no_rule: condition([]),
      },
    });
    expect(values).toEqual({ everybody: false, half: false, office: true, no_rule: true });
  });
});

it.each<[string, (stack: TerraformStack) => Partial<AssessmentLabProps>]>([
  ["empty credentials", () => ({ aws: { accessKeyId: "", secretAccessKey: "" } })],
  [
    "credentials without the assessment service",
    (stack) => {
      const key = new InputVariable(stack, "key", { type: "string", description: "Key." }).stringValue;
      return { aws: { accessKeyId: key, secretAccessKey: key }, initializeAssessmentService: false };
    },
  ],
])("AssessmentLab adds neither a resource nor a provider of AWS for %s", (_, props) => {
  const stack = bareLabStack();
  const lab = new AssessmentLab(stack, "Lab", { projectId: "demo-project", ...props(stack) });
  stack.addOutputs({ arn: { value: lab.awsUserArn, description: "User." } });
  const terraform = terraformOf(stack);
  expect(resourceAddresses(terraform).filter((address) => /aws|cloudb/.test(address))).toEqual([]);
  expect([terraform.provider?.aws, terraform.output?.arn?.value]).toEqual([undefined, null]);
});

describeWith(["terraform"], "The provider of AWS", () => {
  it("asks no region that an account may not have enabled", () => {
    const { provider } = labTerraform();
    const { region } = valueAt(provider, "aws.0") as { readonly region: string };
    const of = (name: string) => region.replaceAll("var.cloudb_region", JSON.stringify(name));
    expect(
      evaluated({ locals: { bahrain: of("me-south-1"), beijing: of("cn-north-1"), government: of("us-gov-west-1") } }),
    ).toEqual({ bahrain: "us-east-1", beijing: "cn-north-1", government: "us-gov-west-1" });
  });
});

describe("The Windows VM of AssessmentLab", () => {
  const passwordOf = (props: Partial<AssessmentLabProps>): unknown =>
    valueAt(literalLab(props).resource?.google_compute_instance?.lab_windows_vm, "metadata.lab-password");

  it("has the password of every lab, or an unknown one", () => {
    expect(passwordOf({})).toBe("Throw-Away-2022!");
    expect(passwordOf({ windowsPassword: "fixed" })).toBe("Throw-Away-2022!");
    expect(passwordOf({ windowsPassword: "unknown" })).toBe("");
    expect(JSON.stringify(literalLab({ windowsPassword: "unknown" }))).not.toContain("Throw-Away");
  });
});

const sharedApis = (stack: TerraformStack) => apisIn(stack, "compute", "iam", "migrationcenter", "storage");

describe("Several labs", () => {
  it("can share a stack, each with its own addresses, and the enabled APIs", () => {
    const stack = bareLabStack();
    const apis = sharedApis(stack);
    const lab = (id: string, deploymentId: string) =>
      new AssessmentLab(stack, id, { projectId: "demo-project", apis, deploymentId, assessDiscoveryClientName: id });
    lab("Morning", "am");
    lab("Evening", "pm");
    const addresses = resourceAddresses(terraformOf(stack));
    const own = (name: string) =>
      addresses.filter((address) => address.includes(`.${name}_`)).map((address) => address.replace(name, "lab"));
    expect(own("morning")).toHaveLength(14);
    expect(own("evening")).toEqual(own("morning"));
    expect(addresses.filter((address) => address.startsWith("google_project_service."))).toHaveLength(4);
  });

  it("say at the end of a destroy what survives, even with shared APIs", () => {
    const stack = bareLabStack();
    const apis = sharedApis(stack);
    new AssessmentLab(stack, "Lab", { projectId: "demo-project", createVpc: false, deploymentId: "office", apis });
    const terraform = terraformOf(stack);
    const after = (address: string) => {
      const [type = "", name = ""] = address.split(".");
      return resourceOf(terraform, type, name).depends_on as string[];
    };
    const first = "terraform_data.lab_survivors_at_destroy";
    for (const address of resourceAddresses(terraform).filter((name) => name.includes(".lab_"))) {
      // The hosts wait for the network, the file for the bucket.
      if (address === first || /_vm$|_key_file$|_inputs$/.test(address)) continue;
      expect([address, after(address)]).toEqual([address, expect.arrayContaining([first])]);
    }
  });
});

describe("AssessmentLab in a landing zone", () => {
  const NETWORK = "projects/shared/global/networks/main";
  const SUBNETWORK = "projects/shared/regions/us-central1/subnetworks/lab";
  const KEY = "projects/keys/locations/us-central1/keyRings/lab/cryptoKeys/lab";
  const vms = (props: Partial<AssessmentLabProps>) =>
    ["lab_windows_vm", "lab_linux_vm"].map((name) => resourceOf(literalLab(props), "google_compute_instance", name));
  const each = (props: Partial<AssessmentLabProps>, path: string) => vms(props).map((vm) => valueAt(vm, path));
  const firewall = (props: Partial<AssessmentLabProps>) =>
    Object.values(literalLab(props).resource?.google_compute_firewall ?? {});

  it("lets remote desktop through the identity-aware proxy where the Windows VM has no public address", () => {
    const terraform = literalLab({ windowsExternalIp: false });
    const rdp = resourceOf(terraform, "google_compute_firewall", "lab_firewall_allow_rdp");
    expect(rdp.source_ranges).toEqual(["35.235.240.0/20"]);
    expect(resourceAddresses(terraform).filter((address) => address.includes("router"))).toHaveLength(2);
    expect(valueAt(vms({ windowsExternalIp: false })[0], "depends_on")).toEqual([
      "google_compute_router_nat.lab_vpc_nat",
    ]);
  });

  it("has no NAT without a Windows VM that needs it", () => {
    const terraform = literalLab({ windowsExternalIp: false, createWindowsVm: false });
    expect(Object.keys(terraform.resource ?? {})).not.toContain("google_compute_router");
  });

  it("makes nothing in a network of others, and puts all VMs there", () => {
    const props = { network: NETWORK, subnetwork: SUBNETWORK, windowsExternalIp: false };
    const terraform = literalLab(props);
    const made = ["google_compute_network", "google_compute_firewall"].flatMap((type) =>
      Object.values(terraform.resource?.[type] ?? {}).map(({ count }) => count),
    );
    expect(made).toEqual(Array<number>(6).fill(0));
    expect(Object.keys(terraform.resource ?? {})).not.toContain("google_compute_router");
    expect(terraform.locals?.lab_vpc_network_id).toContain(`coalesce("${NETWORK}", `);
    expect(each(props, "network_interface.0.subnetwork")).toEqual([SUBNETWORK, SUBNETWORK]);
  });

  it("encrypts all disks and the key bucket with one key", () => {
    expect(each({ kmsKey: KEY }, "boot_disk.kms_key_self_link")).toEqual([KEY, KEY]);
    const bucket = resourceOf(literalLab({ kmsKey: KEY }), "google_storage_bucket", "lab_key_bucket");
    expect(valueAt(bucket, "dynamic.encryption.content.default_kms_key_name")).toBe("${encryption.value}");
  });

  it("takes images, OS Login, serial ports and logs of firewall rules as they are required", () => {
    const images = each({ imageProject: "my-images" }, "boot_disk.initialize_params.image");
    expect(images).toEqual(["my-images/windows-2022", "my-images/debian-12"]);
    // There is no OS Login for Windows.
    expect(each({ osLogin: true }, "metadata.enable-oslogin")).toEqual([undefined, "TRUE"]);
    expect(each({ serialPortLogging: false }, "metadata.serial-port-logging-enable")).toEqual(["FALSE", "FALSE"]);
    expect(each({}, "shielded_instance_config.enable_secure_boot")).toEqual([true, true]);
    const logged = (props: Partial<AssessmentLabProps>) => firewall(props).filter((rule) => "log_config" in rule);
    expect([logged({}).length, logged({ firewallLogging: true }).length]).toEqual([0, 5]);
  });
});

describeWith(["terraform"], "The sources of remote desktop, judged by Terraform", () => {
  it("are the given ones, but the proxy instead of any address without a public address", () => {
    const sources = String(
      resourceOf(labTerraform(), "google_compute_firewall", "lab_firewall_allow_rdp").source_ranges,
    );
    const of = (isPublic: boolean, ranges: readonly string[]) =>
      sources
        .replaceAll("var.windows_external_ip", String(isPublic))
        .replaceAll("var.rdp_source_ranges", JSON.stringify(ranges));
    const values = evaluated({
      locals: { open: of(true, ["0.0.0.0/0"]), proxied: of(false, ["0.0.0.0/0"]), both: of(false, ["10.0.0.0/8"]) },
    });
    expect(values).toEqual({
      open: ["0.0.0.0/0"],
      proxied: ["35.235.240.0/20"],
      both: ["35.235.240.0/20", "10.0.0.0/8"],
    });
  });
});
