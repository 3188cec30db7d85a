import { describeEntrypoint } from "./entrypoint-behaviour";

describeEntrypoint("bash");
describeEntrypoint("busybox");
