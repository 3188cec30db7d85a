import { describeEntrypoint } from "./entrypoint-behaviour";

describeEntrypoint({ thorough: true });
