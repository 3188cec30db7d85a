import { RootConstruct } from "constructs";

import { type ReadableSecret } from "../../lib/core/generated-secret";
import { MEDIA_MOUNT_PATH } from "../../lib/idp/contract";
import { type ProbeSpec } from "../../lib/idp/container-spec";
import { identityProviderContainer } from "../../lib/idp/identity-provider-container";
import { publicImage } from "../../lib/idp/idp-image";
import { type SqlInstance } from "../../lib/idp/parts";
import { type Rows } from "../../stacks/folder/markdown-tables";

const secret = (name: string): ReadableSecret => ({
  ...{ secretId: name, version: "", identity: "", ephemeralValue: "", ready: [] },
  grantAccess: () => [],
});

/** Each part has the expression for a value in place of the value. */
const DATABASE: SqlInstance = {
  instanceName: "database.instanceName",
  connectionName: "database.connectionName",
  connectionNameLength: 0,
  databaseName: "database.databaseName",
  userName: "database.userName",
  password: secret("database.password"),
  administratorPassword: secret(""),
  maxConnections: 1000,
  hasPrivateAddress: "false",
  ready: [],
  grantConnect: () => [],
};

/** A row for everything that a service of one's own must set, from what the library's own services translate. */
export function containerCells(): Rows {
  const media = {
    ...{ name: "media", bucketName: "media.bucketName", mountPath: MEDIA_MOUNT_PATH, mountOptions: [] },
    ...{ ready: [], grantReadWrite: () => [] },
  };
  const { database, environment, mounts, port, secretEnvironment, ...probes } = identityProviderContainer(
    new RootConstruct("page"),
    {
      database: DATABASE,
      image: publicImage("registry/idp:1"),
      initialization: { ready: [] },
      media,
      secrets: { secretKey: secret("secrets.secretKey"), bootstrapPassword: secret("secrets.bootstrapPassword") },
    },
  );
  const variables = (values: Readonly<Record<string, string>>, note: string): Rows =>
    Object.entries(values).map(([name, value]) => [`variable \`${name}\``, `\`${value}\`${note}`]);
  return [
    ["port", `${port}, plain HTTP`],
    ["startup probe", probeText(probes.startupProbe)],
    ["liveness probe", probeText(probes.livenessProbe)],
    [
      `variable \`${database?.hostVariable}\``,
      "`/cloudsql/` and `database.connectionName`, where Cloud Run mounts the socket, or an address",
    ],
    ...variables(environment.required, ""),
    ...Object.entries(secretEnvironment).map(([name, { secretId }]) => [
      `variable \`${name}\``,
      `\`${secretId}\`: its \`secretId\` and \`version\` in Secret Manager`,
    ]),
    ...variables(environment.baseline, ", or your own"),
    ...(mounts ?? []).map(({ bucketName, mountPath }) => [
      `mount \`${mountPath}\``,
      `the bucket \`${bucketName}\`, with \`media.mountOptions\``,
    ]),
  ];
}

function probeText(probe: ProbeSpec | undefined): string {
  if (probe === undefined) throw new Error("the page shows a probe that the container does not have");
  const { failureThreshold, initialDelaySeconds, path, periodSeconds, timeoutSeconds } = probe;
  return `\`GET ${path}\` after ${initialDelaySeconds} s, then every ${periodSeconds} s; ${timeoutSeconds} s for an answer; ${failureThreshold} failures`;
}
