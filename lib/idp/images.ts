import { Token } from "cdktf";

import { exprOf, hcl } from "../core/expr/expr";

/**
 * Public images that a deployment pulls, by digest, so that exactly the reviewed images run. Looked up on 27 November
 * 2026. A digest gets no fixes by itself. Renew it together with the tag, which only informs readers.
 */
export const PUBLIC_IMAGES = {
  /** Images of jobs on the database, by the server's major version. */
  postgresql15:
    "docker.io/library/postgres:15-alpine@sha256:fe0737ba566a2c5b2a28f34433c0a423261900ec17b9bf7ad115e1aae7e57f1b",
  postgresql16:
    "docker.io/library/postgres:16-alpine@sha256:57c72fd2a128e416c7fcc499958864df5301e940bca0a56f58fddf30ffc07777",
  postgresql17:
    "docker.io/library/postgres:17-alpine@sha256:742f40ea20b9ff2ff31db5458d127452988a2164df9e17441e191f3b72252193",
  /** Cloud SQL proxy, which runs beside each container on GKE. */
  databaseProxy:
    "gcr.io/cloud-sql-connectors/cloud-sql-proxy:2.25.4@sha256:88501f0a695a586988add1b8a206fdf3f29f9a1a3deeb9b45ef2b1481ea6be83",
  /** Same release as in the application's own images. */
  geoipUpdater:
    "ghcr.io/maxmind/geoipupdate:v7.1.1@sha256:45e15eb310528fd308c5c0abee9a8e6d580f1e2b1251e960dec2863dc7f0102f",
  /** Runs the build; Google publishes it without versions. */
  builder: "gcr.io/cloud-builders/docker@sha256:3d00b6c1a9b862621c30fc74d4f2abfc62bcbdee631ed3febd31e7edbdf6252c",
  /** First stage of the build. */
  tools: "docker.io/library/debian:12.12-slim@sha256:d5d3f9c23164ea16f31852f95bd5959aad1c5e854332fe00f7b3a20fcc9f635c",
} as const;

/** Images of outposts. The application fills in the type and its own version. */
export const OUTPOST_IMAGES = "ghcr.io/goauthentik/%(type)s:%(version)s";

/**
 * The reference to a public image, from a mirror if one is set.
 *
 * @param mirror prefix in place of the host, such as `europe-docker.pkg.dev/my-images/mirror`
 */
export function referenceTo(image: string, mirror: string | undefined): string {
  if (mirror === undefined || Token.isUnresolved(image)) return image;
  const [host = "", ...name] = image.split("/");
  return `${exprOf(mirror).coalesce(host).text}/${name.join("/")}`;
}

/**
 * The client image for a server's major version: an older `pg_dump` refuses the server, and a newer `pg_restore` sends
 * statements that an older server does not understand.
 */
export function databaseClientImage(majorVersion: number, mirror: string | undefined): string {
  const { postgresql15, postgresql16, postgresql17 } = PUBLIC_IMAGES;
  const images = Object.entries({ 15: postgresql15, 16: postgresql16, 17: postgresql17 }).map(
    ([version, each]) => [version, referenceTo(each, mirror)] as const,
  );
  if (!Token.isUnresolved(majorVersion)) return Object.fromEntries(images)[majorVersion] ?? "";
  return hcl<string>`${Object.fromEntries(images)}[${majorVersion}]`.text;
}
