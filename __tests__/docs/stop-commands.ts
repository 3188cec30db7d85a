import { objectName, serviceName, workerPoolName, type DeploymentName } from "../../lib/core/names";
import { DB_INIT_JOB } from "../../lib/idp/contract";
import { WORKER_NAME } from "../../lib/idp/worker-mode";

/** The name of the server, as a shell makes it out of the settings of the scripts of a restore. */
const SERVER = `\${INIT_JOB%-${DB_INIT_JOB}*}`;

const DEPLOYMENT: DeploymentName = { tenantPrefix: "demo-abc123", applicationName: "idp" };

const POOL = workerPoolName(DEPLOYMENT).replace(serviceName(DEPLOYMENT), () => SERVER);
const WORKER = objectName(DEPLOYMENT, WORKER_NAME).replace(objectName(DEPLOYMENT), () => SERVER);

const PLACE = "--region=$REGION --project=$PROJECT_ID";
const CLUSTER = "kubectl --namespace $NAMESPACE";

const COMMANDS = [
  ...["0", "auto"].map((mode) => `gcloud run services update ${SERVER} ${PLACE} --scaling=${mode}`),
  `gcloud run services delete ${SERVER} ${PLACE} --quiet`,
  `gcloud run worker-pools delete ${POOL} ${PLACE} --quiet`,
  ...[SERVER, WORKER].flatMap((name) =>
    ["0", "1"].map((count) => `${CLUSTER} scale deployment/${name} --replicas=${count}`),
  ),
  `${CLUSTER} wait pod --for=delete --selector=app.kubernetes.io/component in (server,${WORKER_NAME}) --timeout=5m`,
];

/** Whether a command, without its quotes, stops or starts servers or workers by the names that they have. */
export function isStopOrStart(command: string): boolean {
  return COMMANDS.includes(command);
}
