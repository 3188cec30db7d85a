import { nearest } from "../lib/core/inputs/nearest";
import { type Table } from "../lib/core/inputs/rows";
import { terraformName } from "../lib/core/inputs/rules";

/** Former inputs and their successors; each is an input or a member. */
export const FORMER_INPUTS: Readonly<Record<string, string>> = {
  accepted_secret_key_version: "secret_key.accepted_version",
  administrator_password_version: "database_passwords.administrator_version",
  audit_secret_access: "secret_read_log",
  backup_location: "backups.location",
  backup_retention_count: "backups.retention_count",
  build_location: "build.location",
  build_pool: "build.pool",
  check_up_limits: "check_up.limits",
  check_up_schedule: "check_up.schedule",
  database_conditional_access: "database_rights.conditional_access",
  database_final_backup_days: "backups.final_days",
  database_password_version: "database_passwords.version",
  dump_at_apply: "dumps.at_apply",
  dump_copy_bucket: "dumps.copy_bucket",
  dump_lock_days: "dumps.lock_days",
  dump_retention_days: "dumps.retention_days",
  dump_schedule: "dumps.schedule",
  grant_managed_superuser: "database_rights.managed_superuser",
  http_redirect: "domain_options.http_redirect",
  ipv6: "domain_options.ipv6",
  keep_dumps: "dumps",
  manage_outposts: "outposts",
  notification_channels_by_severity: "notification_channels",
  outpost_ranges: "outposts.ranges",
  request_log_sample_rate: "domain_options.request_log_sample_rate",
  revoke_public_connect: "database_rights.revoke_public_connect",
  secret_key_version: "secret_key.version",
  secret_readers: "secret_read_log.expected_readers",
  strict_transport_security: "domain_options.strict_transport_security",
  transaction_log_days: "backups.log_days",
  worker_count: "worker.count",
  worker_cpu: "worker.cpu",
  worker_max_count: "worker.max_count",
  worker_memory: "worker.memory",
  worker_processes: "worker.processes",
  worker_threads: "worker.threads",
};

/** Replacements of true and false as values of a former input. */
const FORMER_FLAGS: Readonly<Record<string, string>> = {
  audit_secret_access: "secret_read_log = {} for true",
  keep_dumps: "dumps = { schedule = null } for true",
  manage_outposts: "outposts = {} for true",
};

/**
 * Explanation of a setting that is not an input of a stack: its present name, or the stack with this input.
 *
 * @param others inputs of the other stacks
 */
export function hintOfUnknown(
  name: string,
  inputs: Table,
  others: Readonly<Record<string, Table>>,
): string | undefined {
  const present = FORMER_INPUTS[name];
  if (present !== undefined && isInput(present, inputs)) {
    const form = FORMER_FLAGS[name];
    return `it is now ${present}; ${form === undefined ? "move its value there" : `write ${form}, or remove it`}`;
  }
  // No explanation for a name that is near an input of this stack, because that input is more probably meant.
  if (present === undefined && nearest(name, Object.keys(inputs).map(terraformName)) !== undefined) return undefined;
  const stacks = Object.keys(others).filter((stack) => isInput(present ?? name, others[stack] ?? {}));
  const last = present === undefined ? "" : `, now ${present}`;
  return stacks.length === 0 ? undefined : `it is one of ${stacks.join(" and ")}${last}; remove it`;
}

/** Whether a table has an input, or a member after a dot. */
export function isInput(path: string, table: Table): boolean {
  const [name, ...members] = path.split(".");
  const [, row] = Object.entries(table).find(([each]) => terraformName(each) === name) ?? [];
  if (row === undefined) return false;
  return members.length === 0 || isInput(members.join("."), row.members ?? {});
}
