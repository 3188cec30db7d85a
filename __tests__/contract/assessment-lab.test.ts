import { readFileSync } from "node:fs";

import { packageFile } from "../../lib/core/package-file";
import { LAB_PASSWORD, LAB_USER } from "../../lib/lab/contract";
import { LAB_LANDING_ZONE } from "../../lib/lab/lab-landing-zone";
import { awsUserName } from "../../lib/lab/lab-names";
import { labResource, labTerraform } from "../stacks/lab-stack";
import { type Block } from "../support/synthesis";
import { elementOf, factAt, testContract } from "./rows";

const variable = (name: string): Block => elementOf(labTerraform().variable, name);
const output = (name: string): Block => elementOf(labTerraform().output, name);
const local = (name: string) => elementOf(labTerraform().locals, name);
const types = () => Object.keys(labTerraform().resource ?? {});
const warning = (check: string) => factAt(elementOf(labTerraform().check, check), "assert.0.error_message");
const count = (address: string) => labResource(address).count;

const WINDOWS = "google_compute_instance.lab_windows_vm";
const LINUX = "google_compute_instance.lab_linux_vm";
const BUCKET = "google_storage_bucket.lab_key_bucket";
const KEY = "tls_private_key.lab_key";
const AWS_USER = "aws_iam_user.lab_cloudb_user";
const SOURCE = "terraform_data.lab_source_registered";
const IMPORT = "terraform_data.lab_cloudb_import";
const firewall = (rule: string) => labResource(`google_compute_firewall.lab_firewall_allow_${rule}`);
const at = (address: string, path: string) => factAt(labResource(address), path);
const command = (address: string) => at(address, "provisioner.0.local-exec.command");
const environment = (address: string, name: string) => at(address, `provisioner.0.local-exec.environment.${name}`);

const REQUIRED = "required";

/** Type and default of an input, and whether it is sensitive, by the group of its form. */
const input = (name: string) => {
  const { default: value = REQUIRED, description, sensitive = false, type } = variable(name);
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
const BOOT_STEP = /(?<=@\{ Name = ')[^']+/g;
const IMPORT_STEPS =
  /\ntables="vmInfo diskInfo tagInfo perfInfo"\n[^]* google_upload [^]*\n  run_phase validate READY\n  run_phase run /;
const WITH_AWS = '${var.cloudb_access_key_id != "" && var.initialize_assessment_service ? 1 : 0}';
const WITH_SERVICE = "${var.initialize_assessment_service ? 1 : 0}";
const says = (text: string) => expect.stringContaining(text) as unknown;

testContract("assessment-lab", {
  "What the service does": {
    "Assessment service: initialized for the chosen region; a discovery source is registered automatically": [
      () => [command(SOURCE), environment(SOURCE, "REGION")],
      ['sh "${path.module}/scripts/register-source.sh"', "${var.region}"],
    ],
    "Discovery client host: virtual machine, Windows-family server image (2022 release): hosts the discovery client, installed silently by a startup script; reachable by RDP":
      [
        () => [at(WINDOWS, "boot_disk.initialize_params.image"), at(WINDOWS, "metadata.windows-startup-script-ps1")],
        [
          '${coalesce(var.image_project, "windows-cloud")}/windows-2022',
          '${file("${path.module}/scripts/windows-first-boot.ps1")}',
        ],
      ],
    "Scan targets: virtual machines, Linux server image (release 12), default 3; scanned by the discovery client over SSH":
      [
        () => [at(LINUX, "boot_disk.initialize_params.image"), count(LINUX)],
        ['${coalesce(var.image_project, "debian-cloud")}/debian-12', "${var.linux_vm_count}"],
      ],
    "SSH key storage: private object-storage bucket, holds the generated lab-ssh-key.pem; SSH private key object lab-ssh-key.pem, RSA 4096-bit private key":
      [
        () => labResource("google_storage_bucket_object.lab_key_file"),
        expect.objectContaining({
          bucket: `\${one(${BUCKET}[*].id)}`,
          content: `\${${KEY}.private_key_pem}`,
          name: "lab-ssh-key.pem",
        }),
      ],
    "Network: auto-mode VPC plus firewall rules; isolates the lab VMs. The module is standalone and relies on no shared foundation; it creates, directly in the target project: a dedicated VPC, firewall rules, sample VMs, and a bucket for the SSH key":
      [
        () => [
          labResource("google_compute_network.lab_vpc").auto_create_subnetworks,
          ["compute_firewall", "compute_instance", "storage_bucket"].every((type) =>
            types().includes(`google_${type}`),
          ),
          Object.keys(labTerraform().data ?? {}),
        ],
        [true, true, ["google_compute_networks"]],
      ],
    "Cloud B inventory (optional): cloud B identity management plus instance listing; a scoped read-only user is created and used to list instances and import them":
      [
        () => [count(AWS_USER), command(IMPORT), environment(IMPORT, "AWS_ACCESS_KEY_ID")],
        [
          WITH_AWS,
          'sh "${path.module}/scripts/import-inventory.sh"',
          "${one(aws_iam_access_key.lab_cloudb_user_key[*].id)}",
        ],
      ],
    "The region is permanent: on first initialization the assessment service binds all assessment data to one region, which cannot change without a new project. The module fixes the value of region (default us-central1). region: permanently sets the assessment region; assessment region: permanent once initialized":
      [() => variable("region").description, says("permanently, of all assessment data of the project")],
    "One step is manual: the discovery client's Google-style OAuth sign-in needs an interactive browser session and cannot be scripted. All other steps are automated. Start the discovery client; sign in with Google OAuth (manual; cannot be automated). The discovery client signs in through interactive OAuth (browser session); this step cannot be scripted":
      [() => /oauth/i.test(script("windows-first-boot.ps1")), false],
    "Cloud B is optional. When cloudb_access_key_id is empty, no cloud B API call is made and no cloud B resource is created; empty skips cloud B entirely":
      [
        () =>
          types()
            .filter((type) => type.startsWith("aws_"))
            .flatMap((type) => Object.values(labTerraform().resource?.[type] ?? {}).map((each) => each.count))
            .concat(count(IMPORT), count("terraform_data.lab_cloudb_programs")),
        Array<string>(6).fill(WITH_AWS),
      ],
    "Asset groups, migration preference sets and reports are deliberately not created in advance; the user creates them after discovery data has arrived. Create asset groups and migration preference sets, then generate a TCO report in the console or through the REST API":
      [
        // An empty group marks the lab for the cleanup of others.
        () => types().filter((type) => type.startsWith("google_migration_center")),
        ["google_migration_center_group"],
      ],
    "Assessment-service objects (the discovery source and the optional import job) are created through REST calls and are not tracked in the infrastructure state. On destroy they survive and must be removed through the console, the API, or by deleting the project. Assessment-service objects (source, import jobs, groups, preferences, reports) survive. Assessment-service objects after destroy: remain; manual cleanup needed":
      [
        () => [
          types().filter((type) => /migration_center_(source|import)/.test(type)),
          variable("initialize_assessment_service").description,
        ],
        [[], says("A destroy removes nothing from Migration Center")],
      ],
  },

  Naming: {
    "Resource names follow the pattern assess-<id>-...: VPC assess-<id>-vpc, auto mode; one subnet per region from 10.128.0.0/9":
      [() => labResource("google_compute_network.lab_vpc").name, "assess-${local.lab_deployment_id}-vpc"],
    "Windows-family host assess-<id>-winvm01, tag windows-vm": [
      () => [labResource(WINDOWS).name, labResource(WINDOWS).tags],
      ["assess-${local.lab_deployment_id}-winvm01", '${concat(["windows-vm"], var.network_tags)}'],
    ],
    "Linux scan targets assess-<id>-linvm-1 ... assess-<id>-linvm-N, N = linux_vm_count": [
      () => labResource(LINUX).name,
      "assess-${local.lab_deployment_id}-linvm-${count.index + 1}",
    ],
    "SSH key bucket assess-<id>-keys: private; uniform bucket-level access; force-destroy on destroy": [
      () => labResource(BUCKET),
      expect.objectContaining({
        name: "assess-${local.lab_deployment_id}-keys",
        public_access_prevention: "enforced",
        uniform_bucket_level_access: true,
        force_destroy: true,
      }),
    ],
    "Cloud B scoped user assess-discovery-<id>, only when cloud B is enabled. A user assess-discovery-<id>, a policy granting exactly three read-only permissions (describe instances, describe instance types, describe volumes), and an access key":
      [
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
    "<id> is the deployment suffix (output deployment_id). deployment_id: suffix used in all names": [
      () => [output("deployment_id").value, local("lab_deployment_id")],
      ["${local.lab_deployment_id}", "${coalesce(var.deployment_id, one(random_id.lab_random_id[*].hex))}"],
    ],
  },

  "Discovery source": {
    "Type: discovery client": [() => script("register-source.sh").includes("SOURCE_TYPE_DISCOVERY_CLIENT"), true],
    "Display name and output: equals assess_discovery_client_name, name to type into the discovery client (default assess-discovery-client); the discovery client must be given the identical, case-sensitive name at sign-in, otherwise results land in a second, unregistered source. Select the project and enter assess_discovery_client_name exactly, so the client attaches to the registered source":
      [
        () => [environment(SOURCE, "SOURCE_DISPLAY_NAME"), output("assess_discovery_client_name").value],
        ["${var.assess_discovery_client_name}", "${var.assess_discovery_client_name}"],
      ],
    "Identifier: output assess_source_id; the client attaches to it at sign-in; null when initialization is disabled": [
      () => [output("assess_source_id").value, count(SOURCE)],
      [`\${one(${SOURCE}[*].output.source_id)}`, WITH_SERVICE],
    ],
  },

  "Hosts and keys": {
    "A PowerShell startup script runs once on first boot and: creates the local user <lab_user> with a fixed, hard-coded password (<RDP_PASSWORD>), enables RDP, installs a web browser (needed for the OAuth flow), silently installs the discovery client, and places a sample cloud-B CSV import zip in the user's Downloads folder. RDP to the Windows-family host as <lab_user> with <RDP_PASSWORD>. RDP to the Windows-family host uses the fixed lab user and the hard-coded password <RDP_PASSWORD>; it is meant for throw-away labs only and allow-rdp is open to 0.0.0.0/0":
      [
        () => [at(WINDOWS, "metadata.lab-password"), script("windows-first-boot.ps1").match(BOOT_STEP)],
        [says(LAB_PASSWORD), ["values", "lab user", "remote desktop", "sample import", "browser", "discovery client"]],
      ],
    "The system user <lab_user> is authorized with the generated public key, injected both through instance metadata and through a startup script. The discovery client scans at guest-OS level over SSH and collects hardware profiles, OS details, installed software, running processes, network interfaces and open ports":
      [
        () => [
          at(LINUX, "metadata.ssh-keys"),
          at(LINUX, "metadata.startup-script"),
          at(LINUX, "metadata.lab-ssh-key"),
          script("linux-first-boot.sh"),
        ],
        [
          `${LAB_USER}:\${trimspace(${KEY}.public_key_openssh)}`,
          '${file("${path.module}/scripts/linux-first-boot.sh")}',
          `\${trimspace(${KEY}.public_key_openssh)}`,
          says("\nprintf '%s ALL=(ALL:ALL) NOPASSWD: ALL\\n'"),
        ],
      ],
    "The discovery client reaches them by internal IP: configure an IP scan range covering linux_vm_internal_ips": [
      () => [at(LINUX, "network_interface.0"), output("linux_vm_internal_ips").description],
      [{ network: "${local.lab_vpc_network_id}", subnetwork: "${var.subnetwork}" }, says("IP scan range")],
    ],
    "An RSA 4096-bit key pair is generated at deployment time. The public key goes onto every Linux VM. The private key is uploaded as lab-ssh-key.pem to the key bucket and is also held as a sensitive value in the infrastructure state. Key size: RSA 4096-bit":
      [() => labResource(KEY), expect.objectContaining({ algorithm: "RSA", rsa_bits: 4096 })],
    "In the lab the key is downloaded and loaded into the discovery client as an SSH credential named Lab-key with the username <lab_user>. Load lab-ssh-key.pem as SSH credential Lab-key with the user <lab_user>. SSH to Linux targets uses the generated private key with user <lab_user>. ssh_key_user: Linux user name for the SSH credential":
      [() => [output("ssh_key_user").description, output("ssh_key_user").value], [says("Lab-key"), LAB_USER]],
  },

  "Firewall rules": {
    "allow-internal: all protocols from internal_traffic_cidr": [
      () => [firewall("internal").allow, firewall("internal").source_ranges],
      [[{ protocol: "all" }], ["${var.internal_traffic_cidr}"]],
    ],
    "allow-ssh: TCP 22": [() => firewall("ssh").allow, [{ protocol: "tcp", ports: ["22"] }]],
    "allow-rdp: TCP 3389, source 0.0.0.0/0": [
      () => [firewall("rdp").allow, firewall("rdp").source_ranges, variable("rdp_source_ranges").default],
      [
        [{ protocol: "tcp", ports: ["3389"] }],
        says("var.windows_external_ip ? var.rdp_source_ranges :"),
        ["0.0.0.0/0"],
      ],
    ],
    "allow-icmp: ICMP": [() => firewall("icmp").allow, [{ protocol: "icmp" }]],
    "allow-http: TCP 80 and 443 to instances tagged windows-vm, for the client's outbound access to APIs and OAuth": [
      () => [firewall("http").allow, firewall("http").target_tags],
      [[{ protocol: "tcp", ports: ["80", "443"] }], ["windows-vm"]],
    ],
    "The first four are created or skipped together by create_default_firewall_rules": [
      () => ["internal", "ssh", "rdp", "icmp", "http"].map((rule) => firewall(rule).count),
      [
        ...Array<string>(4).fill("${var.network == null && var.create_default_firewall_rules ? 1 : 0}"),
        "${var.network == null ? 1 : 0}",
      ],
    ],
  },

  "Cloud B": {
    "Discovery uses this scoped key, not the bootstrap credentials. Cloud B: bootstrap credentials (cloudb_access_key_id, cloudb_secret_access_key, both sensitive, both required together) are used only to create the scoped read-only user; discovery runs with that user's own access key":
      [
        () =>
          JSON.stringify(labResource(IMPORT))
            .match(/var\.cloudb_\w+/g)
            ?.filter((name) => name !== "var.cloudb_region"),
        // It exists if there is a key id, which is all that it reads of the bootstrap credentials.
        ["var.cloudb_access_key_id"],
      ],
    "Bootstrap credentials must allow: create user, create policy, attach user policy, create access key, and the matching delete operations. Read-only instance credentials fail at the identity-provisioning step":
      [
        () => variable("cloudb_access_key_id").description,
        says("may create, attach and delete a user, a policy and an access key"),
      ],
    "The cloud B command-line tool must be present in the runtime environment. Cloud B command-line tool absent: the import does not succeed":
      [
        () => [command("terraform_data.lab_cloudb_programs"), labResource(AWS_USER).depends_on],
        ['sh "${path.module}/scripts/import-inventory.sh" --check', ["terraform_data.lab_cloudb_programs"]],
      ],
    "The import queries instances in cloudb_region and builds CSV files of kinds vmInfo, diskInfo, tagInfo and an empty perfInfo, then creates, uploads, validates and runs an import job on the discovery source. The CSV import carries hardware and tag inventory but no live OS details":
      [
        () => [environment(IMPORT, "CLOUDB_REGION"), script("import-inventory.sh")],
        ["${var.cloudb_region}", expect.stringMatching(IMPORT_STEPS)],
      ],
    "Cloud B scoped policy: exactly three read-only describe permissions": [
      () => policy().Statement.map(({ Action }) => Action),
      [["ec2:DescribeInstances", "ec2:DescribeInstanceTypes", "ec2:DescribeVolumes"]],
    ],
    "cloudb_region does not host the instances: zero instances imported; the import step does nothing": [
      () => variable("cloudb_region").description,
      says("A region without instances imports nothing"),
    ],
  },

  "Input variables": {
    "project_id, required: project must already exist; the provisioning account needs the Owner role on the target project":
      [
        () => [input("project_id"), variable("project_id").description],
        [["1", "string", REQUIRED, false], expect.stringMatching(/it must exist.* needs the Owner role/)],
      ],
    "region: permanently sets the assessment region": [() => input("region"), ["1", "string", "us-central1", false]],
    "zone: must lie in region": [
      () => [input("zone"), rulesOf("zone")],
      [["1", "string", "us-central1-a", false], says("must be a zone of the region")],
    ],
    "tenant_id: 1 to 20 lowercase letters, digits, hyphens; accepted but unused (names derive from <id>); changing it has no effect. 1 to 20 chars of lowercase letters, digits, hyphens":
      [
        () => [
          input("tenant_id"),
          rulesOf("tenant_id"),
          JSON.stringify([labTerraform().resource, labTerraform().locals, labTerraform().output]).includes(
            "var.tenant_id",
          ),
        ],
        [["1", "string", "demo", false], says("1 to 20 lower-case letters, digits and hyphens"), false],
      ],
    "create_vpc: if false, a network named assess-<id>-vpc must already exist (no custom-name variable). create_vpc = false and no network assess-<id>-vpc exists, with firewall rules enabled: apply fails":
      [
        () => [input("create_vpc"), JSON.stringify(labTerraform().data?.google_compute_networks)],
        [["2", "bool", true, false], expect.stringMatching(/!var\.create_vpc .*"error_message":"create_vpc is false /)],
      ],
    "create_default_firewall_rules: set false if the rules already exist on the target network": [
      () => [input("create_default_firewall_rules"), variable("create_default_firewall_rules").description],
      [["2", "bool", true, false], says("Set it to false when the target network has such rules already")],
    ],
    "internal_traffic_cidr: source range of allow-internal. Auto-mode VPC range 10.128.0.0/9": [
      () => input("internal_traffic_cidr"),
      ["2", "string", "10.128.0.0/9", false],
    ],
    "create_windows_vm: bool, default true": [() => input("create_windows_vm"), ["3", "bool", true, false]],
    "windows_vm_machine_type: Default machine type e2-medium; boot disk default 50 GB (keep at least 50 GB)": [
      () => input("windows_vm_machine_type"),
      ["3", "string", "e2-medium", false],
    ],
    "windows_vm_boot_disk_size_gb: keep >= 50. Windows-family boot disk: keep at least 50 GB (default 50)": [
      () => [input("windows_vm_boot_disk_size_gb"), rulesOf("windows_vm_boot_disk_size_gb")],
      [["3", "number", 50, false], says("must be a whole number from 50")],
    ],
    "linux_vm_count: 0 deploys no targets. Linux target count default: 3. linux_vm_count = 0: no scan targets; only a cloud B import can supply assets":
      [
        () => [input("linux_vm_count"), warning("lab_has_scan_targets")],
        [["3", "number", 3, false], says("only an import from AWS can supply assets")],
      ],
    "linux_vm_machine_type: Default machine type e2-medium; boot disk default 20 GB": [
      () => input("linux_vm_machine_type"),
      ["3", "string", "e2-medium", false],
    ],
    "linux_vm_boot_disk_size_gb. Linux boot disk default: 20 GB": [
      () => input("linux_vm_boot_disk_size_gb"),
      ["3", "number", 20, false],
    ],
    "create_ssh_key_bucket: if false, the private key exists only in the state and no file can be downloaded. create_ssh_key_bucket = false: no lab-ssh-key.pem to download; the SSH credential step has nothing to load":
      [
        () => [input("create_ssh_key_bucket"), warning("lab_has_key_file")],
        [["7", "bool", true, false], says("there is no lab-ssh-key.pem to download")],
      ],
    "initialize_assessment_service: false provisions only VMs, VPC and bucket": [
      () => [input("initialize_assessment_service"), count("google_project_service.lab_apis_migrationcenter")],
      [["8", "bool", true, false], WITH_SERVICE],
    ],
    "assess_discovery_client_name: display name of the source. Client name typed in the discovery client differs (case-sensitive) from assess_discovery_client_name: a second, unregistered source is created; scan results never reach the expected source":
      [
        () => [input("assess_discovery_client_name"), output("assess_discovery_client_name").description],
        [["8", "string", "assess-discovery-client", false], says("capitals included")],
      ],
    "cloudb_access_key_id: empty skips cloud B": [() => input("cloudb_access_key_id"), ["8", "string", "", true]],
    "cloudb_secret_access_key: must be given together with the key id. Only one of the two cloud B credentials given, or credentials lacking identity-write rights: the identity provisioning step fails":
      [
        () => [input("cloudb_secret_access_key"), rulesOf("cloudb_region")],
        [["8", "string", "", true], says("set the other one, or neither")],
      ],
    "cloudb_region: read only when credentials are given": [
      () => [input("cloudb_region"), variable("cloudb_region").description],
      [["8", "string", "us-east-1", false], says("used only with credentials")],
    ],
    "Grouped as in the deployment form: 1 Project and location, 2 Network, 3 Compute, 7 SSH key storage, 8 Assessment":
      [
        () =>
          new Set(
            Object.values(labTerraform().variable ?? {}).map(
              ({ description }) => /^\[(\d [^\]]+)/.exec(String(description))?.[1],
            ),
          ),
        new Set(["1 Project and location", "2 Network", "3 Compute", "7 SSH key storage", "8 Assessment"]),
      ],
    "The 19 variables, and beside the contract four, and those of landing zones": [
      () => Object.keys(labTerraform().variable ?? {}).length,
      19 +
        ["deployment_id", "labels", "rdp_source_ranges", "windows_password"].length +
        Object.keys(LAB_LANDING_ZONE).length,
    ],
  },

  Outputs: {
    "project_id: target project": [() => output("project_id").value, "${var.project_id}"],
    "windows_vm_name: null when not created": [() => output("windows_vm_name").value, `\${one(${WINDOWS}[*].name)}`],
    "windows_vm_external_ip: address for RDP; its description carries the lab user name and password": [
      () => [output("windows_vm_external_ip").value, output("windows_vm_external_ip").description],
      [
        `\${one(flatten(${WINDOWS}[*].network_interface[0].access_config[*].nat_ip))}`,
        says(`${LAB_USER} with the password ${LAB_PASSWORD}`),
      ],
    ],
    "linux_vm_names: names of scan targets": [() => output("linux_vm_names").value, `\${${LINUX}[*].name}`],
    "linux_vm_internal_ips: internal IPs; used for the discovery client's IP scan range": [
      () => output("linux_vm_internal_ips").value,
      `\${${LINUX}[*].network_interface[0].network_ip}`,
    ],
    "ssh_key_bucket_name: null when not created": [
      () => [output("ssh_key_bucket_name").value, local("lab_key_bucket_name")],
      ["${local.lab_key_bucket_name}", `\${one(${BUCKET}[*].name)}`],
    ],
    "assessment_service_url: direct console URL for the project. The console is reachable at the address given by assessment_service_url, with views Data sources, Assets, Groups, Migration preferences and Reports":
      [
        () => output("assessment_service_url").value,
        "https://console.cloud.google.com/migration?project=${var.project_id}",
      ],
    "vpc_name: Lab VPC name": [() => output("vpc_name").value, says('"assess-${local.lab_deployment_id}-vpc"')],
    "cloudb_iam_user_arn: scoped user's ARN; null when cloud B is disabled": [
      () => output("cloudb_iam_user_arn").value,
      `\${one(${AWS_USER}[*].arn)}`,
    ],
    "These 13 outputs and no other": [() => Object.keys(labTerraform().output ?? {}).length, 13],
  },

  "States and transitions": {
    "The module has two lifecycle operations, apply and destroy, not resource states. Apply, always: enables required APIs; initializes the assessment service for the region. Destroy, always: enabled APIs stay enabled":
      [
        () =>
          Object.values(labTerraform().resource?.google_project_service ?? {})
            .map((api) => [api.service, api.disable_on_destroy])
            .sort(),
        ["compute", "iam", "migrationcenter", "storage"].map((api) => [`${api}.googleapis.com`, false]),
      ],
    "Apply creates VPC and firewall rules; generates the key pair and uploads the private key; deploys the Windows-family host and Linux targets; registers the discovery source. If cloud B credentials are given, also creates the scoped user and runs the import. Destroy removes VMs, VPC, firewall rules and the key bucket (with its key object). If cloud B was enabled, removes the scoped user, its policy and its access key":
      [
        () => [
          JSON.stringify(labTerraform().resource).includes("prevent_destroy"),
          labResource(BUCKET).force_destroy,
          Object.keys(labTerraform().resource?.terraform_data ?? {}).filter((name) => name.includes("guard")),
        ],
        [false, true, []],
      ],
    "Start collection. Discovered assets stream to the assessment service and join any imported cloud B inventory": [
      () => [environment(IMPORT, "SOURCE_ID"), environment(SOURCE, "SOURCE_ID")],
      ["${local.lab_source_id}", "${local.lab_source_id}"],
    ],
    "Provisioning takes about 5 to 8 minutes; the startup script (browser and discovery client install) finishes about 3 to 5 minutes later in the background. Provisioning time: about 5 to 8 minutes; startup script a further 3 to 5 minutes. A single scan is a point-in-time snapshot; real assessments run the client for 2 to 4 weeks to build a usage history. Scan run once only: Sizing is understated; production assessments collect 2 to 4 weeks of usage. Real assessment duration 2 to 4 weeks of collection":
      [
        () => readFileSync(packageFile("stacks/assessment-lab.md"), "utf8").replaceAll(/\s+/g, " "),
        expect.stringMatching(
          /takes 5 to 8 minutes.* 3 to 5 minutes more.* understates the sizes; .* two to four weeks/,
        ),
      ],
  },

  "Endpoints, authentication and versioning": {
    "GET /v1/projects/<project_id>/locations/<region>/sources: object with array sources; each item has name (resource path whose last segment is the source id), displayName, type":
      [
        () => script("assessment-status.sh"),
        expect.stringMatching(/\nshow Sources .*\n.*\(\.name \| last_part\), \.displayName \/\/ "", \.type \/\/ /),
      ],
    "GET /v1/projects/<project_id>/locations/<region>/assets: object with array assets; each item has name (last segment is the asset id) and machineDetails.guestOsDetails.osName (string)":
      [
        () => script("assessment-status.sh"),
        expect.stringMatching(
          /\nshow Assets .*\n.*\(\.name \| last_part\), .*\n.*\.machineDetails\.guestOsDetails\.osName /,
        ),
      ],
    "GET /v1/projects/<project_id>/locations/<region>/importJobs: object with array importJobs; each item has displayName and state":
      [
        () => script("assessment-status.sh"),
        expect.stringMatching(/\nshow "Import jobs" importJobs .*\n  .* \.displayName \/\/ "", \.state \/\/ /),
      ],
    "All calls go to {api_base}, version v1: the assessment service API is addressed under version v1 in the path": [
      () => readFileSync(packageFile("lib/core/scripts/rest-script.sh"), "utf8"),
      says("\nmigrationcenter MIGRATION_CENTER v1 "),
    ],
    "Each is an HTTP GET with header Authorization: Bearer <ACCESS_TOKEN> and no body; responses are JSON. REST calls to the assessment service carry an OAuth 2.0 bearer access token of the calling user (header Authorization: Bearer <ACCESS_TOKEN>)":
      [
        () =>
          readFileSync(packageFile("lib/core/scripts/google-rest.sh"), "utf8").includes(
            '"Authorization: Bearer $google_token',
          ),
        true,
      ],
    "Access to the state and to the key bucket must be restricted because the private key lives in both; rotate the key after the session when needed":
      [
        () => output("ssh_key_bucket_name").description,
        expect.stringMatching(/limit both.*-replace=tls_private_key\.lab_key/),
      ],
    "The discovery client is version 6; the Windows-family image is the 2022 release and the Linux image is release 12. The module defines no further version numbers for itself":
      [() => Object.keys(labTerraform().variable ?? {}).filter((name) => name.includes("version")), []],
  },
});
