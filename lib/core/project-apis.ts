import { ProjectService } from "@cdktf/provider-google/lib/project-service";
import { Fn, type ITerraformDependable, type LocalExecProvisioner, TerraformLocal, Token } from "cdktf";
import { Construct } from "constructs";

import { type Condition, countIf, isNever } from "./expr/conditions";
import { type KnownPropsOf, refuseProps } from "./inputs/known-props";
import { prose } from "./prose";
import { stateProvidersOf, stateScriptsOf } from "./provider-requirements";
import { addScript, type StackFile, unixLineEnds } from "./stack-file";
import { TerraformData } from "./terraform-data";

/** APIs that the stacks use, named by the first part of `<name>.googleapis.com`. */
export type ApiName =
  | "artifactregistry"
  | "certificatemanager"
  | "cloudbuild"
  | "cloudresourcemanager"
  | "cloudscheduler"
  | "compute"
  | "container"
  | "dns"
  | "iam"
  | "iamcredentials"
  | "logging"
  | "migrationcenter"
  | "monitoring"
  | "run"
  | "secretmanager"
  | "sqladmin"
  | "storage"
  | "workloadidentity";

export interface ProjectApisProps {
  /** APIs to enable. They stay enabled after a destroy, because something else may use them by then. */
  readonly apis: readonly ApiName[];

  /** Project in which the APIs are enabled. It must exist and have billing enabled. */
  readonly projectId: string;

  /** Region for the gates' test calls; some APIs can only be called per region. */
  readonly region: string;

  /** Dependencies of the first API; none by default. A destroy deletes them after everything that waits for an API. */
  readonly dependsOn?: ITerraformDependable[];
}

const PROPS: KnownPropsOf<ProjectApisProps> = {
  apis: "required",
  dependsOn: "optional",
  projectId: "required",
  region: "required",
};

/**
 * Enables APIs in an empty project and waits until each of them answers.
 *
 * The provider can enable nothing until the Resource Manager API answers. This API is off in a new project, so a REST
 * call enables it first. Each API has its own gate, a script that runs after the API is enabled, so that a resource
 * waits only for the APIs it needs. If the script fails, the next apply enables the API once more, which changes
 * nothing, and runs the script again.
 */
export class ProjectApis extends Construct {
  /** Resources that enable each API and wait for it; none for an API that is never used. */
  private readonly enabled = new Map<ApiName, ITerraformDependable[]>();
  private readonly resourceManager: TerraformData;

  /** Environment of the gates' scripts: the place for test calls of an API. */
  private readonly environment: TerraformLocal;

  constructor(
    scope: Construct,
    id: string,
    private readonly props: ProjectApisProps,
  ) {
    super(scope, id);
    stateProvidersOf(this);
    refuseProps(this, props, PROPS);
    const { apis, projectId, region } = props;
    this.environment = new TerraformLocal(this, "Environment", { PROJECT_ID: projectId, REGION: region });

    this.resourceManager = new TerraformData(this, "ResourceManager", {
      triggersReplace: { project_id: projectId },
      // Checked here, because every folder creates this resource first.
      lifecycle: { precondition: [unixLineEnds(this)] },
      provisioners: [this.run("cloudresourcemanager", " --enable"), this.run("cloudresourcemanager")],
      dependsOn: props.dependsOn,
    });

    for (const api of apis) this.enable(api);
  }

  /**
   * Enables one more API, only if the condition holds.
   *
   * An API without a harmless test call has no gate, because resources of that API are created minutes later anyway.
   *
   * @param condition if left out, the API is always enabled
   */
  enable(api: ApiName, condition?: Condition): void {
    if (isNever(condition)) {
      this.enabled.set(api, []);
      return;
    }
    const enabled = new ProjectService(this, api, {
      project: this.props.projectId,
      service: `${api}.googleapis.com`,
      disableOnDestroy: false,
      // No gate, because every call of this API creates credentials.
      provisioners: api === "iamcredentials" ? undefined : [this.run(api)],
      dependsOn: [this.resourceManager],
      count: countIf(condition),
    });
    this.enabled.set(api, [enabled]);
  }

  private run(api: ApiName, option = ""): LocalExecProvisioner {
    addRestLibraries(this);
    const script = addScript(this, "lib/core/scripts/wait-for-api.sh");
    return {
      type: "local-exec",
      command: `${shellCommand(script)}${option}`,
      environment: Token.asStringMap(Fn.merge([this.environment.expression, { SERVICE: `${api}.googleapis.com` }])),
    };
  }

  /** Dependencies of a resource that uses these APIs. @throws Error if one of the APIs is not enabled here */
  ready(...apis: ApiName[]): ITerraformDependable[] {
    return apis.flatMap((api) => {
      const enabled = this.enabled.get(api);
      if (enabled !== undefined) return enabled;
      throw new Error(
        prose`
          ${this.node.path}: ${api} is to be waited for but is not enabled here,
          so the resource would fail in an empty project; add it to apis
        `,
      );
    });
  }
}

/** Adds the functions that all REST scripts share to the same folder. */
export function addRestLibraries(scope: Construct): StackFile[] {
  stateScriptsOf(scope);
  return ["rest-script.sh", "google-credentials.sh", "google-rest.sh"].map((file) =>
    addScript(scope, `lib/core/scripts/${file}`),
  );
}

/** Command with which a provisioner runs a script in the folder. */
export function shellCommand(script: StackFile): string {
  return `sh "${script.path}"`;
}

/** Runs a script in the folder when the resource is created. */
export function runsScript(script: StackFile, environment: Readonly<Record<string, string>>): LocalExecProvisioner[] {
  return [{ type: "local-exec", command: shellCommand(script), environment }];
}
