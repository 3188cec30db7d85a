import { describeWith } from "../support/programs";
import { labTerraform } from "./lab-stack";
import { MANY_REFUSED_LAB_INPUTS, REFUSED_LAB_INPUTS } from "./refused-lab-inputs";
import { refusals, refusalsOfFile, type Inputs } from "./terraform-run";

const PROJECT = { project_id: "demo-project" };

/** Inputs by whose value another input is judged; Terraform gets to such rules when nothing else is wrong. */
const JUDGED_TOGETHER = /^(create_vpc|zone|windows_vm_boot|linux_vm_boot|cloudb_(access|secret))/;

const ACCEPTED: readonly (readonly [behaviour: string, inputs: Inputs])[] = [
  ["the project alone", {}],
  ["a zone of another region together with that region", { region: "europe-west1", zone: "europe-west1-d" }],
  ["a tenant id of 20 characters", { tenant_id: "t".repeat(20) }],
  ["a deployment id of one digit", { deployment_id: "7" }],
  ["a deployment id of six characters", { deployment_id: "office" }],
  ["a deployment id of eight characters", { deployment_id: "0a1b2c3d" }],
  ["an existing network by its id", { create_vpc: false, deployment_id: "office" }],
  ["the widest internal range", { internal_traffic_cidr: "10.0.0.0/8" }],
  ["a range of one address", { internal_traffic_cidr: "192.168.7.7/32" }],
  ["the smallest and the largest disk", { windows_vm_boot_disk_size_gb: 50, linux_vm_boot_disk_size_gb: 65536 }],
  ["a small Windows disk without a Windows host", { create_windows_vm: false, windows_vm_boot_disk_size_gb: 10 }],
  ["a small Linux disk without targets", { linux_vm_count: 0, linux_vm_boot_disk_size_gb: 1 }],
  [
    "machine types of several families",
    { windows_vm_machine_type: "n2-custom-4-8192", linux_vm_machine_type: "c3-highcpu-8" },
  ],
  ["a client name of one and of 63 characters", { assess_discovery_client_name: "c".repeat(63) }],
  ["any characters in a client name", { assess_discovery_client_name: `it's "$5", \`a\`, \${x} and %{if}` }],
  [
    "both credentials of cloud B",
    {
      cloudb_access_key_id: "AKIAEXAMPLE",
      cloudb_secret_access_key: "given-by-hand-0815",
      cloudb_region: "us-gov-west-1",
    },
  ],
];

describeWith(["terraform"], "The inputs of the lab, judged by Terraform", () => {
  const variables = () => labTerraform().variable ?? {};
  const judged = new Map<string, readonly string[]>();

  const judge = (cases: readonly (readonly [behaviour: string, inputs: Inputs, ...unknown[]])[]) => {
    const found = refusals(
      variables(),
      cases.map(([, inputs]) => ({ ...PROJECT, ...inputs })),
    );
    cases.forEach(([behaviour], index) => judged.set(behaviour, found[index] ?? []));
  };

  beforeAll(() => {
    const isJudgedTogether = ([, inputs]: readonly [string, Inputs, ...unknown[]]) =>
      Object.keys(inputs).some((name) => JUDGED_TOGETHER.test(name));
    judge(REFUSED_LAB_INPUTS.filter((refusal) => !isJudgedTogether(refusal)));
    judge(REFUSED_LAB_INPUTS.filter(isJudgedTogether));
    judge(ACCEPTED);
  });

  it.each(REFUSED_LAB_INPUTS)("refuse %s", (behaviour, _inputs, texts) => {
    expect(judged.get(behaviour)).toEqual([...texts].sort());
  });

  it.each(ACCEPTED)("accept %s", (behaviour) => {
    expect(judged.get(behaviour)).toEqual([]);
  });

  it("name everything that is wrong in one plan, from a file of inputs", () => {
    const [, inputs, texts] = MANY_REFUSED_LAB_INPUTS;
    expect(refusalsOfFile(variables(), inputs)).toEqual([...texts].sort());
  });

  it("take null for not given where it means nothing else", () => {
    expect(refusalsOfFile(variables(), { ...PROJECT, region: null, create_vpc: null, linux_vm_count: null })).toEqual(
      [],
    );
  });

  it("are all judged: every validation has a refusal here", () => {
    const said = REFUSED_LAB_INPUTS.flatMap(([, , texts]) => texts);
    const unsaid = Object.entries(variables()).flatMap(([name, { validation: rules = [] }]) =>
      (rules as { error_message: string }[])
        // The end of a message holds no expression.
        .map(({ error_message: message }) => message.slice(message.lastIndexOf("}") + 1))
        .filter((ending) => !said.some((text) => text.endsWith(ending)))
        .map((ending) => `${name}: …${ending}`),
    );
    expect(unsaid).toEqual([]);
  });
});
