import { ProjectService } from "@cdktf/provider-google/lib/project-service";
import { type ITerraformDependable, type LocalExecProvisioner } from "cdktf";
import { Construct } from "constructs";

import { countIf } from "./conditional";
import { requireProps } from "./rules";
import { addScript, type StackFile } from "./stack-file";
import { TerraformData } from "./terraform-data";

/** Services that the stacks use, by the first part of `<name>.googleapis.com`. */
export type ApiName =
  | "artifactregistry"
  | "cloudbuild"
  | "cloudresourcemanager"
  | "compute"
  | "container"
  | "iam"
  | "iamcredentials"
  | "logging"
  | "migrationcenter"
  | "run"
  | "secretmanager"
  | "sqladmin"
  | "storage";

export interface ProjectApisProps {
  /** Services to enable. They stay enabled after a destroy, because others may use them by then. */
  readonly apis: readonly ApiName[];

  /** Project in which they are enabled. It must exist and have billing. */
  readonly projectId: string;

  /** Region that the gate asks; some services answer per region only. */
  readonly region: string;

  /**
   * What must exist before the first service is enabled, and so is destroyed after all that waits for a service.
   *
   * @default - nothing
   */
  readonly dependsOn?: ITerraformDependable[];
}

/**
 * Enables services in an empty project and knows when each of them really answers.
 *
 * The provider can enable nothing before the Resource Manager API answers, which is off in a new project; so that one is
 * enabled first by a REST call. Each service then has its own gate, so that a resource waits for what it needs alone.
 */
export class ProjectApis extends Construct {
  private readonly gates = new Map<ApiName, ITerraformDependable>();
  private readonly resourceManager: TerraformData;

  constructor(
    scope: Construct,
    id: string,
    private readonly props: ProjectApisProps,
  ) {
    super(scope, id);
    requireProps(this, props, { apis: true, projectId: true, region: true });
    const { projectId, apis } = props;

    this.resourceManager = new TerraformData(this, "ResourceManager", {
      triggersReplace: { project_id: projectId },
      provisioners: [
        this.run("enable-api.sh", "cloudresourcemanager"),
        this.run("wait-for-api.sh", "cloudresourcemanager"),
      ],
      dependsOn: props.dependsOn,
    });

    for (const api of apis) this.enable(api);
  }

  /**
   * Enables one more service, only when the condition holds.
   *
   * Without a gate when it has no harmless call: what needs it must come minutes later by itself.
   *
   * @param condition expression of the input that decides; without it the service is always enabled
   */
  enable(api: ApiName, condition?: string): void {
    const { projectId } = this.props;
    const count = countIf(condition);

    const enabled = new ProjectService(this, api, {
      project: projectId,
      service: serviceName(api),
      disableOnDestroy: false,
      dependsOn: [this.resourceManager],
      count,
    });

    if (MAKES_CREDENTIALS_ONLY.has(api)) {
      this.gates.set(api, enabled);
      return;
    }
    const gate = new TerraformData(this, `${api}-answers`, {
      triggersReplace: { project_id: projectId },
      provisioners: [this.run("wait-for-api.sh", api)],
      dependsOn: [enabled],
      count,
    });
    this.gates.set(api, gate);
  }

  private run(script: string, api: ApiName): LocalExecProvisioner {
    const { projectId, region } = this.props;
    addRestLibraries(this);
    const file = addScript(this, `lib/core/scripts/${script}`);
    return {
      type: "local-exec",
      command: shellCommand(file),
      environment: { PROJECT_ID: projectId, REGION: region, SERVICE: serviceName(api) },
    };
  }

  /**
   * What a resource of these services must depend on.
   *
   * @throws Error when one of them is not among the enabled services
   */
  ready(...apis: ApiName[]): ITerraformDependable[] {
    return apis.map((api) => {
      const gate = this.gates.get(api);
      if (gate !== undefined) return gate;
      throw new Error(
        `${this.node.path}: ${api} is asked for but not enabled; whatever is waited for must be enabled here, because a resource would fail in an empty project; add it to apis`,
      );
    });
  }
}

/** Services whose every call makes credentials; nobody should make some to see whether it answers. */
const MAKES_CREDENTIALS_ONLY: ReadonlySet<ApiName> = new Set(["iamcredentials"]);

function serviceName(api: ApiName): string {
  return `${api}.googleapis.com`;
}

/** Puts the functions that all REST scripts share beside them. */
export function addRestLibraries(scope: Construct): StackFile[] {
  return ["rest-script.sh", "google-rest.sh"].map((file) => addScript(scope, `lib/core/scripts/${file}`));
}

/** How a provisioner runs a script of the folder. */
export function shellCommand(script: StackFile): string {
  return `sh "${script.path}"`;
}
