import { describeEntrypoint } from "./entrypoint-behaviour";

// The shell of the image, and two others that read the same language.
describeEntrypoint("dash", { thorough: true });
for (const shell of ["bash", "busybox"] as const) describeEntrypoint(shell, { thorough: false });
