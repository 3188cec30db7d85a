import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { type IJob } from "kubernetes-models/batch/v1/Job";

import { programFolder } from "../../support/google-stand-in-scripts";
import { type Block } from "../../support/synthesis";
import { temporaryFolder } from "../../support/temporary-folder";
import { documentedTerraform, synthesizedStacks } from "../../tools/documented-stacks";
import { apiObject } from "./api-object";
import { CONNECTION } from "./sql-scene";

/** Every member is there, in what the stack makes. */
type Complete<Value> = Value extends object ? { [Key in keyof Value]-?: Complete<Value[Key]> } : Value;

/** A job as the cluster has it. */
export type ClusterJob = Complete<IJob>;

export const NAMESPACE = "identity-provider";
export const CLUSTER_INIT_JOB = "idp-db-init-0a1b2c3d";
export const CLUSTER_DUMP_JOB = "idp-dump";

/** What `kubectl` does with jobs of one namespace; a job that was just created runs until it is looked at again. */
const KUBECTL = `
if [ "$1 $2" != "--namespace ${NAMESPACE}" ] || [ "$3" != --request-timeout=30s ]; then
  echo "wrong call: $*" >&2
  exit 64
fi
verb=$4 kind=$5 name=$6
case "$verb $7" in
  "get --output=json")
    if [ "$kind" = jobs ]; then
      ls "$state" | grep '^job[.].*-restore$' | sed "s|^|$state/|" | xargs -r cat | jq -s '{ items: . }'
      exit
    fi
    [ -f "$state/$kind.$name" ] || { echo "Error from server (NotFound): $kind \\"$name\\" not found" >&2 && exit 1; }
    exec cat "$state/$kind.$name"
    ;;
  "get --ignore-not-found")
    if [ "$8" != --output=json ]; then
      [ ! -f "$state/$kind.$name" ] || echo "$kind.batch/$name"
      exit 0
    fi
    [ -f "$state/$kind.$name" ] || exit 0
    if [ -f "$state/new" ]; then rm "$state/new" && exec jq 'del(.status)' "$state/$kind.$name"; fi
    exec cat "$state/$kind.$name"
    ;;
  "delete --ignore-not-found") rm -f "$state/$kind.$name" ;;
  "create ")
    file=\${kind#--filename=}
    name=$(jq -r .metadata.name "$file")
    [ ! -f "$state/job.$name" ] || { echo "Error from server (AlreadyExists): job \\"$name\\" already exists" >&2 && exit 1; }
    jq -c 'select(.spec.suspend | not)' "$file" >>"$state/created"
    jq --arg type "$(cat "$state/outcome")" '.status.conditions = [{ type: $type, status: "True" }]' "$file" >"$state/job.$name"
    : >"$state/new"
    ;;
  "logs --tail=100" | "logs "*) cat "$state/lines" ;;
  *)
    echo "wrong call: $*" >&2
    exit 64
    ;;
esac
`;

/** An object of the stack as the cluster has it, with the names of a deployment and the labels of its component. */
function applied(type: string, block: Block | undefined, component: string): object {
  const text = JSON.stringify(block)
    .replaceAll("${var.application_name}-db-init-${local.db_init_run}", CLUSTER_INIT_JOB)
    .replaceAll("${local.namespace_name}", NAMESPACE)
    .replaceAll(/"\$\{local\.database_connection_name\}"/g, `"${CONNECTION}"`)
    .replaceAll("${var.application_name}", "idp");
  const labels = { "app.kubernetes.io/component": component, "app.kubernetes.io/name": "idp" };
  return apiObject(type, JSON.parse(text, (name, value: unknown) => (name === "labels" ? labels : value)) as Block);
}

let folders: ReturnType<typeof synthesizedStacks> | undefined;

/** A cluster that knows the jobs that the stack makes. */
export class KubectlStandIn {
  readonly programs: string;

  private readonly state = temporaryFolder();

  private constructor(init: object, dump: object) {
    this.programs = programFolder({ scripts: { kubectl: `state='${this.state}'${KUBECTL}` } });
    this.write(`job.${CLUSTER_INIT_JOB}`, init);
    this.write(`cronjob.${CLUSTER_DUMP_JOB}`, dump);
    writeFileSync(join(this.state, "outcome"), "Complete");
    const words = ["cleared", "done", "exchanged", "dropped", "renamed", "recorded", "caught up"];
    this.prints([...words.map((word) => `${word}: `), "done: of its logins, ", "users: 7", ""].join("\n"));
  }

  static async start(): Promise<KubectlStandIn> {
    folders ??= synthesizedStacks();
    const { resource = {} } = documentedTerraform(await folders)["idp-kubernetes"] ?? {};
    const init = applied("kubernetes_job_v1", resource.kubernetes_job_v1?.db_init, "db-init");
    // The cluster adds labels of its own, with which a second job would be refused.
    const text = JSON.stringify(init).replace(
      '"labels":{',
      `"labels":{"batch.kubernetes.io/controller-uid":"0a1b","batch.kubernetes.io/job-name":"${CLUSTER_INIT_JOB}","controller-uid":"0a1b","job-name":"${CLUSTER_INIT_JOB}",`,
    );
    const dump = applied("kubernetes_cron_job_v1", resource.kubernetes_cron_job_v1?.dump_job, "dump");
    return new KubectlStandIn(JSON.parse(text) as object, dump);
  }

  /** Changes the text of the job db-init. */
  rewriteInit(change: (text: string) => string): void {
    const path = join(this.state, `job.${CLUSTER_INIT_JOB}`);
    writeFileSync(path, change(readFileSync(path, "utf8")));
  }

  /** Lets the next jobs fail. */
  fails(lines: string): void {
    writeFileSync(join(this.state, "outcome"), "Failed");
    this.prints(lines);
  }

  /** What the next jobs write. */
  prints(lines: string): void {
    writeFileSync(join(this.state, "lines"), lines);
  }

  /** Jobs that were created, in order. */
  get created(): ClusterJob[] {
    const path = join(this.state, "created");
    if (!existsSync(path)) return [];
    const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
    return lines.map((line) => JSON.parse(line) as ClusterJob);
  }

  /** What there is now. */
  get there(): string[] {
    return readdirSync(this.state).filter((name) => /^(cron)?job\./.test(name));
  }

  private write(name: string, object: object): void {
    writeFileSync(join(this.state, name), JSON.stringify(object));
  }
}
