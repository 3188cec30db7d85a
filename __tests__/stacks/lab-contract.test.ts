import { readFileSync } from "node:fs";

import { joinedScript } from "../../lib/core/joined-script";
import { packageFile } from "../../lib/core/package-file";
import { LAB_PASSWORD, LAB_USER } from "../../lib/lab/contract";
import { awsUserName } from "../../lib/lab/lab-names";
import { CLOUDB_PROGRAMS_ADDRESS } from "../../stacks/inputs/lab-inputs";
import { type Block } from "../support/synthesis";
import { valueAt } from "./configuration-graph";
import { labResource, labTerraform } from "./lab-stack";

/** The words of a row of the contract, where its fact is read, and what it must be. */
type Row = readonly [row: string, fact: () => unknown, expected: unknown];

const variable = (name: string): Block => labTerraform().variable?.[name] ?? {};
const output = (name: string): Block => labTerraform().output?.[name] ?? {};
const local = (name: string) => labTerraform().locals?.[name];
const typesOf = (pattern: RegExp) => Object.keys(labTerraform().resource ?? {}).filter((type) => pattern.test(type));
const messageOf = (check: string) => valueAt(labTerraform().check?.[check], "assert.0.error_message");

const WINDOWS = "google_compute_instance.lab_windows_vm";
const LINUX = "google_compute_instance.lab_linux_vm";
const BUCKET = "google_storage_bucket.lab_key_bucket";
const CLOUDB_USER = "aws_iam_user.lab_cloudb_user";
const firewall = (rule: string) => labResource(`google_compute_firewall.lab_firewall_${rule}`);

/** Type, default, and whether it is sensitive: one input as the contract has it, by the group of its form. */
const input = (name: string) => {
  const { default: value, description, sensitive = false, type } = variable(name);
  return [/^\[(\d) [^\]]+\]/.exec(String(description))?.[1], type, value, sensitive];
};

/** What an input's own rules say. */
const rulesOf = (name: string) =>
  ((variable(name).validation ?? []) as { error_message: string }[]).map((rule) => rule.error_message).join("\n");

/** What the page of the lab says, in one line. */
const page = () => readFileSync(packageFile("stacks/assessment-lab.md"), "utf8").replaceAll(/\s+/g, " ");

/** Files that are put into every folder, as the package has them, with their parts in them. */
const windowsScript = () => joinedScript(packageFile("lib/lab/scripts/windows-first-boot.ps1"));

const TABLES: Readonly<Record<string, readonly Row[]>> = {
  Capabilities: [
    [
      "Discovery client host: Windows-family server image, 2022 release, reachable by RDP",
      () => [valueAt(labResource(WINDOWS), "boot_disk.initialize_params.image"), firewall("allow_rdp").allow],
      ["windows-cloud/windows-2022", [{ protocol: "tcp", ports: ["3389"] }]],
    ],
    [
      "Discovery client host: installed silently by a startup script",
      () => valueAt(labResource(WINDOWS), "metadata.windows-startup-script-ps1"),
      '${file("${path.module}/scripts/windows-first-boot.ps1")}',
    ],
    [
      "Scan targets: Linux server image, release 12",
      () => valueAt(labResource(LINUX), "boot_disk.initialize_params.image"),
      "debian-cloud/debian-12",
    ],
    [
      "Scan targets: default 3",
      () => [labResource(LINUX).count, variable("linux_vm_count").default],
      ["${var.linux_vm_count}", 3],
    ],
    [
      "SSH key storage: private object-storage bucket holds lab-ssh-key.pem",
      () => labResource("google_storage_bucket_object.lab_key_file"),
      expect.objectContaining({
        bucket: `\${one(${BUCKET}[*].id)}`,
        content: "${tls_private_key.lab_key.private_key_pem}",
        name: "lab-ssh-key.pem",
      }),
    ],
    [
      "Network: auto-mode VPC plus firewall rules",
      () => labResource("google_compute_network.lab_vpc").auto_create_subnetworks,
      true,
    ],
    [
      "The region is fixed by region, default us-central1",
      () => input("region"),
      ["1", "string", "us-central1", false],
    ],
  ],

  Naming: [
    [
      "VPC assess-<id>-vpc",
      () => labResource("google_compute_network.lab_vpc").name,
      "assess-${local.lab_deployment_id}-vpc",
    ],
    [
      "Windows-family host assess-<id>-winvm01",
      () => labResource(WINDOWS).name,
      "assess-${local.lab_deployment_id}-winvm01",
    ],
    ["Windows-family host: tag windows-vm", () => labResource(WINDOWS).tags, ["windows-vm"]],
    [
      "Linux scan targets assess-<id>-linvm-1 ... assess-<id>-linvm-N",
      () => labResource(LINUX).name,
      "assess-${local.lab_deployment_id}-linvm-${count.index + 1}",
    ],
    ["SSH key bucket assess-<id>-keys", () => labResource(BUCKET).name, "assess-${local.lab_deployment_id}-keys"],
    [
      "SSH key bucket: private, uniform bucket-level access, force-destroy on destroy",
      () => labResource(BUCKET),
      expect.objectContaining({
        public_access_prevention: "enforced",
        uniform_bucket_level_access: true,
        force_destroy: true,
      }),
    ],
    ["AWS scoped user assess-discovery-<id>", () => awsUserName("0a1b2c3d"), "assess-discovery-0a1b2c3d"],
    [
      "<id> is the output deployment_id: random hexadecimal digits unless it is given",
      () => [output("deployment_id").value, local("lab_deployment_id"), labResource("random_id.lab_random_id")],
      [
        "${local.lab_deployment_id}",
        "${coalesce(var.deployment_id, one(random_id.lab_random_id[*].hex))}",
        expect.objectContaining({ byte_length: 4, count: "${(var.deployment_id == null) ? 1 : 0}" }),
      ],
    ],
  ],

  Hosts: [
    [
      "Windows-family host: machine type e2-medium, boot disk 50 GB",
      () => [input("windows_vm_machine_type"), input("windows_vm_boot_disk_size_gb")],
      [
        ["3", "string", "e2-medium", false],
        ["3", "number", 50, false],
      ],
    ],
    [
      "Windows-family host: the fixed password is in the script's values, not in its text",
      () => [valueAt(local("lab_windows_vm_first_boot_values"), "labPassword"), windowsScript().includes(LAB_PASSWORD)],
      [expect.stringContaining(LAB_PASSWORD), false],
    ],
    [
      "Linux scan targets: machine type e2-medium, boot disk 20 GB",
      () => [input("linux_vm_machine_type"), input("linux_vm_boot_disk_size_gb")],
      [
        ["3", "string", "e2-medium", false],
        ["3", "number", 20, false],
      ],
    ],
    [
      "Linux scan targets: the public key is injected both through metadata and through a startup script",
      () => [
        valueAt(labResource(LINUX), "metadata.ssh-keys"),
        valueAt(labResource(LINUX), "metadata.startup-script"),
        valueAt(local("lab_linux_vm_first_boot_values"), "sshPublicKey"),
      ],
      [
        `${LAB_USER}:\${trimspace(tls_private_key.lab_key.public_key_openssh)}`,
        '${file("${path.module}/scripts/linux-first-boot.sh")}',
        "${trimspace(tls_private_key.lab_key.public_key_openssh)}",
      ],
    ],
    [
      "Linux scan targets: reached by internal IP, so they have no other",
      () => valueAt(labResource(LINUX), "network_interface.0"),
      { network: "${local.lab_vpc_network_id}" },
    ],
    [
      "Key material: RSA 4096-bit",
      () => labResource("tls_private_key.lab_key"),
      expect.objectContaining({ algorithm: "RSA", rsa_bits: 4096 }),
    ],
    [
      "Key material: SSH credential Lab-key with the username <lab_user>",
      () => [output("ssh_key_user").description, output("ssh_key_user").value],
      [expect.stringContaining("Lab-key"), LAB_USER],
    ],
  ],

  "Firewall rules": [
    [
      "allow-internal: all protocols from internal_traffic_cidr",
      () => [firewall("allow_internal").allow, firewall("allow_internal").source_ranges],
      [[{ protocol: "all" }], ["${var.internal_traffic_cidr}"]],
    ],
    [
      "allow-ssh: TCP 22, from the identity-aware proxy alone",
      () => [firewall("allow_ssh").allow, firewall("allow_ssh").source_ranges],
      [[{ protocol: "tcp", ports: ["22"] }], ["35.235.240.0/20"]],
    ],
    [
      "allow-rdp: TCP 3389, source 0.0.0.0/0",
      () => [firewall("allow_rdp").allow, firewall("allow_rdp").source_ranges, variable("rdp_source_ranges").default],
      [[{ protocol: "tcp", ports: ["3389"] }], "${var.rdp_source_ranges}", ["0.0.0.0/0"]],
    ],
    [
      "allow-icmp: ICMP, from the internal range and the identity-aware proxy",
      () => [firewall("allow_icmp").allow, firewall("allow_icmp").source_ranges],
      [[{ protocol: "icmp" }], ["${var.internal_traffic_cidr}", "35.235.240.0/20"]],
    ],
    [
      "allow-http: TCP 80 and 443 to instances tagged windows-vm",
      () => [firewall("allow_http").allow, firewall("allow_http").target_tags, firewall("allow_http").direction],
      [[{ protocol: "tcp", ports: ["80", "443"] }], ["windows-vm"], "INGRESS"],
    ],
    [
      "allow-http: outbound access does not depend on it",
      () => firewall("allow_http").description,
      expect.stringContaining("its own access to APIs and sign-in pages does not depend on it"),
    ],
    [
      "allow-rdp: a warning while everybody may try to sign in",
      () => messageOf("lab_limits_remote_desktop"),
      "rdp_source_ranges allows most of the internet; anyone there may try to sign in to the Windows VM, because allow-rdp checks only the source address; set the addresses of the participants, for example 203.0.113.7/32.",
    ],
    [
      "The first four are created or skipped together by create_default_firewall_rules",
      () => ["internal", "ssh", "rdp", "icmp", "http"].map((rule) => firewall(`allow_${rule}`).count),
      [...Array<string>(4).fill("${(var.create_default_firewall_rules) ? 1 : 0}"), undefined],
    ],
    [
      "Resource names follow the pattern assess-<id>-...",
      () =>
        Object.values(labTerraform().resource?.google_compute_firewall ?? {})
          .map(({ name }) => String(name))
          .sort(),
      ["http", "icmp", "internal", "rdp", "ssh"].map((rule) => `assess-\${local.lab_deployment_id}-allow-${rule}`),
    ],
  ],

  "Input variables": [
    ["project_id", () => input("project_id"), ["1", "string", undefined, false]],
    [
      "project_id: must already exist; the provisioning account needs the Owner role",
      () => variable("project_id").description,
      expect.stringMatching(/it must exist .* needs the Owner role/),
    ],
    ["region", () => input("region"), ["1", "string", "us-central1", false]],
    [
      "region: permanently sets the assessment region",
      () => variable("region").description,
      expect.stringContaining("permanently, of all assessment data of the project"),
    ],
    ["zone", () => input("zone"), ["1", "string", "us-central1-a", false]],
    ["zone: must lie in region", () => rulesOf("zone"), expect.stringContaining("must be a zone of the region")],
    ["tenant_id", () => input("tenant_id"), ["1", "string", "demo", false]],
    [
      "tenant_id: accepted but unused; changing it has no effect",
      () => [
        variable("tenant_id").description,
        JSON.stringify([labTerraform().resource, labTerraform().locals, labTerraform().output]).includes(
          "var.tenant_id",
        ),
      ],
      [expect.stringContaining("It has no effect, now or if it is changed later"), false],
    ],
    ["deployment_id, which create_vpc = false needs", () => input("deployment_id"), ["1", "string", null, false]],
    ["create_vpc", () => input("create_vpc"), ["2", "bool", true, false]],
    [
      "create_vpc: if false, a network named assess-<id>-vpc must already exist",
      () => valueAt(labTerraform().data, "google_compute_networks.lab_vpc_existing.count"),
      "${(!(var.create_vpc)) ? 1 : 0}",
    ],
    ["create_default_firewall_rules", () => input("create_default_firewall_rules"), ["2", "bool", true, false]],
    [
      "create_default_firewall_rules: set false if the rules already exist on the target network",
      () => variable("create_default_firewall_rules").description,
      expect.stringContaining("Set it to false when the target network has such rules already"),
    ],
    ["internal_traffic_cidr", () => input("internal_traffic_cidr"), ["2", "string", "10.128.0.0/9", false]],
    [
      "rdp_source_ranges, beside the contract",
      () => input("rdp_source_ranges"),
      ["2", "list(string)", ["0.0.0.0/0"], false],
    ],
    ["create_windows_vm", () => input("create_windows_vm"), ["3", "bool", true, false]],
    ["windows_vm_machine_type", () => input("windows_vm_machine_type"), ["3", "string", "e2-medium", false]],
    ["windows_vm_boot_disk_size_gb", () => input("windows_vm_boot_disk_size_gb"), ["3", "number", 50, false]],
    [
      "windows_vm_boot_disk_size_gb: keep >= 50",
      () => rulesOf("windows_vm_boot_disk_size_gb"),
      expect.stringContaining("must be a whole number from 50"),
    ],
    [
      "windows_password, beside the contract, with the contract's password as default",
      () => [input("windows_password"), valueAt(local("lab_windows_vm_first_boot_values"), "labPassword")],
      [["3", "string", "fixed", false], `\${(var.windows_password == "unknown" ? null : "${LAB_PASSWORD}")}`],
    ],
    ["linux_vm_count", () => input("linux_vm_count"), ["3", "number", 3, false]],
    [
      "linux_vm_count: 0 deploys no targets",
      () => variable("linux_vm_count").description,
      expect.stringContaining("0 deploys none"),
    ],
    ["linux_vm_machine_type", () => input("linux_vm_machine_type"), ["3", "string", "e2-medium", false]],
    ["linux_vm_boot_disk_size_gb", () => input("linux_vm_boot_disk_size_gb"), ["3", "number", 20, false]],
    ["create_ssh_key_bucket", () => input("create_ssh_key_bucket"), ["7", "bool", true, false]],
    [
      "create_ssh_key_bucket: if false, the private key exists only in the state and no file can be downloaded",
      () => variable("create_ssh_key_bucket").description,
      expect.stringContaining("False keeps it only in the state, so no file can be downloaded"),
    ],
    ["initialize_assessment_service", () => input("initialize_assessment_service"), ["8", "bool", true, false]],
    [
      "initialize_assessment_service: false provisions only VMs, VPC and bucket",
      () => valueAt(labTerraform().resource, "google_project_service.lab_apis_migrationcenter.count"),
      "${(var.initialize_assessment_service) ? 1 : 0}",
    ],
    [
      "assess_discovery_client_name",
      () => input("assess_discovery_client_name"),
      ["8", "string", "assess-discovery-client", false],
    ],
    ["cloudb_access_key_id", () => input("cloudb_access_key_id"), ["8", "string", "", true]],
    ["cloudb_secret_access_key", () => input("cloudb_secret_access_key"), ["8", "string", "", true]],
    [
      "cloudb_secret_access_key: must be given together with the key id",
      () => rulesOf("cloudb_region"),
      expect.stringContaining(
        "only one of cloudb_access_key_id and cloudb_secret_access_key is given; a request is signed with both; set both, or neither",
      ),
    ],
    ["cloudb_region", () => input("cloudb_region"), ["8", "string", "us-east-1", false]],
    [
      "The 19 variables, and four beside the contract",
      () => Object.keys(labTerraform().variable ?? {}).sort(),
      [
        ...["assess_discovery_client_name", "cloudb_access_key_id", "cloudb_region", "cloudb_secret_access_key"],
        ...["create_default_firewall_rules", "create_ssh_key_bucket", "create_vpc", "create_windows_vm"],
        ...["deployment_id", "initialize_assessment_service", "internal_traffic_cidr", "labels"],
        ...[
          "linux_vm_boot_disk_size_gb",
          "linux_vm_count",
          "linux_vm_machine_type",
          "project_id",
          "rdp_source_ranges",
          "region",
          "tenant_id",
        ],
        ...["windows_password", "windows_vm_boot_disk_size_gb", "windows_vm_machine_type", "zone"],
      ],
    ],
  ],

  Outputs: [
    ["deployment_id", () => output("deployment_id").value, "${local.lab_deployment_id}"],
    ["project_id", () => output("project_id").value, "${var.project_id}"],
    ["windows_vm_name: null when not created", () => output("windows_vm_name").value, `\${one(${WINDOWS}[*].name)}`],
    [
      "windows_vm_external_ip: address for RDP",
      () => output("windows_vm_external_ip").value,
      `\${one(${WINDOWS}[*].network_interface[0].access_config[0].nat_ip)}`,
    ],
    [
      "windows_vm_external_ip: its description carries the lab user name and password",
      () => output("windows_vm_external_ip").description,
      expect.stringContaining(`Sign in as ${LAB_USER} with the password ${LAB_PASSWORD}`),
    ],
    [
      "windows_vm_external_ip: its description has the platform's own command for a password that nobody knows",
      () => output("windows_vm_external_ip").description,
      expect.stringContaining(
        `gcloud compute reset-windows-password <windows_vm_name> --user=${LAB_USER} --project=<project_id> --zone=<zone>`,
      ),
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
      () => output("assess_discovery_client_name").value,
      "${var.assess_discovery_client_name}",
    ],
    [
      "assessment_service_url: direct console URL for the project",
      () => output("assessment_service_url").value,
      "https://console.cloud.google.com/migration?project=${var.project_id}",
    ],
    [
      "assess_source_id: null when initialization is disabled",
      () => [
        output("assess_source_id").value,
        valueAt(labTerraform().resource, "terraform_data.lab_source_registered.count"),
        output("assess_source_id").description,
      ],
      [
        "${one(terraform_data.lab_source_registered[*].output.source_id)}",
        "${(var.initialize_assessment_service) ? 1 : 0}",
        expect.stringContaining("null when initialization is off"),
      ],
    ],
    ["vpc_name", () => output("vpc_name").value, "assess-${local.lab_deployment_id}-vpc"],
    [
      "cloudb_iam_user_arn: null when AWS is disabled",
      () => [
        output("cloudb_iam_user_arn").value,
        labResource(CLOUDB_USER).count,
        output("cloudb_iam_user_arn").description,
      ],
      [
        `\${one(${CLOUDB_USER}[*].arn)}`,
        '${((var.cloudb_access_key_id != "") && (var.initialize_assessment_service)) ? 1 : 0}',
        expect.stringContaining("null without AWS credentials"),
      ],
    ],
    [
      "The 13 outputs, none of them sensitive",
      () =>
        Object.entries(labTerraform().output ?? {})
          .map(([name, { sensitive = false }]) => `${name} ${String(sensitive)}`)
          .sort(),
      [
        ...["assess_discovery_client_name", "assess_source_id", "assessment_service_url", "cloudb_iam_user_arn"],
        ...["deployment_id", "linux_vm_internal_ips", "linux_vm_names", "project_id", "ssh_key_bucket_name"],
        ...["ssh_key_user", "vpc_name", "windows_vm_external_ip", "windows_vm_name"],
      ].map((name) => `${name} false`),
    ],
  ],

  "States and transitions": [
    [
      "Apply enables required APIs",
      () => Object.keys(labTerraform().resource?.google_project_service ?? {}).sort(),
      ["lab_apis_compute", "lab_apis_iam", "lab_apis_migrationcenter", "lab_apis_storage"],
    ],
    [
      "Destroy: enabled APIs stay enabled",
      () =>
        Object.values(labTerraform().resource?.google_project_service ?? {}).map(({ disable_on_destroy: off }) => off),
      Array<boolean>(4).fill(false),
    ],
    [
      "Destroy removes the key bucket with its key object",
      () => [labResource(BUCKET).force_destroy, typesOf(/guard/)],
      [true, []],
    ],
  ],

  Authentication: [
    [
      "RDP is open to 0.0.0.0/0 and meant for throw-away labs only: the input says so",
      () => variable("create_default_firewall_rules").description,
      expect.stringContaining("allow-rdp allows any source address, because a lab is temporary"),
    ],
    [
      "Access to the state and to the key bucket must be restricted; rotate the key when needed",
      () => output("ssh_key_bucket_name").description,
      expect.stringMatching(/limit both.*-replace=tls_private_key\.lab_key/),
    ],
    [
      "No host has a service account",
      () => [labResource(WINDOWS).service_account, labResource(LINUX).service_account],
      [undefined, undefined],
    ],
  ],

  "Errors and limits": [
    [
      "A name typed otherwise makes a second source: the output says that capitals count",
      () => output("assess_discovery_client_name").description,
      expect.stringContaining("capitals included"),
    ],
    [
      "Only one of the two AWS credentials: refused before anything is created",
      () => rulesOf("cloudb_region"),
      expect.stringContaining("a request is signed with both; set both, or neither"),
    ],
    [
      "Bootstrap credentials without identity-write rights: the user's creation fails, and the page lists the rights",
      () => [page(), /```text ((?:iam:\w+ ?)+)```/.exec(page())?.[1]?.trim().split(" ").sort()],
      [
        expect.stringContaining("a key that may only list instances fails when the user is created"),
        [
          ...["iam:AttachUserPolicy", "iam:CreateAccessKey", "iam:CreatePolicy", "iam:CreateUser"],
          ...["iam:DeleteAccessKey", "iam:DeletePolicy", "iam:DeleteUser", "iam:DetachUserPolicy", "iam:GetPolicy"],
          ...["iam:GetPolicyVersion", "iam:GetUser", "iam:ListAccessKeys", "iam:ListAttachedUserPolicies"],
          ...["iam:ListGroupsForUser", "iam:ListPolicyVersions"],
        ],
      ],
    ],
    [
      "Bootstrap credentials: the input names every kind of right",
      () => variable("cloudb_access_key_id").description,
      expect.stringContaining("may create, attach and delete a user, a policy and an access key"),
    ],
    [
      "AWS CLI absent: asked for before anything is created in AWS",
      () => [
        valueAt(labTerraform().resource, `${CLOUDB_PROGRAMS_ADDRESS}.provisioner.0.local-exec.command`),
        labResource(CLOUDB_USER).depends_on,
        page(),
      ],
      [
        expect.stringMatching(/scripts\/discover-cloudb\.sh"? --check$/),
        [CLOUDB_PROGRAMS_ADDRESS],
        expect.stringContaining("the machine that applies needs the `aws` program"),
      ],
    ],
    [
      "AWS scoped policy: exactly three read-only describe permissions",
      () =>
        (
          JSON.parse(String(labResource("aws_iam_policy.lab_cloudb_user_policy").policy)) as {
            Statement: { Action: string[] }[];
          }
        ).Statement.map(({ Action }) => Action),
      [["ec2:DescribeInstances", "ec2:DescribeInstanceTypes", "ec2:DescribeVolumes"]],
    ],
    [
      "Scan run once only, and 2 to 4 weeks of collection: the page says that one scan understates the sizes",
      () => page(),
      expect.stringContaining(
        "One scan is a snapshot and understates the sizes; a real assessment collects for two to four weeks.",
      ),
    ],
    [
      "Provisioning time: the page says it, and how to see the end",
      () => page(),
      expect.stringMatching(
        /The apply takes 5 to 8 minutes\. .* which needs 3 to 5 minutes more; the last line of the Windows VM's serial port says `assessment-lab: ready`/,
      ),
    ],
    [
      "Assessment region: permanent once initialized, as input and page say",
      () => [variable("region").description, page()],
      [
        expect.stringContaining("only another project can have assessment data in another region"),
        expect.stringContaining("choose that of the lab: the choice is permanent"),
      ],
    ],
    [
      "The policies of an organization that stop a lab are on the page",
      () =>
        ["iam.disableServiceAccountKeyCreation", "compute.vmExternalIpAccess", "compute.requireOsLogin"].filter(
          (policy) => !page().includes(`| \`${policy}\` |`),
        ),
      [],
    ],
    [
      "deployment_id: the input says that the bucket's name is shared with everybody",
      () => variable("deployment_id").description,
      expect.stringContaining("assess-<id>-keys, must be available: bucket names are global"),
    ],
    [
      "What inputs, outputs and page tell to replace or to destroy is there",
      () => {
        const told = [page(), JSON.stringify([labTerraform().variable, labTerraform().output])]
          .flatMap((text) => [...text.matchAll(/-(?:replace|target)='?(\w+)\.(lab_\w+)/g)])
          .map(
            ([, type = "", name = ""]) =>
              `${type}.${name}${labTerraform().resource?.[type]?.[name] ? "" : " is missing"}`,
          );
        return [...new Set(told)].sort();
      },
      [
        ...[
          WINDOWS,
          "terraform_data.lab_cloudb_import",
          CLOUDB_PROGRAMS_ADDRESS,
          "terraform_data.lab_source_registered",
        ],
        "tls_private_key.lab_key",
      ],
    ],
    [
      "cloudb_region does not host the instances: zero imported, as the input says",
      () => variable("cloudb_region").description,
      expect.stringContaining("A region without instances imports nothing"),
    ],
    [
      "create_vpc = false and no network assess-<id>-vpc exists: refused at plan",
      () =>
        valueAt(
          labTerraform().data,
          "google_compute_networks.lab_vpc_existing.lifecycle.postcondition.0.error_message",
        ),
      "create_vpc is false and project ${var.project_id} has no network assess-${var.deployment_id}-vpc; it must exist, because firewall rules and VMs are created on it; create an auto-mode network of that name, or set create_vpc to true.",
    ],
    [
      "create_ssh_key_bucket = false: a check says where the key then is",
      () => messageOf("lab_has_key_file"),
      "create_ssh_key_bucket is false; there is no lab-ssh-key.pem to download, because the private key is in the state alone, at tls_private_key.lab_key; set it to true, or take private_key_pem from there.",
    ],
    [
      "linux_vm_count = 0: a check says that only an AWS import can supply assets",
      () => messageOf("lab_has_scan_targets"),
      "linux_vm_count is 0; only an import from AWS can supply assets, because there is nothing to scan; raise it, or import from AWS, which needs its credentials and initialize_assessment_service.",
    ],
    [
      "Assessment-service objects remain after destroy, as the input says",
      () => variable("initialize_assessment_service").description,
      expect.stringContaining("A destroy removes nothing from Migration Center"),
    ],
    [
      "tenant_id: 1 to 20 chars of lowercase letters, digits, hyphens",
      () => rulesOf("tenant_id"),
      expect.stringContaining("1 to 20 lower-case letters, digits and hyphens"),
    ],
    [
      "Windows-family boot disk: keep at least 50 GB",
      () => rulesOf("windows_vm_boot_disk_size_gb"),
      expect.stringContaining("from 50 to"),
    ],
    ["Auto-mode VPC range 10.128.0.0/9", () => variable("internal_traffic_cidr").default, "10.128.0.0/9"],
    [
      "A Windows computer name holds 15 characters: the input says what is cut, and refuses what would not be legal",
      () => [variable("deployment_id").description, rulesOf("deployment_id")],
      [
        expect.stringContaining(
          "of which Windows keeps the first 15 characters as its computer name: with 8 that is assess-<id>",
        ),
        expect.stringContaining("end in a hyphen, which a computer name must not"),
      ],
    ],
  ],
};

describe.each(Object.entries(TABLES))("The lab's contract, %s", (_table, rows) => {
  it.each(rows.map(([row, fact, expected]) => ({ row, fact, expected })))("$row", ({ fact, expected }) => {
    expect(fact()).toEqual(expected);
  });
});
