import { type IResolvable, TerraformLocal, TerraformResource } from "cdktf";
import { type Construct } from "constructs";

import { repeatFor } from "../../core/expr/attributes";
import { allOf, conditionFrom, conditionOf, countIf } from "../../core/expr/conditions";
import { type Expr, exprOf, hcl, literal } from "../../core/expr/expr";
import { concat, element, split } from "../../core/expr/functions";
import { inFileOfExisting, isForExisting } from "../../core/hcl/stack-origin";
import { flag } from "../../core/inputs/rows";
import { prose } from "../../core/prose";

/** Input for callers without permission to grant roles. */
export const GRANT_ROLES = {
  /**
   * Grants roles to accounts that are managed elsewhere, and on such parts; otherwise the grants are listed as
   * commands.
   */
  grantRoles: flag({
    default: true,
    description: prose`
      Grants roles to accounts, and on parts, that are managed elsewhere.
      False lists each as a command in the output grant_commands, for their owner.
      Accounts that are created here get their roles either way. Changing it later to false ends the grants that
      were made here: have the commands run right after; until then, nothing can be decrypted with kms_keys.
    `,
  }),
};

interface Condition {
  readonly expression: string;
  readonly title: string;
}

/** Arguments of grants; each type of grant has some of them. */
type Name = "bucket" | "crypto_key_id" | "location" | "member" | "name" | "parent" | "project" | "repository" | "role";
type Arguments = Readonly<Record<Name | "dataset_id" | "secret_id" | "service_account_id" | "topic", string>>;

/** The part of a path after the last slash. */
const last = (path: string) => hcl`reverse(split("/", ${path}))[0]`.text;

/** The command for a grant, by the grant's type. */
const COMMANDS: Readonly<Record<string, (of: GrantBody) => Expr<string>>> = {
  google_artifact_registry_repository_iam_member: (grant) =>
    conditional(
      grant,
      prose`
        artifacts repositories add-iam-policy-binding ${grant.repository} --location=${grant.location}
        --project=${grant.project}
      `,
    ),
  // Uses `bq`, because `gcloud` has no commands for datasets.
  google_bigquery_dataset_iam_member: ({ dataset_id, member, project, role }) =>
    exprOf(
      prose`
        bq query --use_legacy_sql=false --project_id=${project}
        'GRANT \`${role}\` ON SCHEMA \`${project}.${dataset_id}\` TO "${member}"'
      `,
    ),
  google_cloud_run_v2_job_iam_member: (grant) =>
    unconditional(
      grant,
      `run jobs add-iam-policy-binding ${grant.name} --region=${grant.location} --project=${grant.project}`,
    ),
  google_kms_crypto_key_iam_member: (grant) =>
    conditional(grant, `kms keys add-iam-policy-binding ${grant.crypto_key_id}`),
  google_project_iam_member: (grant) => conditional(grant, `projects add-iam-policy-binding ${grant.project}`),
  google_pubsub_topic_iam_member: (grant) =>
    unconditional(grant, `pubsub topics add-iam-policy-binding ${grant.topic} --project=${grant.project}`),
  google_secret_manager_secret_iam_member: (grant) =>
    conditional(grant, `secrets add-iam-policy-binding ${last(grant.secret_id)} --project=${grant.project}`),
  google_service_account_iam_member: (grant) =>
    conditional(grant, `iam service-accounts add-iam-policy-binding ${last(grant.service_account_id)}`),
  google_storage_bucket_iam_member: (grant) =>
    conditional(grant, `storage buckets add-iam-policy-binding gs://${grant.bucket}`),
  google_workload_identity_service_agent: ({ parent }) =>
    exprOf(
      prose`
        gcloud workload-identity service-agents generate --service=${last(parent)}
        --project=${element(split("/", parent), 1).text}
      `,
    ),
};

/** A grant as it is synthesized, with tokens. */
interface GrantBody extends Arguments {
  readonly condition?: Condition;
  readonly dynamic?: { readonly condition: { readonly for_each: string; readonly content: Condition } };
  readonly for_each?: string;
}

/**
 * Limits the grants for parts that are managed elsewhere to the case that `grantRoles` holds.
 *
 * @returns a command for each grant that is not made
 */
export function listGrants(scope: Construct, grantRoles: boolean | IResolvable): string {
  const isWanted = conditionFrom(grantRoles);
  const single: Expr<string | null>[] = [];
  const repeated: Expr<readonly string[]>[] = [];
  for (const grant of scope.node.findAll()) {
    if (!TerraformResource.isTerraformResource(grant) || !isForExisting(grant)) continue;
    const { terraformResourceType: type } = grant;
    const command = COMMANDS[type];
    const { resource } = grant.toTerraform() as { readonly resource: Readonly<Record<string, object>> };
    const [body] = Object.values(resource).flatMap((named) => Object.values(named) as GrantBody[]);
    if (command === undefined && type.endsWith("_iam_member"))
      throw new Error(`${type} has no command here, so nobody could make its grants`);
    if (body === undefined || command === undefined) continue;
    const whole = command(body);
    const { for_each: each } = body;
    if (each !== undefined) {
      repeatFor(grant, hcl<readonly string[]>`toset([for value in ${each} : value if ${isWanted}])`.text);
      repeated.push(hcl`[for each in [for value in ${each} : { value = value }] : ${whole}]`);
      continue;
    }
    const condition = conditionOf(grant);
    grant.count = countIf(allOf(condition, isWanted));
    single.push(condition.choose<string | null>(whole, null));
  }
  const list = new TerraformLocal(scope, "GrantCommands", isWanted.choose([], concatenated(single, repeated)));
  inFileOfExisting(list, "grants");
  return list.asString;
}

/** One list of all commands. @param single commands; null for grants that do not exist */
function concatenated(
  single: readonly Expr<string | null>[],
  repeated: readonly Expr<readonly string[]>[],
): Expr<readonly string[]> {
  // Not `compact`, because its whole result is unknown as long as one command is unknown.
  const asked = single.length === 0 ? [] : [hcl<readonly string[]>`[for each in ${single} : each if each != null]`];
  const [first = literal<readonly string[]>([]), ...others] = [...asked, ...repeated];
  return others.length === 0 ? first : concat(first, ...others);
}

const bound = (words: string, { member, role }: GrantBody) => `gcloud ${words} --member='${member}' --role=${role}`;

/** A command for a type of grant without conditions, and therefore without an option for them. */
const unconditional = (grant: GrantBody, words: string): Expr<string> => exprOf(bound(words, grant));

/** A command with an option for the condition, because `gcloud` would otherwise ask. */
function conditional(grant: GrantBody, words: string): Expr<string> {
  const { condition, dynamic } = grant;
  const withLimit = (limit: string) => exprOf(`${bound(words, grant)} --condition=${limit}`);
  const limitOf = (text: string, title: string) => withLimit(`'expression=${text},title=${title}'`);
  if (dynamic === undefined)
    return condition === undefined ? withLimit("None") : limitOf(condition.expression, condition.title);
  const { content, for_each: elements } = dynamic.condition;
  const element = hcl<string>`${elements}[0]`.text;
  const limited = limitOf(content.expression.replace("${condition.value}", element), content.title);
  return hcl<string>`try(${limited}, ${withLimit("None")})`;
}
