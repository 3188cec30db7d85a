import { describeLinuxFirstBoot } from "./linux-first-boot-behaviour";

describeLinuxFirstBoot({ thorough: true });
