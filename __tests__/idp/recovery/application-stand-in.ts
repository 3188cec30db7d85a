import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { packageFile } from "../../../lib/core/package-file";
import { objectName, serviceName, workerPoolName, type DeploymentName } from "../../../lib/core/names";
import { WORKER_NAME } from "../../../lib/idp/worker-mode";
import { programFolder } from "../../support/google-stand-in-scripts";
import { temporaryFolder } from "../../support/temporary-folder";

export const DEPLOYMENT: DeploymentName = { tenantPrefix: "demo-abc123", applicationName: "idp" };

interface ApplicationOptions {
  /** The release that runs, on a database that it has migrated. */
  readonly release: string;
  /** What the output `restore_settings` has. */
  readonly settings: Readonly<Record<string, string>>;
  /** Whether workers are separate. */
  readonly hasWorkers: boolean;
  /** The program to which other calls of `kubectl` go; without it, the application runs on Cloud Run. */
  readonly kubectl?: string;
  /** Whether the first apply fails at a service without instances. @default false */
  readonly failsWithoutInstances?: boolean;
}

/**
 * What runs is a file for servers and one for workers, with their number and release; there is none for what is deleted.
 * Whatever runs, before and after each command, migrates the database to its release if that is newer.
 */
const STATE = `
set -eu
fail() { echo "$*" >&2; exit 64; }
count() { cut -d ' ' -f 1 "$state/$1"; }
release() { cut -d ' ' -f 2 "$state/$1"; }
put() { [ ! -f "$state/$1" ] || echo "$2 $3" >"$state/$1"; }
migrate() {
  for part in server worker; do
    [ -f "$state/$part" ] && [ "$(count "$part")" != 0 ] || continue
    newest=$(printf '%s\\n' "$(release "$part")" "$(cat "$state/database")" | sort -V | tail -n 1)
    echo "$newest" >"$state/database"
  done
}
migrate
`;

const TERRAFORM = `
shift
case "$1 $2 $3" in
  "output -raw upgrade_backup") cat "$state/upgrade_backup" ;;
  "output -raw restore_settings") printf 'export ' && cat "$state/settings" ;;
  "apply "*)
    for word in "$@"; do case $word in application_version=*) new=\${word#*=} ;; esac; done
    if [ -f "$state/on-cloud-run" ]; then
      # An apply sets the number of workers together with their release, so that those of the old one may start first.
      [ ! -f "$state/worker" ] || put worker 1 "$(release worker)"
      migrate
      [ ! -f "$state/workers" ] || echo "1 $new" >"$state/worker"
      if [ ! -f "$state/server" ]; then
        echo "auto $new" >"$state/server"
      elif [ -f "$state/fails" ] && [ "$(count server)" = 0 ]; then
        rm "$state/fails"
        fail "Error: the service has no instances"
      fi
    fi
    for part in server worker; do [ ! -f "$state/$part" ] || put "$part" "$(count "$part")" "$new"; done
    ;;
  *) fail "wrong call: $*" ;;
esac
migrate
`;

const GCLOUD = `
place="--region=us-central1 --project=demo-project"
case "$*" in
  "run services update $service $place --scaling="*)
    [ -f "$state/server" ] || fail "there is no service $service"
    put server "\${7#--scaling=}" "$(release server)"
    ;;
  "run services delete $service $place --quiet") rm "$state/server" ;;
  "run worker-pools delete $pool $place --quiet") rm "$state/worker" ;;
  "run worker-pools update $pool $place --scaling=0") put worker 0 "$(release worker)" ;;
  *) fail "wrong call: $*" ;;
esac
migrate
`;

const KUBECTL = `
case "$1 $2 $3" in
  "--namespace $namespace scale")
    case $4 in
      "deployment/$workload") part=server ;;
      "deployment/$workers") part=worker ;;
      *) fail "there is no $4" ;;
    esac
    [ -f "$state/$part" ] || fail "there is no $4"
    put "$part" "\${5#--replicas=}" "$(release "$part")"
    ;;
  "--namespace $namespace wait")
    for part in server worker; do
      [ ! -f "$state/$part" ] || [ "$(count "$part")" = 0 ] || fail "timed out waiting for the condition"
    done
    ;;
  *) exec "$other" "$@" ;;
esac
migrate
`;

/** Servers and separate workers of a deployment, what an apply does with them, and the commands that stop and start them. */
export class ApplicationStandIn {
  readonly programs: string;

  private readonly state = temporaryFolder();

  constructor({ failsWithoutInstances = false, hasWorkers, kubectl, release, settings }: ApplicationOptions) {
    const names = {
      state: this.state,
      service: serviceName(DEPLOYMENT),
      pool: workerPoolName(DEPLOYMENT),
      workload: objectName(DEPLOYMENT),
      workers: objectName(DEPLOYMENT, WORKER_NAME),
      namespace: settings.NAMESPACE ?? "",
      other: kubectl ?? "",
    };
    const head = `${Object.entries(names)
      .map(([name, value]) => `${name}='${value}'`)
      .join("\n")}${STATE}`;
    this.programs = programFolder({
      scripts: { terraform: head + TERRAFORM, gcloud: head + GCLOUD, kubectl: head + KUBECTL },
    });
    this.write(
      "settings",
      Object.entries(settings)
        .map((pair) => pair.join("="))
        .join(" "),
    );
    this.write("upgrade_backup", `before ${release}`);
    this.write("database", release);
    this.write("server", `auto ${release}`);
    if (hasWorkers) this.write("worker", `1 ${release}`);
    if (hasWorkers) this.write("workers", "");
    if (kubectl === undefined) this.write("on-cloud-run", "");
    if (failsWithoutInstances) this.write("fails", "");
  }

  /** A file of commands that run in a folder with the folder of a stack. */
  file(commands: readonly string[]): string {
    const folder = temporaryFolder();
    const stack = join(folder, "cdktf.out/stacks/idp-serverless");
    mkdirSync(stack, { recursive: true });
    symlinkSync(packageFile("lib/idp/scripts"), join(stack, "scripts"));
    const file = join(folder, "commands.sh");
    writeFileSync(file, ["set -eu", `cd '${folder}'`, ...commands, ""].join("\n"));
    return file;
  }

  /** Servers and workers that run, with their release. */
  get running(): string[] {
    return ["server", "worker"].flatMap((part) => {
      const [count = "0", release = ""] = this.read(part).split(" ");
      return count === "0" ? [] : [`${part} ${release}`];
    });
  }

  /** The release whose database it is. */
  get database(): string {
    return this.read("database");
  }

  set database(release: string) {
    this.write("database", release);
  }

  private read(name: string): string {
    try {
      return readFileSync(join(this.state, name), "utf8").trim();
    } catch {
      return "0";
    }
  }

  private write(name: string, text: string): void {
    writeFileSync(join(this.state, name), `${text}\n`);
  }
}
