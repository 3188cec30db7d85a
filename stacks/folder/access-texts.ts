/** Facts of an identity for readers of the page. */
export interface ActorText {
  readonly title: string;
  /** Input with an existing account that replaces this one. */
  readonly given?: string;
}

/** The holder of a role, by the name of the created service account or of its substitute. */
export const ACTORS = {
  runtime: { title: "Server and workers", given: "existing_service_accounts.service" },
  initializer: { title: "Jobs that prepare the database", given: "existing_service_accounts.job" },
  checker: { title: "The check-up", given: "existing_service_accounts.check_up" },
  check_up_job_starter: { title: "The schedule of the check-up", given: "existing_service_accounts.scheduler" },
  prober: { title: "The sign-in probe", given: "existing_service_accounts.sign_in_probe" },
  sign_in_probe_job_starter: {
    title: "The schedule of the sign-in probe",
    given: "existing_service_accounts.scheduler",
  },
  event_retention_job_starter: {
    title: "The schedule that sets how long events are kept",
    given: "existing_service_accounts.scheduler",
  },
  recoverer: { title: "The job that makes recovery links", given: "existing_service_accounts.recovery" },
  link_reader: { title: "The reader of recovery links", given: "recovery_access.reader" },
  dumper: { title: "Dumps of the database", given: "existing_service_accounts.dump" },
  dump_job_starter: { title: "The schedule of the dumps", given: "existing_service_accounts.scheduler" },
  registry_builder: { title: "The build of the image", given: "existing_service_accounts.build" },
  cluster_nodes: { title: "Nodes of the cluster", given: "existing_service_accounts.nodes" },
  existing_nodes: { title: "Nodes of an existing cluster", given: "existing_cluster.node_account" },
  agents: { title: "Service agents of Google" },
  copy_writer: { title: "Writer of the copy (Cloud Logging)" },
  pods: { title: "Kubernetes service accounts" },
  public: { title: "Anyone" },
  aws_user: { title: "The user in AWS" },
} as const satisfies Readonly<Record<string, ActorText>>;

export type ActorName = keyof typeof ACTORS;

/** Reason for a role, by identity and role. */
export const REASONS: Readonly<Record<string, string>> = {
  "runtime roles/cloudsql.client": "connects through the proxy, which the database requires",
  "runtime roles/storage.objectUser": "stores, shows and deletes uploads such as logos",
  "initializer roles/cloudsql.client": "connects through the proxy, to make the database, its role and their rights",
  "checker roles/cloudsql.client": "connects through the proxy, to ask what stands still",
  "recoverer roles/cloudsql.client": "connects through the proxy, to make a recovery link",
  "recoverer roles/secretmanager.secretVersionManager": "adds and destroys versions with links; cannot read one",
  "dumper roles/cloudsql.client": "connects through the proxy, to read the whole database",
  "dumper roles/storage.objectCreator": "adds a dump; cannot overwrite or delete one",
  "dumper roles/storage.objectViewer": "reads a dump again, to prove that it can be restored",
  "dumper roles/storage.objectUser": "replaces the copy of the newest dump",
  "check_up_job_starter roles/run.invoker": "starts the job, and can do nothing else",
  "sign_in_probe_job_starter roles/run.invoker": "starts the job, and can do nothing else",
  "event_retention_job_starter roles/run.invoker": "starts the job, and can do nothing else",
  "dump_job_starter roles/run.invoker": "starts the job, and can do nothing else",
  "registry_builder roles/artifactregistry.writer": "pushes the image that it has built",
  "registry_builder roles/logging.logWriter": "writes the log of the build",
  "cluster_nodes roles/artifactregistry.reader": "pulls the image",
  "cluster_nodes roles/container.defaultNodeServiceAccount": "runs nodes: writes logs and metrics",
  "existing_nodes roles/artifactregistry.reader": "pulls the image",
  "agents roles/cloudkms.cryptoKeyEncrypterDecrypter": "encrypts and decrypts what the service stores, with your key",
  "copy_writer roles/pubsub.publisher": "copies the audit log to where you keep it",
  "copy_writer roles/bigquery.dataEditor": "makes the table of the audit log, and adds to it",
  "copy_writer roles/logging.logWriter": "copies the audit log to where you keep it",
  "pods roles/iam.workloadIdentityUser": "lets pods of this name, in this namespace alone, act as the service account",
  "pods a role of Kubernetes": "makes, changes and removes outposts, in their namespace alone",
  "public roles/run.invoker": "lets anyone open the sign-in page; the application asks for a sign-in",
  "public none: the invoker check is off": "lets anyone open the sign-in page; the application asks for a sign-in",
  "aws_user a policy of AWS": "lists VMs and disks in AWS, for the inventory; cannot change anything",
};

/** Content of a created secret, by the name of its resource. */
export const SECRETS: Readonly<Record<string, string>> = {
  database_password: "password of the application's role in the database",
  database_administrator_password: "password of the role that prepares the database",
  secrets_secret_key: "key that signs sessions and tokens",
  secrets_bootstrap_password: "first password of `akadmin`, the administrator",
  secrets_bootstrap_token: "API token of the administrator",
  secrets_ldap_password: "password of the user that LDAP clients bind as; it reads all users",
  secrets_ldap_token: "token of the LDAP outpost",
  secrets_radius_secret: "secret shared with RADIUS clients",
  secrets_radius_token: "token of the RADIUS outpost",
  db_init_script: "no secret: the script of the job that prepares the database",
  check_up_job_script: "no secret: the script of the check-up",
  secrets_sign_in_probe_password: "password of the user as whom the sign-in probe signs in; it has no right",
  sign_in_probe_job_script: "no secret: the script of the sign-in probe",
  event_retention_job_script: "no secret: the script that sets how long events are kept",
  recovery_access_link: "a recovery link, for the minutes for which it is valid",
  recovery_access_job_script: "no secret: the script that makes recovery links",
  dump_job_script: "no secret: the script of the dumps",
  dump_at_apply_script: "no secret: the script of the dump at each apply",
  former_login_script: "no secret: the script that closes the former login to the database",
};

/** Pods that get a copy of secrets, by the name of the Kubernetes secret's resource. */
export const COPIES: Readonly<Record<string, ActorName>> = {
  workload_secrets: "runtime",
  workload_geoip_secrets: "runtime",
  db_init_secrets: "initializer",
  former_login_secrets: "initializer",
  check_up_job_secrets: "checker",
  sign_in_probe_job_secrets: "prober",
  event_retention_job_secrets: "runtime",
  recovery_access_job_secrets: "recoverer",
  dump_job_secrets: "dumper",
  dump_at_apply_secrets: "dumper",
};

/** Listening parts, by the address of the resource that opens the port. */
export const LISTENERS: Readonly<Record<string, string>> = {
  "google_cloud_run_v2_service.service": "the default address of the service, `*.run.app`",
  "google_compute_global_forwarding_rule.front_door_https_rule": "load balancer: sign-in",
  "google_compute_global_forwarding_rule.front_door_http_rule": "load balancer: redirects to HTTPS",
  "google_compute_global_forwarding_rule.ipv6_https_rule": "load balancer, its IPv6 address: sign-in",
  "google_compute_global_forwarding_rule.ipv6_http_rule": "load balancer, its IPv6 address: redirects to HTTPS",
  "google_compute_forwarding_rule.internal_load_balancer_https_rule": "internal load balancer: sign-in",
  "google_compute_forwarding_rule.internal_load_balancer_http_rule": "internal load balancer: redirects to HTTPS",
  "google_sql_database_instance.standby_database": "replica of the database, for the same proxy only",
  "google_sql_database_instance.database": "database, only for the authenticated, encrypting proxy",
  "google_container_cluster.cluster": "control plane of the cluster, for accounts with a right in it",
  "kubernetes_ingress_v1.front_door_ingress": "load balancer: sign-in",
  "kubernetes_ingress_v1.ipv6_ingress": "load balancer, its IPv6 address: sign-in",
  "kubernetes_service_v1.front_door_load_balancer": "load balancer: sign-in, by HTTPS with a self-signed certificate",
  "kubernetes_service_v1.front_door_backend": "service in the cluster, behind the load balancer",
  "kubernetes_service_v1.outposts_server": "service in the cluster, by which outposts find the server",
  "kubernetes_network_policy_v1.front_door_allow_ingress": "pods of the server",
  "kubernetes_network_policy_v1.namespace_outbound": "every other pod of the namespace",
  "kubernetes_network_policy_v1.outposts_policy": "pods of outposts: LDAP, RADIUS, forward authentication",
  "kubernetes_network_policy_v1.outposts_to_server": "pods of the server, for outposts",
  "google_compute_firewall.lab_firewall_allow_http": "Windows VM: web requests",
  "google_compute_firewall.lab_firewall_allow_icmp": "every VM: ping",
  "google_compute_firewall.lab_firewall_allow_internal": "every VM: traffic of the lab, such as scans",
  "google_compute_firewall.lab_firewall_allow_rdp": "Windows VM: remote desktop",
  "google_compute_firewall.lab_firewall_allow_ssh": "Linux VMs: SSH through the identity-aware proxy",
  "google_compute_instance.lab_windows_vm": "Windows VM",
  "google_compute_instance.lab_linux_vm": "Linux VMs",
};

/** Protocol on a port, for all resources or for one address. */
export const PROTOCOLS: Readonly<Record<string, string>> = {
  "22": "SSH",
  "80": "HTTP",
  "443": "HTTPS",
  "1812": "RADIUS",
  "3307": "TLS of the Cloud SQL proxy",
  "3389": "LDAP",
  "6636": "LDAPS",
  "9000": "HTTP",
  "9443": "HTTPS",
  "google_compute_firewall.lab_firewall_allow_rdp 3389": "remote desktop",
};
