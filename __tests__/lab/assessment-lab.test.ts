import { type TerraformStack } from "cdktf";

import { InputVariable } from "../../lib/core/input-variable";
import { AssessmentLab, type AssessmentLabProps } from "../../lib/lab";
import { bareLabStack, labTerraform, literalLab } from "../stacks/lab-stack";
import { resourceAddresses, resourceOf, terraformOf, type Terraform } from "../support/synthesis";
import { valueAt } from "../stacks/configuration-graph";
import { evaluated } from "../stacks/terraform-run";
import { describeWith } from "../support/programs";
import { apisIn } from "../support/stand-in-parts";

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
  expect([terraform.provider?.aws, terraform.output?.arn?.value]).toEqual([undefined, "${null}"]);
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
    expect(own("morning")).toHaveLength(15);
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
