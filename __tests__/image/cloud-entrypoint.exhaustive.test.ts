import { describeEntrypoint } from "./entrypoint-behaviour";

for (const shell of ["dash", "bash", "busybox"] as const) describeEntrypoint(shell, { thorough: true });
