import { ANYWHERE, PROXIED_DATABASE_PORT } from "./contract";

/** Where pods may connect to: a range, or every pod and address if none is named, and ports of it. */
interface OutboundRule {
  readonly cidr?: string;
  readonly ports: readonly (readonly [protocol: "TCP" | "UDP", port: number])[];
}

/** What a deployment needs to reach; other policies of the namespace add to it. */
export const OUTBOUND_RULES: readonly OutboundRule[] = [
  // Names; the resolver is a pod, an address of the node or the metadata server, depending on the release.
  {
    ports: [
      ["UDP", 53],
      ["TCP", 53],
    ],
  },
  // Identities, by the metadata server.
  { cidr: "169.254.169.254/32", ports: [["TCP", 80]] },
  { cidr: "169.254.169.252/32", ports: [["TCP", 988]] },
  // The database, the platform's APIs, and whatever the application federates with.
  {
    cidr: ANYWHERE,
    ports: [
      ["TCP", PROXIED_DATABASE_PORT],
      ["TCP", 443],
    ],
  },
];
