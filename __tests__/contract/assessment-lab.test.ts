import { readFileSync } from "node:fs";

import { packageFile } from "../../lib/core/package-file";
import { LAB_PASSWORD, LAB_USER } from "../../lib/lab/contract";
import { awsUserName } from "../../lib/lab/lab-names";
import { valueAt } from "../stacks/configuration-graph";
import { labResource, labTerraform } from "../stacks/lab-stack";
import { type Block } from "../support/synthesis";
import { testContract } from "./rows";

const variable = (name: string): Block => labTerraform().variable?.[name] ?? {};
const output = (name: string): Block => labTerraform().output?.[name] ?? {};
const local = (name: string) => labTerraform().locals?.[name];
const types = () => Object.keys(labTerraform().resource ?? {});
const warning = (check: string) => valueAt(labTerraform().check?.[check], "assert.0.error_message");
const count = (address: string) => labResource(address).count;

const WINDOWS = "google_compute_instance.lab_windows_vm";
const LINUX = "google_compute_instance.lab_linux_vm";
const BUCKET = "google_storage_bucket.lab_key_bucket";
const KEY = "tls_private_key.lab_key";
const AWS_USER = "aws_iam_user.lab_cloudb_user";
const SOURCE = "terraform_data.lab_source_registered";
const IMPORT = "terraform_data.lab_cloudb_import";
const firewall = (rule: string) => labResource(`google_compute_firewall.lab_firewall_allow_${rule}`);
const command = (address: string) => valueAt(labResource(address), "provisioner.0.local-exec.command");
const environment = (address: string) => valueAt(labResource(address), "provisioner.0.local-exec.environment");

/** Type and default of an input, and whether it is sensitive, by the group of its form. */
const input = (name: string) => {
  const { default: value, description, sensitive = false, type } = variable(name);
  return [/^\[(\d) [^\]]+\]/.exec(String(description))?.[1], type, value, sensitive];
};

/** What an input's own rules say. */
const rulesOf = (name: string) =>
  ((variable(name).validation ?? []) as { error_message: string }[]).map((rule) => rule.error_message).join("\n");

const script = (name: string) => readFileSync(packageFile(`lib/lab/scripts/${name}`), "utf8");
const policy = () =>
  JSON.parse(String(labResource("aws_iam_policy.lab_cloudb_user_policy").policy)) as {
    Statement: { Action: string[] }[];
  };
const WITH_AWS = '${((var.cloudb_access_key_id != "") && (var.initialize_assessment_service)) ? 1 : 0}';
const WITH_SERVICE = "${(var.initialize_assessment_service) ? 1 : 0}";
const says = (text: string) => expect.stringContaining(text) as unknown;

testContract("assessment-lab", {
  "What the service does": [
    [
      "Assessment service: initialized for the chosen region; a discovery source is registered automatically",
      () => [command(SOURCE), valueAt(environment(SOURCE), "REGION")],
      ['sh "${path.module}/scripts/register-source.sh"', "${var.region}"],
    ],
    [
      "Discovery client host: Windows-family server image (2022 release), installed silently by a startup script; reachable by RDP",
      () => [
        valueAt(labResource(WINDOWS), "boot_disk.initialize_params.image"),
        valueAt(labResource(WINDOWS), "metadata.windows-startup-script-ps1"),
      ],
      ["windows-cloud/windows-2022", '${file("${path.module}/scripts/windows-first-boot.ps1")}'],
    ],
    [
      "Scan targets: Linux server image (release 12), default 3",
      () => [valueAt(labResource(LINUX), "boot_disk.initialize_params.image"), count(LINUX)],
      ["debian-cloud/debian-12", "${var.linux_vm_count}"],
    ],
    [
      "SSH key storage: private object-storage bucket; SSH private key object lab-ssh-key.pem, RSA 4096-bit private key",
      () => labResource("google_storage_bucket_object.lab_key_file"),
      expect.objectContaining({
        bucket: `\${one(${BUCKET}[*].id)}`,
        content: `\${${KEY}.private_key_pem}`,
        name: "lab-ssh-key.pem",
      }),
    ],
    [
      "Network: auto-mode VPC plus firewall rules",
      () => [
        labResource("google_compute_network.lab_vpc").auto_create_subnetworks,
        types().includes("google_compute_firewall"),
      ],
      [true, true],
    ],
    [
      "Cloud B inventory (optional): a scoped read-only user is created and used to list instances and import them",
      () => [count(AWS_USER), command(IMPORT), valueAt(environment(IMPORT), "AWS_ACCESS_KEY_ID")],
      [
        WITH_AWS,
        'sh "${path.module}/scripts/import-inventory.sh"',
        "${one(aws_iam_access_key.lab_cloudb_user_key[*].id)}",
      ],
    ],
    [
      "The region is permanent: the module fixes the value of region; assessment region: permanent once initialized",
      () => variable("region").description,
      says("permanently, of all assessment data of the project"),
    ],
    [
      "One step is manual: sign in with Google OAuth (manual; cannot be automated); start the discovery client. The discovery client signs in through interactive OAuth",
      () => /oauth/i.test(script("windows-first-boot.ps1")),
      false,
    ],
    [
      "Cloud B is optional. When cloudb_access_key_id is empty, no cloud B resource is created",
      () =>
        types()
          .filter((type) => type.startsWith("aws_"))
          .flatMap((type) => Object.values(labTerraform().resource?.[type] ?? {}).map((each) => each.count)),
      Array<string>(4).fill(WITH_AWS),
    ],
    [
      "Asset groups, migration preference sets and reports are deliberately not created in advance; create asset groups and migration preference sets, then generate a TCO report",
      // An empty group marks the lab for the cleanup of others.
      () => types().filter((type) => type.startsWith("google_migration_center")),
      ["google_migration_center_group"],
    ],
    [
      "Assessment-service objects (the discovery source and the optional import job) are created through REST calls and are not tracked in the infrastructure state; Assessment-service objects after destroy remain",
      () => [
        types().filter((type) => /migration_center_(source|import)/.test(type)),
        variable("initialize_assessment_service").description,
      ],
      [[], says("A destroy removes nothing from Migration Center")],
    ],
  ],

  Naming: [
    [
      "VPC assess-<id>-vpc",
      () => labResource("google_compute_network.lab_vpc").name,
      "assess-${local.lab_deployment_id}-vpc",
    ],
    [
      "Windows-family host assess-<id>-winvm01, tag windows-vm",
      () => [labResource(WINDOWS).name, labResource(WINDOWS).tags],
      ["assess-${local.lab_deployment_id}-winvm01", ["windows-vm"]],
    ],
    [
      "Linux scan targets assess-<id>-linvm-1 ... assess-<id>-linvm-N",
      () => labResource(LINUX).name,
      "assess-${local.lab_deployment_id}-linvm-${count.index + 1}",
    ],
    [
      "SSH key bucket assess-<id>-keys: private; uniform bucket-level access; force-destroy on destroy",
      () => labResource(BUCKET),
      expect.objectContaining({
        name: "assess-${local.lab_deployment_id}-keys",
        public_access_prevention: "enforced",
        uniform_bucket_level_access: true,
        force_destroy: true,
      }),
    ],
    [
      "Cloud B scoped user assess-discovery-<id>: a user, a policy granting exactly three read-only permissions, and an access key. A user assess-discovery-<id>, a policy",
      () => [
        awsUserName("0a1b2c3d"),
        types()
          .filter((type) => type.startsWith("aws_"))
          .sort(),
      ],
      [
        "assess-discovery-0a1b2c3d",
        ["aws_iam_access_key", "aws_iam_policy", "aws_iam_user", "aws_iam_user_policy_attachment"],
      ],
    ],
    [
      "<id> is the deployment suffix (output deployment_id)",
      () => [output("deployment_id").value, local("lab_deployment_id")],
      ["${local.lab_deployment_id}", "${coalesce(var.deployment_id, one(random_id.lab_random_id[*].hex))}"],
    ],
  ],

  "Discovery source": [
    ["Type: discovery client", () => script("register-source.sh").includes("SOURCE_TYPE_DISCOVERY_CLIENT"), true],
    [
      "Display name: equals assess_discovery_client_name (default assess-discovery-client). Select the project and enter assess_discovery_client_name exactly",
      () => [valueAt(environment(SOURCE), "SOURCE_DISPLAY_NAME"), output("assess_discovery_client_name").value],
      ["${var.assess_discovery_client_name}", "${var.assess_discovery_client_name}"],
    ],
    [
      "Identifier: output assess_source_id; null when initialization is disabled",
      () => [output("assess_source_id").value, count(SOURCE)],
      [`\${one(${SOURCE}[*].output.source_id)}`, WITH_SERVICE],
    ],
  ],

  "Hosts and keys": [
    [
      "A PowerShell startup script runs once on first boot and: creates the local user <lab_user> with a fixed, hard-coded password; RDP to the Windows-family host as <lab_user>, RDP to the Windows-family host uses the fixed lab user",
      () => [valueAt(labResource(WINDOWS), "metadata.lab-password"), output("windows_vm_external_ip").description],
      [says(LAB_PASSWORD), says(`Sign in as ${LAB_USER} with the password ${LAB_PASSWORD}`)],
    ],
    [
      "The system user <lab_user> is authorized with the generated public key, injected both through instance metadata and through a startup script",
      () => [
        valueAt(labResource(LINUX), "metadata.ssh-keys"),
        valueAt(labResource(LINUX), "metadata.startup-script"),
        valueAt(labResource(LINUX), "metadata.lab-ssh-key"),
      ],
      [
        `${LAB_USER}:\${trimspace(${KEY}.public_key_openssh)}`,
        '${file("${path.module}/scripts/linux-first-boot.sh")}',
        `\${trimspace(${KEY}.public_key_openssh)}`,
      ],
    ],
    [
      "The discovery client reaches them by internal IP: configure an IP scan range covering linux_vm_internal_ips",
      () => [valueAt(labResource(LINUX), "network_interface.0"), output("linux_vm_internal_ips").description],
      [{ network: "${local.lab_vpc_network_id}" }, says("IP scan range")],
    ],
    [
      "An RSA 4096-bit key pair is generated at deployment time. Key size: RSA 4096-bit",
      () => labResource(KEY),
      expect.objectContaining({ algorithm: "RSA", rsa_bits: 4096 }),
    ],
    [
      "In the lab the key is downloaded and loaded: load lab-ssh-key.pem as SSH credential Lab-key with the user <lab_user>; SSH to Linux targets uses the generated private key",
      () => [output("ssh_key_user").description, output("ssh_key_user").value],
      [says("Lab-key"), LAB_USER],
    ],
  ],

  "Firewall rules": [
    [
      "allow-internal: all protocols from internal_traffic_cidr",
      () => [firewall("internal").allow, firewall("internal").source_ranges],
      [[{ protocol: "all" }], ["${var.internal_traffic_cidr}"]],
    ],
    ["allow-ssh: TCP 22", () => firewall("ssh").allow, [{ protocol: "tcp", ports: ["22"] }]],
    [
      "allow-rdp: TCP 3389, source 0.0.0.0/0",
      () => [firewall("rdp").allow, firewall("rdp").source_ranges, variable("rdp_source_ranges").default],
      [[{ protocol: "tcp", ports: ["3389"] }], "${var.rdp_source_ranges}", ["0.0.0.0/0"]],
    ],
    ["allow-icmp: ICMP", () => firewall("icmp").allow, [{ protocol: "icmp" }]],
    [
      "allow-http: TCP 80 and 443 to instances tagged windows-vm",
      () => [firewall("http").allow, firewall("http").target_tags],
      [[{ protocol: "tcp", ports: ["80", "443"] }], ["windows-vm"]],
    ],
    [
      "The first four are created or skipped together by create_default_firewall_rules",
      () => ["internal", "ssh", "rdp", "icmp", "http"].map((rule) => firewall(rule).count),
      [...Array<string>(4).fill("${(var.create_default_firewall_rules) ? 1 : 0}"), undefined],
    ],
  ],

  "Cloud B": [
    [
      "Discovery uses this scoped key, not the bootstrap credentials. Cloud B: bootstrap credentials are used only to create the scoped read-only user",
      () =>
        JSON.stringify(labResource(IMPORT))
          .match(/var\.cloudb_\w+/g)
          ?.filter((name) => name !== "var.cloudb_region"),
      // It exists if there is a key id, which is all that it reads of the bootstrap credentials.
      ["var.cloudb_access_key_id"],
    ],
    [
      "Bootstrap credentials must allow: create user, create policy, attach user policy, create access key, and the matching delete operations",
      () => variable("cloudb_access_key_id").description,
      says("may create, attach and delete a user, a policy and an access key"),
    ],
    [
      "The cloud B command-line tool must be present in the runtime environment. Cloud B command-line tool absent: the import does not succeed",
      () => [command("terraform_data.lab_cloudb_programs"), labResource(AWS_USER).depends_on],
      ['sh "${path.module}/scripts/import-inventory.sh" --check', ["terraform_data.lab_cloudb_programs"]],
    ],
    [
      "The import queries instances in cloudb_region and builds CSV files of kinds vmInfo, diskInfo, tagInfo and an empty perfInfo",
      () => [valueAt(environment(IMPORT), "CLOUDB_REGION"), script("import-inventory.sh")],
      ["${var.cloudb_region}", says('tables="vmInfo diskInfo tagInfo perfInfo"')],
    ],
    [
      "Cloud B scoped policy: exactly three read-only describe permissions",
      () => policy().Statement.map(({ Action }) => Action),
      [["ec2:DescribeInstances", "ec2:DescribeInstanceTypes", "ec2:DescribeVolumes"]],
    ],
    [
      "cloudb_region does not host the instances: zero instances imported; the import step does nothing",
      () => variable("cloudb_region").description,
      says("A region without instances imports nothing"),
    ],
  ],

  "Input variables": [
    ["project_id", () => input("project_id"), ["1", "string", undefined, false]],
    ["region", () => input("region"), ["1", "string", "us-central1", false]],
    [
      "zone: must lie in region",
      () => [input("zone"), rulesOf("zone")],
      [["1", "string", "us-central1-a", false], says("must be a zone of the region")],
    ],
    [
      "tenant_id: accepted but unused; changing it has no effect; 1 to 20 lowercase letters, digits, hyphens",
      () => [
        input("tenant_id"),
        rulesOf("tenant_id"),
        JSON.stringify([labTerraform().resource, labTerraform().locals, labTerraform().output]).includes(
          "var.tenant_id",
        ),
      ],
      [["1", "string", "demo", false], says("1 to 20 lower-case letters, digits and hyphens"), false],
    ],
    [
      "create_vpc: if false, a network named assess-<id>-vpc must already exist. create_vpc = false and no network assess-<id>-vpc exists, with firewall rules enabled",
      () => [input("create_vpc"), valueAt(labTerraform().data, "google_compute_networks.lab_vpc_existing.count")],
      [["2", "bool", true, false], "${(!(var.create_vpc)) ? 1 : 0}"],
    ],
    ["create_default_firewall_rules", () => input("create_default_firewall_rules"), ["2", "bool", true, false]],
    [
      "internal_traffic_cidr: source range of allow-internal. Auto-mode VPC range 10.128.0.0/9",
      () => input("internal_traffic_cidr"),
      ["2", "string", "10.128.0.0/9", false],
    ],
    ["create_windows_vm", () => input("create_windows_vm"), ["3", "bool", true, false]],
    [
      "windows_vm_machine_type: Default machine type e2-medium; boot disk default 50 GB",
      () => input("windows_vm_machine_type"),
      ["3", "string", "e2-medium", false],
    ],
    [
      "windows_vm_boot_disk_size_gb: keep >= 50. Windows-family boot disk: keep at least 50 GB (default 50)",
      () => [input("windows_vm_boot_disk_size_gb"), rulesOf("windows_vm_boot_disk_size_gb")],
      [["3", "number", 50, false], says("must be a whole number from 50")],
    ],
    [
      "linux_vm_count: 0 deploys no targets. Linux target count default: 3. linux_vm_count = 0: no scan targets; only a cloud B import can supply assets",
      () => [input("linux_vm_count"), warning("lab_has_scan_targets")],
      [["3", "number", 3, false], says("only an import from AWS can supply assets")],
    ],
    [
      "linux_vm_machine_type: Default machine type e2-medium; boot disk default 20 GB",
      () => input("linux_vm_machine_type"),
      ["3", "string", "e2-medium", false],
    ],
    [
      "linux_vm_boot_disk_size_gb. Linux boot disk default: 20 GB",
      () => input("linux_vm_boot_disk_size_gb"),
      ["3", "number", 20, false],
    ],
    [
      "create_ssh_key_bucket: if false, the private key exists only in the state. create_ssh_key_bucket = false: no lab-ssh-key.pem to download",
      () => [input("create_ssh_key_bucket"), warning("lab_has_key_file")],
      [["7", "bool", true, false], says("there is no lab-ssh-key.pem to download")],
    ],
    [
      "initialize_assessment_service: false provisions only VMs, VPC and bucket",
      () => [input("initialize_assessment_service"), count("google_project_service.lab_apis_migrationcenter")],
      [["8", "bool", true, false], WITH_SERVICE],
    ],
    [
      "assess_discovery_client_name. Client name typed in the discovery client differs (case-sensitive) from assess_discovery_client_name: a second, unregistered source",
      () => [input("assess_discovery_client_name"), output("assess_discovery_client_name").description],
      [["8", "string", "assess-discovery-client", false], says("capitals included")],
    ],
    ["cloudb_access_key_id", () => input("cloudb_access_key_id"), ["8", "string", "", true]],
    [
      "cloudb_secret_access_key: must be given together with the key id. Only one of the two cloud B credentials given, or credentials lacking identity-write rights",
      () => [input("cloudb_secret_access_key"), rulesOf("cloudb_region")],
      [["8", "string", "", true], says("for the lab, or set neither")],
    ],
    ["cloudb_region", () => input("cloudb_region"), ["8", "string", "us-east-1", false]],
    [
      "The 19 variables, and four beside the contract",
      () => Object.keys(labTerraform().variable ?? {}).length,
      19 + ["deployment_id", "labels", "rdp_source_ranges", "windows_password"].length,
    ],
  ],

  Outputs: [
    ["deployment_id", () => output("deployment_id").value, "${local.lab_deployment_id}"],
    ["project_id", () => output("project_id").value, "${var.project_id}"],
    ["windows_vm_name: null when not created", () => output("windows_vm_name").value, `\${one(${WINDOWS}[*].name)}`],
    [
      "windows_vm_external_ip: address for RDP; its description carries the lab user name and password",
      () => [output("windows_vm_external_ip").value, output("windows_vm_external_ip").description],
      [
        `\${one(${WINDOWS}[*].network_interface[0].access_config[0].nat_ip)}`,
        says(`${LAB_USER} with the password ${LAB_PASSWORD}`),
      ],
    ],
    ["linux_vm_names", () => output("linux_vm_names").value, `\${${LINUX}[*].name}`],
    [
      "linux_vm_internal_ips",
      () => output("linux_vm_internal_ips").value,
      `\${${LINUX}[*].network_interface[0].network_ip}`,
    ],
    [
      "ssh_key_bucket_name: null when not created",
      () => [output("ssh_key_bucket_name").value, local("lab_key_bucket_name")],
      ["${local.lab_key_bucket_name}", `\${one(${BUCKET}[*].name)}`],
    ],
    ["ssh_key_user: Linux user name for the SSH credential", () => output("ssh_key_user").value, LAB_USER],
    [
      "assess_discovery_client_name: name to type into the discovery client",
      () => "assess_discovery_client_name" in (labTerraform().output ?? {}),
      true,
    ],
    [
      "assessment_service_url: direct console URL for the project",
      () => output("assessment_service_url").value,
      "https://console.cloud.google.com/migration?project=${var.project_id}",
    ],
    ["assess_source_id: null when initialization is disabled", () => count(SOURCE), WITH_SERVICE],
    ["vpc_name", () => output("vpc_name").value, "assess-${local.lab_deployment_id}-vpc"],
    [
      "cloudb_iam_user_arn: null when cloud B is disabled",
      () => output("cloudb_iam_user_arn").value,
      `\${one(${AWS_USER}[*].arn)}`,
    ],
    ["These 13 outputs and no other", () => Object.keys(labTerraform().output ?? {}).length, 13],
  ],

  "States and transitions": [
    [
      "Apply enables required APIs; Destroy: enabled APIs stay enabled",
      () =>
        Object.values(labTerraform().resource?.google_project_service ?? {})
          .map((api) => [api.service, api.disable_on_destroy])
          .sort(),
      ["compute", "iam", "migrationcenter", "storage"].map((api) => [`${api}.googleapis.com`, false]),
    ],
    [
      "Destroy removes VMs, VPC, firewall rules and the key bucket (with its key object)",
      () => [
        labResource(BUCKET).force_destroy,
        Object.keys(labTerraform().resource?.terraform_data ?? {}).filter((name) => name.includes("guard")),
      ],
      [true, []],
    ],
    [
      "Start collection. Discovered assets stream to the assessment service and join any imported cloud B inventory",
      () => [valueAt(environment(IMPORT), "SOURCE_ID"), valueAt(environment(SOURCE), "SOURCE_ID")],
      ["${local.lab_source_id}", "${local.lab_source_id}"],
    ],
    [
      "Provisioning time: about 5 to 8 minutes; startup script a further 3 to 5 minutes. Scan run once only: Real assessment duration 2 to 4 weeks of collection",
      () => {
        const page = readFileSync(packageFile("stacks/assessment-lab.md"), "utf8").replaceAll(/\s+/g, " ");
        return ["takes 5 to 8 minutes", "needs 3 to 5 minutes more", "two to four weeks"].filter(
          (fact) => !page.includes(fact),
        );
      },
      [],
    ],
  ],

  "Endpoints, authentication and versioning": [
    [
      "GET /v1/projects/<project_id>/locations/<region>/sources, /assets and /importJobs: the assessment service API is addressed under version v1 in the path",
      () => {
        const status = script("assessment-status.sh");
        const library = readFileSync(packageFile("lib/core/scripts/rest-script.sh"), "utf8");
        return [
          ["sources", "assets", "importJobs"].filter((collection) => !status.includes(collection)),
          library.includes("\nmigrationcenter MIGRATION_CENTER v1 "),
        ];
      },
      [[], true],
    ],
    [
      "REST calls to the assessment service carry an OAuth 2.0 bearer access token of the calling user (header Authorization: Bearer <ACCESS_TOKEN>)",
      () =>
        readFileSync(packageFile("lib/core/scripts/google-rest.sh"), "utf8").includes(
          '"Authorization: Bearer $google_token',
        ),
      true,
    ],
    [
      "The provisioning account needs the Owner role on the target project",
      () => variable("project_id").description,
      says("needs the Owner role"),
    ],
    [
      "Access to the state and to the key bucket must be restricted; rotate the key after the session when needed",
      () => output("ssh_key_bucket_name").description,
      expect.stringMatching(/limit both.*-replace=tls_private_key\.lab_key/),
    ],
    [
      "The discovery client is version 6; the Windows-family image is the 2022 release and the Linux image is release 12. The module defines no further version numbers for itself",
      () => Object.keys(labTerraform().variable ?? {}).filter((name) => name.includes("version")),
      [],
    ],
  ],
});
