import { describeEntrypoint } from "./entrypoint-behaviour";

// The shell of the image.
describeEntrypoint("dash", { thorough: false });
