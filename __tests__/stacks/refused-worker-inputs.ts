import { type Refusal } from "./refusal";
import { type Inputs } from "./terraform-run";

/** What is said of an input for the place of a separate worker where there is none. */
const withoutPlace = (name: string, value: number | string, mode: string) =>
  `${name} is ${JSON.stringify(value)} with worker_mode ${JSON.stringify(mode)}; it needs "separate", because otherwise every instance of the server has a worker in it; set worker_mode to "separate", or leave it out.`;

const SIZE_RULE = "it must be a whole number from 1; leave it out for the application's own default.";

/** What both variants refuse of the worker by a rule that looks at one input. */
export const REFUSED_WORKERS_ALONE: readonly Refusal[] = [
  [
    "a mode of the worker that there is not",
    { worker_mode: "allinone" },
    ['worker_mode is "allinone"; it must be in-container, all-in-one or separate; use in-container.'],
  ],
  [
    "no separate worker",
    { worker_mode: "separate", worker_count: 0 },
    ["worker_count is 0; it must be a whole number from 1, because nothing else sends mail or runs tasks; use 1."],
  ],
  [
    "a part of a process, and no thread",
    { worker_processes: 1.5, worker_threads: 0 },
    [`worker_processes is 1.5; ${SIZE_RULE}`, `worker_threads is 0; ${SIZE_RULE}`],
  ],
];

/** The same by a rule that compares several inputs. */
export const REFUSED_WORKERS_TOGETHER: readonly Refusal[] = [
  [
    "number and memory of separate workers where there are none",
    { worker_count: 2, worker_memory: "2Gi" },
    [withoutPlace("worker_count", 2, "in-container"), withoutPlace("worker_memory", "2Gi", "in-container")],
  ],
  [
    "CPUs of separate workers where there are none",
    { worker_mode: "all-in-one", worker_cpu: 2 },
    [withoutPlace("worker_cpu", 2, "all-in-one")],
  ],
  [
    "the application's own supervision with a release that has none",
    { worker_mode: "all-in-one", application_version: "2026.2.3" },
    [
      'worker_mode is "all-in-one" with application_version "2026.2.3"; it needs release 2026.5 or newer, because older ones cannot supervise server and worker themselves; use in-container or for example "2026.5.4".',
    ],
  ],
];

const SERVERLESS_MEMORY_RULE =
  "it must be a whole number with Mi or Gi that fits the CPU: 1 CPU 512Mi to 4Gi, 2 CPU 512Mi to 8Gi, 4 CPU 2048Mi to 16Gi, 8 CPU 4096Mi to 32Gi; change one of the two.";

const NO_CONNECTION =
  "and 10 are reserved for administration, but the database accepts 384, and a request without a connection fails; lower it, or choose a database_tier with more memory.";

/** What only the serverless variant refuses of the worker by a rule that looks at one input. */
export const REFUSED_SERVERLESS_WORKERS_ALONE: readonly Refusal[] = [
  [
    "a worker with a number of CPUs that Cloud Run does not offer",
    { worker_mode: "separate", worker_cpu: 0.5 },
    ["worker_cpu is 0.5; it must be one of 1, 2, 4, 8; use 1."],
  ],
];

/** The same by a rule that compares several inputs. */
export const REFUSED_SERVERLESS_WORKERS_TOGETHER: readonly Refusal[] = [
  [
    "a worker with more memory than its CPU may have",
    { worker_mode: "separate", worker_memory: "8Gi" },
    [`worker_memory is "8Gi" with worker_cpu 1; ${SERVERLESS_MEMORY_RULE}`],
  ],
  [
    "more separate workers than the database has connections for",
    { max_instance_count: 3, worker_mode: "separate", worker_count: 7 },
    [
      `max_instance_count is 3; with 3 more during a rollout that needs 452 database connections, 140 of them for separate workers, ${NO_CONNECTION}`,
    ],
  ],
  [
    "more threads beside the server than the database has connections for",
    { max_instance_count: 3, worker_threads: 14 },
    [`max_instance_count is 3; with 3 more during a rollout that needs 432 database connections ${NO_CONNECTION}`],
  ],
];

/** What only the Kubernetes variant refuses of the worker by a rule that looks at one input. */
export const REFUSED_KUBERNETES_WORKERS_ALONE: readonly Refusal[] = [
  [
    "a worker with CPU between two steps",
    { worker_mode: "separate", worker_cpu: 1.1 },
    ["worker_cpu is 1.1; it must be 0.5 to 28 in steps of 0.25, because Autopilot offers no other pods; use 1."],
  ],
  [
    "no separate worker at most",
    { worker_mode: "separate", worker_max_count: 0 },
    ["worker_max_count is 0; it must be a whole number from 1; use 1 or more."],
  ],
];

/** The same by a rule that compares several inputs. */
export const REFUSED_KUBERNETES_WORKERS_TOGETHER: readonly Refusal[] = [
  [
    "a worker with less memory than its CPU must have",
    { worker_mode: "separate", worker_cpu: 4, worker_memory: "2Gi" },
    [
      'worker_memory is "2Gi" with worker_cpu 4; it must be a whole number with Mi or Gi, 1 to 6.5Gi per CPU and 108Gi at most, because Autopilot raises other requests and bills them; change one of the two.',
    ],
  ],
  [
    "fewer separate workers at most than at least",
    { worker_mode: "separate", worker_count: 3, worker_max_count: 2 },
    ["worker_count is 3; it must not exceed worker_max_count, which is 2; lower one or raise the other."],
  ],
  [
    "a maximum of separate workers where there are none",
    { worker_max_count: 3 },
    [withoutPlace("worker_max_count", 3, "in-container")],
  ],
  [
    "more separate workers than the database has connections for during a rollout",
    { max_instance_count: 3, worker_mode: "separate", worker_count: 20 },
    [
      `max_instance_count is 3; with 1 more during a rollout that needs 428 database connections, 220 of them for separate workers, ${NO_CONNECTION}`,
    ],
  ],
];

/** Values that both variants accept, for trying combinations. */
export const ACCEPTED_WORKERS = {
  worker_count: [null, 2],
  worker_cpu: [null, 2],
  worker_memory: [null, "4Gi"],
  worker_mode: ["in-container", "separate", "all-in-one"],
  worker_processes: [null, 2],
  worker_threads: [null, 4],
} as const;

/** The same of what only the Kubernetes variant has. */
export const ACCEPTED_KUBERNETES_WORKERS = { worker_max_count: [null, 3] } as const;

/** Further inputs that both variants accept. */
export const FINE_WORKERS: readonly (readonly [behaviour: string, inputs: Inputs])[] = [
  ["the application's own supervision with the pinned release", { worker_mode: "all-in-one" }],
  [
    "the application's own supervision with the first release that has it",
    { worker_mode: "all-in-one", application_version: "2026.5.0" },
  ],
  [
    "the application's own supervision in an image of an unknown release",
    { worker_mode: "all-in-one", existing_container_image: "us-docker.pkg.dev/p/r/idp:1" },
  ],
  ["two separate workers", { worker_mode: "separate", worker_count: 2, worker_cpu: 2, worker_memory: "4Gi" }],
  [
    "separate workers of another size",
    { worker_mode: "separate", worker_processes: 2, worker_threads: 4, database_tier: "db-custom-2-7680" },
  ],
];
