import { KubernetesProvider } from "@cdktf/provider-kubernetes/lib/provider";

import { PostgresqlDatabase } from "../../lib/platform/postgresql-database";
import { ServiceIdentity } from "../../lib/platform/service-identity";
import { WorkloadAccount } from "../../lib/platform/kubernetes/workload-account";
import { WorkloadNamespace } from "../../lib/platform/kubernetes/workload-namespace";
import { bareStack, type BareStack } from "../support/synthesis";
import { DEPLOYMENT, PLACE } from "./serverless-parts";

/** What workloads of a cluster need, with short names. */
export interface ClusterParts {
  readonly stack: BareStack;
  readonly database: PostgresqlDatabase;
  readonly namespace: WorkloadNamespace;
  readonly account: WorkloadAccount;
  readonly deployment: typeof DEPLOYMENT;
  readonly projectId: string;
}

/** A stack with the kubernetes provider, a namespace, an account and a database. */
export function clusterParts(tier?: string): ClusterParts {
  const stack = bareStack();
  new KubernetesProvider(stack, "kubernetes", { host: "https://cluster" });
  const database = new PostgresqlDatabase(stack, "Database", { ...PLACE, tier });
  const namespace = new WorkloadNamespace(stack, "Namespace", {
    deployment: DEPLOYMENT,
    name: "apps",
    outlivedBy: [database.created],
  });
  const identity = new ServiceIdentity(stack, "Runtime", { ...PLACE, purpose: "run", description: "Runs." });
  const account = new WorkloadAccount(stack, "Account", { namespace, name: "idp", identity });
  return { stack, database, namespace, account, deployment: DEPLOYMENT, projectId: PLACE.projectId };
}
