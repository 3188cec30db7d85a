import { anyOf, type Expr } from "../../core/expr/expr";
import { holdsFor } from "../../core/expr/functions";
import { type NetworkInputs } from "../../core/inputs/network-inputs";
import { type Relation } from "../../core/inputs/relations";
import { choice, flag, number } from "../../core/inputs/rows";
import { wholeNumber } from "../../core/inputs/rules";
import { type SettingsOf } from "../../core/inputs/value";
import { mebibytes } from "../../core/memory";
import { prose } from "../../core/prose";
import { POOLED_REQUESTS_PER_INSTANCE, REQUESTS_PER_INSTANCE } from "../../idp/contract";
import { type InstanceSize } from "../../idp/worker";
import { DEFAULT_ADDRESS } from "../domain/domain";
import { PUBLIC_ACCESS } from "./public-access";

/** Inputs of the instances. */
const INSTANCES = {
  /** Keeps the CPU allocated between requests, which a worker beside the server needs. */
  cpuAlwaysAllocated: flag({
    default: true,
    description: prose`
      Keeps the CPU on between requests, which a worker beside the server needs. False is cheaper,
      but without separate workers, mail, tasks and clean-ups then wait for the next request.
      A change rolls out new instances.
    `,
  }),
  /** Requests that one instance answers at a time, 1 to 1000; by default 250 with a connection pool and 36 without. */
  maxInstanceRequestConcurrency: number({
    default: null,
    description: prose`
      Maximum number of requests that one instance answers at the same time: 1 to 1000[[;
      null for ${POOLED_REQUESTS_PER_INSTANCE} with connection_pool and ${REQUESTS_PER_INSTANCE} without]].
      Every open page of the application is one of them, by a web socket that needs no database connection;
      all others need one. With fewer, Cloud Run starts further instances sooner.
      A change rolls out new instances.
    `,
    must: wholeNumber(1, 1000, `, because Cloud Run allows no more; use ${POOLED_REQUESTS_PER_INSTANCE}`),
  }),
};

/** Input of the outgoing traffic. */
const EGRESS = {
  /**
   * Traffic that goes through the network: `private-ranges-only`, or `all-traffic`, which requires NAT in the network.
   */
  vpcEgress: choice(["private-ranges-only", "all-traffic"], {
    default: "private-ranges-only",
    description: prose`
      What goes through network: private-ranges-only, or all-traffic,
      for which it needs NAT to reach mail servers, other identity providers and public APIs.
      A change rolls out new instances.
    `,
  }),
};

export type ServiceInputs = typeof INSTANCES & typeof DEFAULT_ADDRESS & typeof PUBLIC_ACCESS & typeof EGRESS;

/** Inputs of the Cloud Run service, on its own and in a whole identity provider. */
export const SERVICE: ServiceInputs = { ...INSTANCES, ...DEFAULT_ADDRESS, ...PUBLIC_ACCESS, ...EGRESS };

export type ServiceOptions = SettingsOf<ServiceInputs>;

/** Memory in MiB that Cloud Run allows for each number of CPUs, in the execution environment that can mount buckets. */
const MEMORY_MIB = { 1: [512, 4096], 2: [512, 8192], 4: [2048, 16384], 8: [4096, 32768] } as const;
const CPUS = Object.keys(MEMORY_MIB).map(Number);
const PAIRS = Object.entries(MEMORY_MIB).map(([cpu, [from, to]]) => `${cpu} CPU ${from}Mi to ${to / 1024}Gi`);

/**
 * CPUs and memory of an instance. The memory depends on the CPUs; another rule refuses a wrong number of CPUs.
 *
 * @param recommended recommended number of CPUs
 */
export const instanceSize = (recommended: number): InstanceSize => ({
  cpuChoice: "1, 2, 4 or 8",
  cpu: {
    condition: (cpu) => cpu.isOneOf(CPUS),
    must: `be one of ${CPUS.join(", ")}`,
    fix: `use ${recommended}`,
    schema: { enum: CPUS },
  },
  memory: {
    rule: `that fits the CPU, ${PAIRS.join(", ")}`,
    fits: (cpu, memory) => {
      const isPair = (size: Expr<number>) =>
        anyOf(
          ...Object.entries(MEMORY_MIB).map(([each, [from, to]]) =>
            cpu.eq(Number(each)).and(size.ge(from), size.le(to)),
          ),
        );
      return anyOf(cpu.isOneOf(CPUS).not(), holdsFor(mebibytes(memory), isPair, "mebibytes"));
    },
  },
});

export const EGRESS_RELATIONS: readonly Relation<NetworkInputs & ServiceInputs>[] = [
  {
    host: "vpcEgress",
    holds: (v) => {
      const needsNone = v.vpcEgress.eq("private-ranges-only").and(v.networkTags.length().eq(0));
      return needsNone.or(v.vpcEgress.isOneOf(["all-traffic", "private-ranges-only"]).and(v.network.isSet()));
    },
    message: (v) =>
      prose`
        ${v.vpcEgress.name} is ${v.vpcEgress.shown} and ${v.networkTags.name} is ${v.networkTags.shown};
        the first must be private-ranges-only, or all-traffic with ${v.network.name}, which tags need too,
        because nothing goes through a network that is not given; give one, or leave both out
      `,
  },
];
