import { deploymentV1SpecTemplateSpecInitContainerToTerraform } from "@cdktf/provider-kubernetes/lib/deployment-v1";
import { Construct } from "constructs";

import { type DeploymentContext } from "../../core/deployment-context";
import { listIf } from "../../core/expr/conditions";
import { number, object, type PropsOf, requiredObject, textOrNumber } from "../../core/inputs/rows";
import { matching, wholeNumber } from "../../core/inputs/rules";
import { type ValuesOf } from "../../core/inputs/value";
import { objectName } from "../../core/names";
import { prose } from "../../core/prose";
import { addScript } from "../../core/stack-file";
import { GEOIP_EDITIONS, GEOIP_FOLDER } from "../../idp/contract";
import { PUBLIC_IMAGES, referenceTo } from "../../idp/images";
import { IS_REFERENCE, orVersion, SECRET_REFERENCE, type SecretReference } from "../../idp/secret-reference";
import { conditionalReference } from "../../idp/secret-settings";
import { HARDENED, literalText, type PodExtension, sized } from "./pod-template";
import { type WorkloadNamespace } from "./workload-namespace";
import { addWorkloadSecret } from "./workload-secret";

/** Inputs for the location of client addresses. */
export const GEOIP = {
  /**
   * Databases of MaxMind for the location of client addresses. A MaxMind account keeps them current in each pod.
   * Without it, the application uses the databases in its image, which are as old as its release. The account that runs
   * Terraform must be allowed to read the secret with the licence key.
   */
  geoip: object(
    {
      /** Number of the account. */
      accountId: textOrNumber({
        description: "number of the account",
        must: matching(
          "^[1-9][0-9]*$",
          "be the number of an account at MaxMind; copy it from the page of its licence keys",
        ),
      }),
      /** Secret with a licence key of the account. Another version starts new pods. */
      licenseKeySecret: orVersion(
        requiredObject(SECRET_REFERENCE, {
          must: IS_REFERENCE,
          first: "store the licence key in Secret Manager",
          description: () =>
            prose`
              existing secret with a licence key of the account, { secret_id,
              version } as in secret_environment_variables
            `,
        }),
      ),
      /** Hours between updates: 1 to 168, 8 by default. */
      updateHours: number({
        default: 8,
        description: "hours between updates, 1 to 168",
        must: wholeNumber(1, 168, ", because the databases change several times a week; use 8"),
      }),
    },
    {
      description: (members) =>
        prose`
          Databases of MaxMind that tell the application where a client's address is, kept current in each pod.
          ${members} [[Null for the databases of the image, which are as old as its release.]]
          A change rolls out new pods.
        `,
    },
  ),
};

/** An account at MaxMind. */
export interface GeoipProps extends PropsOf<
  (typeof GEOIP)["geoip"]["members"],
  { readonly licenseKeySecret: SecretReference }
> {}

interface GeoipUpdaterProps {
  readonly geoip: ValuesOf<typeof GEOIP>["geoip"];
  readonly namespace: WorkloadNamespace;
  readonly context: DeploymentContext;
  readonly imageMirror: string | undefined;
}

/**
 * A sidecar that keeps the GeoIP databases current, in a folder that it shares with the application.
 *
 * The server opens the databases only at its start, so it starts after the first attempt to download them, even if that
 * fails. Each new pod downloads both, and MaxMind counts the downloads of an account.
 */
export function geoipUpdater(
  scope: Construct,
  id: string,
  { geoip, imageMirror, namespace, context }: GeoipUpdaterProps,
): PodExtension {
  const self = new Construct(scope, id);
  const { accountId, licenseKeySecret, updateHours } = geoip.at;
  const condition = geoip.isSet();
  const script = addScript(self, "lib/platform/kubernetes/scripts/update-geoip.sh");
  const references = conditionalReference("GEOIPUPDATE_LICENSE_KEY", licenseKeySecret.at, geoip.isSet()).text;
  const secrets = { secretEnvironment: {}, secretSettings: [{ references, ready: namespace.ready }] };
  const { deployment, projectId } = context;
  const name = objectName(deployment, "geoip");
  const { entries } = addWorkloadSecret(self, secrets, { name, namespace, projectId, condition });
  const forEach = listIf(condition, 1);
  const environment = {
    GEOIPUPDATE_ACCOUNT_ID: accountId.text,
    GEOIPUPDATE_DB_DIR: FOLDER,
    GEOIPUPDATE_EDITION_IDS: GEOIP_EDITIONS.join(" "),
    GEOIPUPDATE_PRESERVE_FILE_TIMES: "1",
    GEOIP_UPDATE_HOURS: updateHours.text,
  };

  return {
    // Room for the databases, about 80 MiB together, and for their replacements.
    volume: { forEach, content: { name: VOLUME, empty_dir: [{ size_limit: "512Mi" }] } },
    mount: { forEach, content: { name: VOLUME, mount_path: GEOIP_FOLDER, read_only: true } },
    sidecar: {
      forEach,
      content: {
        ...(deploymentV1SpecTemplateSpecInitContainerToTerraform({
          name: "geoip-updater",
          image: referenceTo(PUBLIC_IMAGES.geoipUpdater, imageMirror),
          command: ["/bin/sh", "-c", literalText(script.text)],
          env: Object.entries(environment).map(([name, value]) => ({ name, value })),
          // The server starts once this has succeeded. The first attempt of the updater has a limit of 60 seconds.
          startupProbe: {
            exec: { command: ["test", "-e", `${FOLDER}/.tried`] },
            periodSeconds: 1,
            timeoutSeconds: 5,
            failureThreshold: 90,
          },
          // Little more than GKE's smallest container, because the updater is idle most of the time.
          resources: sized({ cpu: "50m", memory: "128Mi" }),
          securityContext: { ...HARDENED, readOnlyRootFilesystem: true },
          volumeMount: [{ name: VOLUME, mountPath: FOLDER }],
        }) as object),
        // Makes it a sidecar, which runs beside the pod's containers instead of before them.
        restart_policy: "Always",
        ...(entries.further && {
          dynamic: { env: { for_each: entries.further.forEach, content: entries.further.content } },
        }),
      },
    },
  };
}

const VOLUME = "geoip";

/** Folder of the databases in the updater; the application mounts the same folder at another path. */
const FOLDER = "/usr/share/GeoIP";
