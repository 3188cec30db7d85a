import { readFileSync } from "node:fs";

import { App } from "cdktf";

import { OTHER_NAMES } from "../../lib/core/inputs/meant-names";
import { terraformName } from "../../lib/core/inputs/rules";
import { packageFile } from "../../lib/core/package-file";
import { KUBERNETES_INPUTS } from "../../lib/kubernetes-identity-provider";
import { SERVERLESS_INPUTS } from "../../lib/serverless-identity-provider";
import { createStacks } from "../../stacks/all-stacks";
import { FORMER_INPUTS, isInput } from "../../stacks/former-inputs";
import { readSettings } from "../../stacks/settings";
import { synthesizeInto } from "../support/synthesis";
import { KUBERNETES, KUBERNETES_STACK_NAME } from "./kubernetes-stack";
import { SERVERLESS, STACK_NAME } from "./serverless-stack";

const VARIANTS = [SERVERLESS_INPUTS, KUBERNETES_INPUTS];

const isInputOfAny = (path: string) => VARIANTS.some((table) => isInput(path, table));

it("What became of a former input is an input, and the former name is none", () => {
  expect(Object.values(FORMER_INPUTS).filter((path) => !isInputOfAny(path))).toEqual([]);
  expect(Object.keys(FORMER_INPUTS).filter(isInputOfAny)).toEqual([]);
});

it("What names of other tools stand for are inputs", () => {
  const meant = Object.values(OTHER_NAMES).flat().map(terraformName);
  expect(meant.filter((path) => !isInputOfAny(path))).toEqual([]);
});

it("Former inputs are those of the changelog", () => {
  const [, table = ""] =
    /\| Former \| Now \|\n.*\n((?: *\|.*\n)+)/.exec(readFileSync(packageFile("CHANGELOG.md"), "utf8")) ?? [];
  const former = table.split("\n").flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`(\w+)/g)]);
  const names = former.map(([, name = ""]) => name).filter((name) => !isInputOfAny(name));
  expect(names.sort()).toEqual(Object.keys(FORMER_INPUTS).sort());
});

it("No text of a folder names a former input", () => {
  const former = Object.entries(FORMER_INPUTS).filter(([name, path]) => !path.endsWith(`.${name}`));
  const name = new RegExp(`(?<![\\w.])(?:${former.map(([each]) => each).join("|")})(?!\\w)`, "g");
  for (const [{ stack }, stackName] of [
    [SERVERLESS, STACK_NAME],
    [KUBERNETES, KUBERNETES_STACK_NAME],
  ] as const) {
    const folder = synthesizeInto(App.of(stack()), stackName);
    const texts = folder.files
      .filter((file) => /[.](?:md|sh|example)$/.test(file))
      // Functions of scripts may have such a name.
      .map((file) => folder.read(file).replaceAll(/^ *\w+(?:\(\) \{)?$/gm, ""));
    expect(texts.length).toBeGreaterThan(10);
    expect(texts.join("\n").match(name)).toBeNull();
  }
});

it.each([
  ["idp-serverless", "dump_schedule", "dump_schedule is no input; it is now dumps.schedule; move its value there"],
  ["idp-serverless", "keep_dumps", "it is now dumps; write dumps = { schedule = null } for true, or remove it"],
  ["idp-serverless", "geoip", "geoip is no input; it is one of idp-kubernetes; remove it"],
  ["idp-serverless", "outpost_ranges", "it is one of idp-kubernetes, now outposts.ranges; remove it"],
  ["idp-kubernetes", "vpc_egress", "vpc_egress is no input; it is one of idp-serverless; remove it"],
  ["idp-kubernetes", "domian", "domian is no input; did you mean domain?"],
  ["idp-serverless", "database_ha", "database_ha is no input; did you mean database_availability?"],
  ["idp-serverless", "smtp_host", "did you mean smtp.host?"],
  ["idp-serverless", "smtp_port", "did you mean smtp.port?"],
  ["idp-serverless", "kms_key", "did you mean kms_keys?"],
  ["idp-serverless", "smtp_password", "name its secret in smtp.password_secret"],
  ["idp-serverless", "smtp_user", "did you mean smtp.username?"],
  [
    "idp-serverless",
    "slack_webhook",
    "slack_webhook is no input; make a channel in Cloud Monitoring and name it in notification_channels.all, see guides/monitoring-and-alerts.md; remove it",
  ],
  ["idp-serverless", "db_tier", "did you mean database_tier?"],
  [
    "idp-serverless",
    "db_password",
    "the password is generated, and is in Secret Manager alone; remove it, and set database_passwords to replace that",
  ],
  [
    "idp-serverless",
    "admin_email",
    "set alert_emails for alerts, or IDP_BOOTSTRAP_EMAIL in environment_variables for the first administrator",
  ],
  ["idp-serverless", "email", "did you mean smtp?"],
  ["idp-serverless", "memory_limit", "did you mean container_memory?"],
  ["idp-serverless", "log_retention_days", "did you mean audit_log.retention_days?"],
  ["idp-serverless", "backup_schedule", "did you mean dumps.schedule?"],
  ["idp-serverless", "ldap", "add ldap to blueprints for applications that sign in by LDAP"],
  ["idp-serverless", "tags", "did you mean labels?"],
  ["idp-serverless", "vpc_connector", "did you mean network?"],
  ["idp-kubernetes", "cluster_name", "did you mean existing_cluster?"],
  ["idp-kubernetes", "ingress_class", "there is no choice of an ingress, because domain makes the load balancer"],
  ["idp-kubernetes", "helm_values", "there is no chart of Helm"],
  ["idp-serverless", "secret_id", "secret_id is no input; it would have no effect; correct or remove it"],
  ["idp-serverless", "high_availability", "did you mean database_availability?"],
  ["idp-serverless", "admin_password", "a first password is generated"],
  ["idp-kubernetes", "replicas", "did you mean min_instance_count or max_instance_count?"],
  ["idp-serverless", "cpu", "did you mean container_cpu?"],
  ["idp-serverless", "memory", "did you mean container_memory?"],
  ["idp-serverless", "min_instances", "did you mean min_instance_count?"],
  ["idp-serverless", "max_instances", "did you mean max_instance_count?"],
  ["idp-serverless", "image", "did you mean application_version or existing_container_image?"],
  ["idp-serverless", "version", "did you mean application_version?"],
  [
    "idp-serverless",
    "redis_host",
    "there is no Redis, because cache, sessions and tasks are in the database; remove it",
  ],
  ["assessment-lab", "redis_host", "redis_host is no input; it would have no effect; correct or remove it"],
])("A setting that is no input of %s is refused with what became of it: %s", async (stack, name, message) => {
  const values = { project_id: "sign-in-project", [name]: "x" };
  await expect(createStacks(new App(), readSettings({}), [stack], values)).rejects.toThrow(message);
});

it("A member by the name of a chat is refused with how to make a channel for it", async () => {
  const values = { project_id: "sign-in-project", notification_channels: { slack: ["#alerts"] } };
  await expect(createStacks(new App(), readSettings({}), ["idp-serverless"], values)).rejects.toThrow(
    "notification_channels.slack is no input; make a channel in Cloud Monitoring and name it in notification_channels.all",
  );
});
