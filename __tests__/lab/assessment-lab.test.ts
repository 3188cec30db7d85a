import { TerraformStack } from "cdktf";

import { ProjectApis } from "../../lib/core/project-apis";
import { AssessmentLab, type AssessmentLabProps } from "../../lib/lab";
import { bareLabStack, labTerraform, literalLab } from "../stacks/lab-stack";
import { resourceAddresses, resourceOf, terraformOf, testApp, type Block, type Terraform } from "../support/synthesis";
import { valueAt } from "../stacks/configuration-graph";
import { evaluated } from "../stacks/terraform-run";
import { describeWith } from "../support/programs";

const countOf = (terraform: Terraform, type: string, name: string): unknown =>
  terraform.resource?.[type]?.[name]?.count;

/** What a check asks. */
const conditionOf = (terraform: Terraform, check: string): string =>
  String(valueAt(terraform.check?.[check], "assert.0.condition"));

/** Hosts of a lab, by the name of their block. */
const host = (terraform: Terraform, name: string): Block => resourceOf(terraform, "google_compute_instance", name);

describe("AssessmentLab with nothing but a project", () => {
  let terraform: Terraform;

  beforeAll(() => {
    terraform = literalLab();
  });

  it("creates network, rules, key, bucket and VMs, and enables the APIs that they need", () => {
    expect(resourceAddresses(terraform)).toEqual([
      "google_compute_firewall.lab_firewall_allow_http",
      "google_compute_firewall.lab_firewall_allow_icmp",
      "google_compute_firewall.lab_firewall_allow_internal",
      "google_compute_firewall.lab_firewall_allow_rdp",
      "google_compute_firewall.lab_firewall_allow_ssh",
      "google_compute_instance.lab_linux_vm",
      "google_compute_instance.lab_windows_vm",
      "google_compute_network.lab_vpc",
      "google_migration_center_group.lab_source_group",
      "google_project_service.lab_apis_compute",
      "google_project_service.lab_apis_iam",
      "google_project_service.lab_apis_migrationcenter",
      "google_project_service.lab_apis_storage",
      "google_storage_bucket.lab_key_bucket",
      "google_storage_bucket_object.lab_key_file",
      "random_id.lab_random_id",
      "terraform_data.lab_apis_compute_answers",
      "terraform_data.lab_apis_iam_answers",
      "terraform_data.lab_apis_migrationcenter_answers",
      "terraform_data.lab_apis_resource_manager",
      "terraform_data.lab_apis_storage_answers",
      "terraform_data.lab_source_registered",
      "terraform_data.lab_survivors_at_destroy",
      "tls_private_key.lab_key",
    ]);
    expect(terraform.data).toBeUndefined();
  });

  it("needs no look-up at plan: images are named by their family", () => {
    const image = "boot_disk.initialize_params.image";
    expect(valueAt(host(terraform, "lab_windows_vm"), image)).toBe("windows-cloud/windows-2022");
    expect(valueAt(host(terraform, "lab_linux_vm"), image)).toBe("debian-cloud/debian-12");
  });

  it("gives no VM a service account, and only the Windows VM a public address", () => {
    for (const name of ["lab_windows_vm", "lab_linux_vm"])
      expect(host(terraform, name)).not.toHaveProperty("service_account");
    expect(valueAt(host(terraform, "lab_windows_vm"), "network_interface.0.access_config")).toEqual([{}]);
    expect(valueAt(host(terraform, "lab_linux_vm"), "network_interface.0")).toEqual({
      network: "${local.lab_vpc_network_id}",
    });
  });

  it("boots only signed code, and stops a VM for another machine type instead of replacing it", () => {
    for (const name of ["lab_windows_vm", "lab_linux_vm"]) {
      expect(host(terraform, name)).toMatchObject({
        allow_stopping_for_update: true,
        shielded_instance_config: {
          enable_secure_boot: true,
          enable_vtpm: true,
          enable_integrity_monitoring: true,
        },
      });
    }
  });

  it("sets nothing on a VM that would replace it when changed, except names and images", () => {
    for (const name of ["lab_windows_vm", "lab_linux_vm"]) {
      const { description, hostname, metadata_startup_script: script } = host(terraform, name);
      expect([description, hostname, script]).toEqual([undefined, undefined, undefined]);
    }
  });

  it("passes each VM its script, and its values as data", () => {
    expect(host(terraform, "lab_windows_vm").metadata).toEqual({
      "windows-startup-script-ps1": '${file("${path.module}/scripts/windows-first-boot.ps1")}',
      "assessment-lab": "${jsonencode(local.lab_windows_vm_first_boot_values)}",
      "block-project-ssh-keys": "TRUE",
      "serial-port-logging-enable": "TRUE",
    });
    expect(host(terraform, "lab_linux_vm").metadata).toEqual({
      "startup-script": '${file("${path.module}/scripts/linux-first-boot.sh")}',
      "assessment-lab": "${jsonencode(local.lab_linux_vm_first_boot_values)}",
      "ssh-keys": "lab-user:${trimspace(tls_private_key.lab_key.public_key_openssh)}",
      "enable-oslogin": "FALSE",
      "block-project-ssh-keys": "TRUE",
      "serial-port-logging-enable": "TRUE",
    });
    expect(terraform.locals?.lab_linux_vm_first_boot_values).toEqual({
      labUser: "lab-user",
      sshPublicKey: "${trimspace(tls_private_key.lab_key.public_key_openssh)}",
    });
  });

  it("stores the key where only members of the project read it, and keeps nothing of a key that is gone", () => {
    expect(resourceOf(terraform, "tls_private_key", "lab_key")).toMatchObject({
      algorithm: "RSA",
      rsa_bits: 4096,
    });
    expect(resourceOf(terraform, "google_storage_bucket", "lab_key_bucket")).toEqual({
      project: "demo-project",
      name: "assess-${random_id.lab_random_id.hex}-keys",
      location: "us-central1",
      labels: { "assessment-lab": "${random_id.lab_random_id.hex}" },
      uniform_bucket_level_access: true,
      public_access_prevention: "enforced",
      force_destroy: true,
      soft_delete_policy: { retention_duration_seconds: 0 },
      versioning: { enabled: false },
      depends_on: ["terraform_data.lab_survivors_at_destroy", "terraform_data.lab_apis_storage_answers"],
    });
    expect(resourceOf(terraform, "google_storage_bucket_object", "lab_key_file")).toEqual({
      bucket: "${one(google_storage_bucket.lab_key_bucket[*].id)}",
      name: "lab-ssh-key.pem",
      content: "${tls_private_key.lab_key.private_key_pem}",
      content_type: "application/x-pem-file",
    });
  });

  it("leaves APIs enabled when it is destroyed", () => {
    for (const service of Object.values(terraform.resource?.google_project_service ?? {}))
      expect(service.disable_on_destroy).toBe(false);
  });

  it("exposes the private key only as the file in the bucket", () => {
    const holders = Object.entries(terraform.resource ?? {}).flatMap(([type, elements]) =>
      Object.entries(elements)
        .filter(([, element]) => JSON.stringify(element).includes(".private_key_"))
        .map(([name]) => `${type}.${name}`),
    );
    expect(holders).toEqual(["google_storage_bucket_object.lab_key_file"]);
    expect(JSON.stringify(terraform.locals)).not.toContain(".private_key_");
  });
});

describe("AssessmentLab with parts left out", () => {
  it("creates no Windows VM, and warns of it at every plan", () => {
    const terraform = literalLab({ createWindowsVm: false });
    expect(countOf(terraform, "google_compute_instance", "lab_windows_vm")).toBe("${(false) ? 1 : 0}");
    expect(terraform.check?.lab_has_discovery_client).toEqual({
      assert: [
        {
          condition: "${length(google_compute_instance.lab_windows_vm[*]) > 0}",
          error_message:
            "createWindowsVm is false; nothing is scanned, because no VM of the lab has a discovery client; set it to true, or install the client on a machine of your own that reaches the Linux VMs.",
        },
      ],
    });
  });

  it("creates no scan target, and warns of it unless other machines are imported", () => {
    const terraform = literalLab({ linuxVmCount: 0 });
    expect(countOf(terraform, "google_compute_instance", "lab_linux_vm")).toBe(0);
    expect(conditionOf(terraform, "lab_has_scan_targets")).toBe("${length(google_compute_instance.lab_linux_vm) > 0}");
    expect(conditionOf(labTerraform(), "lab_has_scan_targets")).toBe(
      '${length(google_compute_instance.lab_linux_vm) > 0 || (var.cloudb_access_key_id != "" && (var.initialize_assessment_service))}',
    );
  });

  it("creates no bucket and needs no Cloud Storage API", () => {
    const terraform = literalLab({ createSshKeyBucket: false });
    for (const [type, name] of [
      ["google_storage_bucket", "lab_key_bucket"],
      ["google_storage_bucket_object", "lab_key_file"],
      ["google_project_service", "lab_apis_storage"],
      ["terraform_data", "lab_apis_storage_answers"],
    ] as const)
      expect([name, countOf(terraform, type, name)]).toEqual([name, "${(false) ? 1 : 0}"]);
  });

  it("creates only the rule for HTTP", () => {
    const terraform = literalLab({ createDefaultFirewallRules: false });
    const rules = Object.keys(terraform.resource?.google_compute_firewall ?? {});
    expect(rules.filter((name) => countOf(terraform, "google_compute_firewall", name) === undefined)).toEqual([
      "lab_firewall_allow_http",
    ]);
  });

  it("enables no APIs for the assessment service", () => {
    const terraform = literalLab({ initializeAssessmentService: false });
    for (const name of ["lab_apis_iam", "lab_apis_migrationcenter"])
      expect([name, countOf(terraform, "google_project_service", name)]).toEqual([name, "${(false) ? 1 : 0}"]);
  });

  it("puts every VM in the given zone, or in one of its region", () => {
    const zonesOf = (props: Partial<AssessmentLabProps>) => {
      const hosts = literalLab(props).resource?.google_compute_instance ?? {};
      return [...new Set(Object.values(hosts).map(({ zone }) => zone))];
    };
    expect(zonesOf({})).toEqual(["us-central1-a"]);
    expect(zonesOf({ zone: "us-central1-f" })).toEqual(["us-central1-f"]);
    // Not every region has a zone a, but every one has a zone b.
    expect(zonesOf({ region: "europe-west1" })).toEqual(["europe-west1-b"]);
  });

  it("uses a given id and creates no random one", () => {
    const terraform = literalLab({ deploymentId: "office" });
    expect(terraform.resource?.random_id).toBeUndefined();
    expect(host(terraform, "lab_windows_vm").name).toBe("assess-office-winvm01");
    expect(host(terraform, "lab_linux_vm").name).toBe("assess-office-linvm-${count.index + 1}");
  });
});

describe("AssessmentLab on a network that exists", () => {
  let terraform: Terraform;

  beforeAll(() => {
    terraform = literalLab({ createVpc: false, deploymentId: "office" });
  });

  it("looks for it among all networks at plan, because the look-up of a missing one fails with the provider's own error", () => {
    expect(resourceOf(terraform, "google_compute_networks", "lab_vpc_existing", "data")).toEqual({
      project: "demo-project",
      lifecycle: {
        postcondition: [
          {
            condition: '${contains(self.networks == null ? [] : self.networks, "assess-office-vpc")}',
            error_message:
              "createVpc is false and project demo-project has no network assess-office-vpc; it must exist, because firewall rules and VMs are created on it; create an auto-mode network of that name, or set createVpc to true.",
          },
        ],
      },
    });
  });

  it("waits for nothing before it looks: a look-up that depends on a resource happens at apply", () => {
    const text = JSON.stringify(terraform.data);
    expect(text).not.toMatch(/depends_on|random_id|terraform_data/);
  });

  it("puts rules and VMs on it by its full name", () => {
    expect(countOf(terraform, "google_compute_network", "lab_vpc")).toBe("${(false) ? 1 : 0}");
    expect(terraform.locals?.lab_vpc_network_id).toBe(
      '${coalesce(one(google_compute_network.lab_vpc[*].id), "projects/demo-project/global/networks/assess-office-vpc")}',
    );
    for (const rule of Object.values(terraform.resource?.google_compute_firewall ?? {}))
      expect(rule.network).toBe("${local.lab_vpc_network_id}");
  });
});

describe("Firewall rules of AssessmentLab", () => {
  const rule = (terraform: Terraform, name: string) =>
    resourceOf(terraform, "google_compute_firewall", `lab_firewall_allow_${name}`);

  it("follow the internal range by default", () => {
    const terraform = literalLab({ internalTrafficCidr: "192.168.0.0/16" });
    expect(rule(terraform, "internal").source_ranges).toEqual(["192.168.0.0/16"]);
    expect(rule(terraform, "icmp").source_ranges).toEqual(["192.168.0.0/16", "35.235.240.0/20"]);
    expect(rule(terraform, "http").source_ranges).toEqual(["192.168.0.0/16"]);
  });

  it("come with a warning where the internal range may have none of the addresses of the lab's own network", () => {
    const { check } = literalLab({ internalTrafficCidr: "192.168.0.0/16" });
    expect(valueAt(check?.lab_reaches_targets, "assert.0.error_message")).toBe(
      "internalTrafficCidr has no address of the network that is created here, whose VMs are all in 10.128.0.0/9; every scan finds nothing, because allow-internal allows none of them; leave internalTrafficCidr at 10.128.0.0/9, or set a range within it.",
    );
    expect(literalLab({ sourceRanges: { internal: ["192.168.0.0/16"] } }).check).not.toHaveProperty(
      "lab_reaches_targets",
    );
  });

  it("come with a warning while remote desktop is open to most of the internet, at every plan", () => {
    expect(conditionOf(literalLab(), "lab_limits_remote_desktop")).toBe(
      '${alltrue([for range in flatten(google_compute_firewall.lab_firewall_allow_rdp[*].source_ranges) : tonumber(split("/", range)[1]) >= 8])}',
    );
  });

  it("accept other sources, rule by rule", () => {
    const terraform = literalLab({ sourceRanges: { rdp: ["203.0.113.0/24"], ssh: ["10.0.0.0/8", "35.235.240.0/20"] } });
    expect(rule(terraform, "rdp").source_ranges).toEqual(["203.0.113.0/24"]);
    expect(rule(terraform, "ssh").source_ranges).toEqual(["10.0.0.0/8", "35.235.240.0/20"]);
    expect(rule(terraform, "internal").source_ranges).toEqual(["10.128.0.0/9"]);
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

  it("checks a literal in the same way", () => {
    expect(conditionOf(literalLab({ internalTrafficCidr: "10.0.0.0/16" }), "lab_reaches_targets")).toBe(
      conditionOf(labTerraform(), "lab_reaches_targets").replaceAll("var.internal_traffic_cidr", '"10.0.0.0/16"'),
    );
  });
});

describeWith(["terraform"], "Outputs of what may be left out, computed by Terraform", () => {
  /** The value of an output with these inputs, with a text in the place of what only an apply knows. */
  const withInputs = (name: string, inputs: Readonly<Record<string, unknown>>): string =>
    String(labTerraform().output?.[name]?.value)
      .replace(/(\w+)\.(\w+)\[\*\][\w.]*/, (_, type: string, resource: string) => {
        const count = String(countOf(labTerraform(), type, resource)).slice("${".length, -"}".length);
        return `[for each in range(${count}) : "of ${type}"]`;
      })
      .replace(/var\.(\w+)/g, (_, input: string) => JSON.stringify(inputs[input]));

  it("are null when it is left out, and known when it is not", () => {
    const on = { initialize_assessment_service: true, cloudb_access_key_id: "AKIAEXAMPLE" };
    const noService = { ...on, initialize_assessment_service: false };
    const noCloudB = { ...on, cloudb_access_key_id: "" };
    const values = evaluated({
      locals: {
        source: withInputs("assess_source_id", on),
        source_without_service: withInputs("assess_source_id", noService),
        user: withInputs("cloudb_iam_user_arn", on),
        user_without_cloudb: withInputs("cloudb_iam_user_arn", noCloudB),
        user_without_service: withInputs("cloudb_iam_user_arn", noService),
      },
    });
    expect(values).toEqual({
      source: "of terraform_data",
      source_without_service: null,
      user: "of aws_iam_user",
      user_without_cloudb: null,
      user_without_service: null,
    });
  });

  it("are null in a stack of literals without them", () => {
    const stack = bareLabStack();
    const lab = new AssessmentLab(stack, "Lab", { projectId: "demo-project", initializeAssessmentService: false });
    const { assessSourceId, awsUserArn } = lab;
    stack.addOutputs({
      source: { value: assessSourceId, description: "Source." },
      user: { value: awsUserArn, description: "User." },
    });
    expect(terraformOf(stack).output).toMatchObject({ source: { value: "${null}" }, user: { value: "${null}" } });
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

describe("The Windows VM of AssessmentLab", () => {
  const passwordOf = (props: Partial<AssessmentLabProps>): unknown =>
    valueAt(literalLab(props).locals?.lab_windows_vm_first_boot_values, "labPassword");

  it("has the password of every lab, or an unknown one", () => {
    expect(passwordOf({})).toBe("Throw-Away-2022!");
    expect(passwordOf({ windowsPassword: "fixed" })).toBe("Throw-Away-2022!");
    expect(passwordOf({ windowsPassword: "unknown" })).toBe("${null}");
    expect(JSON.stringify(literalLab({ windowsPassword: "unknown" }))).not.toContain("Throw-Away");
  });

  it("keeps what the platform's own command writes to its metadata when it resets a password", () => {
    expect(valueAt(host(literalLab(), "lab_windows_vm"), "lifecycle.ignore_changes")).toEqual([
      'metadata["windows-keys"]',
    ]);
  });
});

describe("Values of AssessmentLab", () => {
  it("are the resources themselves, for an alert, a grant or an override", () => {
    const stack = bareLabStack();
    const lab = new AssessmentLab(stack, "Lab", { projectId: "demo-project" });
    lab.windowsVm.addOverride("min_cpu_platform", "Intel Cascade Lake");
    lab.linuxVms.labels = { purpose: "scan" };
    lab.firewallRules.ssh.priority = 900;
    lab.network.mtu = 1500;
    lab.sshKeyBucket.storageClass = "STANDARD";
    lab.sshKey.rsaBits = 2048;
    const { resource } = terraformOf(stack);
    expect(resource).toMatchObject({
      google_compute_instance: {
        lab_windows_vm: { min_cpu_platform: "Intel Cascade Lake" },
        lab_linux_vm: { labels: { purpose: "scan" } },
      },
      google_compute_firewall: { lab_firewall_allow_ssh: { priority: 900 } },
      google_compute_network: { lab_vpc: { mtu: 1500 } },
      google_storage_bucket: { lab_key_bucket: { storage_class: "STANDARD" } },
      tls_private_key: { lab_key: { rsa_bits: 2048 } },
    });
  });

  it("can be read back", () => {
    const lab = new AssessmentLab(bareLabStack(), "Lab", { projectId: "demo-project", deploymentId: "office" });
    expect(lab).toMatchObject({
      deploymentId: "office",
      projectId: "demo-project",
      vpcName: "assess-office-vpc",
      sshKeyUser: "lab-user",
      assessDiscoveryClientName: "assess-discovery-client",
      assessmentServiceUrl: "https://console.cloud.google.com/migration?project=demo-project",
    });
  });
});

describe("Warnings of AssessmentLab", () => {
  it("name the inputs of the stack, and the props of a composition", () => {
    const messages = ({ check = {} }: Terraform) =>
      Object.values(check)
        .map((each) => JSON.stringify(each))
        .join();
    const inputs = Object.keys(labTerraform().variable ?? {}).filter((name) => name.includes("_"));
    expect(inputs.filter((name) => messages(literalLab()).includes(name))).toEqual([]);
    expect(messages(labTerraform())).not.toMatch(/(linuxVmCount|create[A-Z]\w+|internalTrafficCidr|sourceRanges)/);
  });
});

describe("Several labs", () => {
  it("can share a stack, each with its own addresses, and the enabled APIs", () => {
    const stack = bareLabStack();
    const apis = new ProjectApis(stack, "Apis", {
      projectId: "demo-project",
      region: "us-central1",
      apis: ["compute", "iam", "migrationcenter", "storage"],
    });
    const lab = (id: string, deploymentId: string) =>
      new AssessmentLab(stack, id, {
        projectId: "demo-project",
        ...{ apis, deploymentId, assessDiscoveryClientName: id },
      });
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
    const apis = new ProjectApis(stack, "Apis", {
      projectId: "demo-project",
      region: "us-central1",
      apis: ["compute", "iam", "migrationcenter", "storage"],
    });
    new AssessmentLab(stack, "Lab", { projectId: "demo-project", createVpc: false, deploymentId: "office", apis });
    const terraform = terraformOf(stack);
    const after = (address: string) => {
      const [type = "", name = ""] = address.split(".");
      return resourceOf(terraform, type, name).depends_on as string[];
    };
    const first = "terraform_data.lab_survivors_at_destroy";
    for (const address of resourceAddresses(terraform).filter((name) => name.includes(".lab_"))) {
      // The hosts wait for the network, the file for the bucket.
      if (address === first || /_vm$|_key_file$/.test(address)) continue;
      expect([address, after(address)]).toEqual([address, expect.arrayContaining([first])]);
    }
  });

  it("can be in one stack without sharing anything", () => {
    const stack = bareLabStack();
    new AssessmentLab(stack, "Morning", { projectId: "first-project" });
    new AssessmentLab(stack, "Evening", { projectId: "second-project" });
    const addresses = resourceAddresses(terraformOf(stack));
    expect(new Set(addresses).size).toBe(addresses.length);
    expect(addresses.filter((address) => address.startsWith("random_id."))).toEqual([
      "random_id.evening_random_id",
      "random_id.morning_random_id",
    ]);
  });

  it("can be in a plain stack of the framework", () => {
    const stack = new TerraformStack(testApp(), "plain");
    new AssessmentLab(stack, "Lab", { projectId: "demo-project" });
    const { terraform } = stack.toTerraform() as {
      terraform: { required_providers: Record<string, { version: string }> };
    };
    expect(terraform.required_providers.tls?.version).toBe(">= 4.1.0, < 5.0.0");
    expect(terraform.required_providers.random?.version).toBe(">= 3.7.2, < 4.0.0");
  });
});
