import { MonitoringUptimeCheckConfig } from "@cdktf/provider-google/lib/monitoring-uptime-check-config";
import { type IResolvable, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { countIf } from "../../core/conditional";
import { serviceName } from "../../core/names";
import { type DeploymentContext } from "../../core/place";
import { MAIN_CHILD_ID } from "../../core/portable-stack";
import { STARTUP_PROBE } from "../../idp/contract";

export interface UptimeCheckProps {
  /** Host name or IP address that is requested on port 443. Changing it replaces the check. */
  readonly host: string;

  /** Determines the project and the name. */
  readonly place: DeploymentContext;

  /** Whether it exists, as a string: `true`, `false` or a boolean expression. Default: "true". */
  readonly condition?: string;

  /** What must exist first: `apis.ready("monitoring")`. Default: nothing. */
  readonly dependsOn?: ITerraformDependable[];

  /** Whether the check fails if the certificate is invalid. Default: true. */
  readonly validatesCertificate?: boolean | IResolvable;
}

/**
 * Checks from several places in the world once a minute whether the application is ready.
 *
 * Ready, not alive: sign-in needs the database, and a process without one is alive.
 */
export class UptimeCheck extends Construct {
  /** What must exist before the application is checked. */
  readonly ready: ITerraformDependable[];

  /** The check itself, for overrides. */
  readonly check: MonitoringUptimeCheckConfig;

  constructor(scope: Construct, id: string, props: UptimeCheckProps) {
    super(scope, id);
    const { condition, dependsOn, host, place, validatesCertificate = true } = props;

    this.check = new MonitoringUptimeCheckConfig(this, MAIN_CHILD_ID, {
      project: place.projectId,
      displayName: serviceName(place.deployment),
      period: "60s",
      timeout: "10s",
      // Replaced when the host changes, so no policy may name the check, which would keep it from being deleted.
      monitoredResource: { type: "uptime_url", labels: { host, project_id: place.projectId } },
      httpCheck: {
        path: STARTUP_PROBE.path,
        port: 443,
        useSsl: true,
        validateSsl: validatesCertificate,
        acceptedResponseStatusCodes: [{ statusClass: "STATUS_CLASS_2XX" }],
      },
      userLabels: place.labels,
      count: countIf(condition),
      dependsOn,
    });

    this.ready = [this.check];
  }
}
