import { isDatabaseTier, maxConnections } from "../../lib/platform/database-tier";
import { instanceSizeProblems } from "../../lib/platform/serverless/instance-size";

const CPU_TEXT = "it must be one of 1, 2, 4, 8, because the platform offers no other; use 2";
const MEMORY_TEXT =
  "it must be a whole number with Mi or Gi that fits the CPU, because the platform allows 1 CPU 512Mi to 4Gi, 2 CPU 512Mi to 8Gi, 4 CPU 2048Mi to 16Gi, 8 CPU 4096Mi to 32Gi; change one of the two";

describe("The tiers of the database", () => {
  it.each(["db-g1-small", "db-custom-1-3840", "db-custom-1-6656", "db-custom-2-3840", "db-custom-96-638976"])(
    "include %s",
    (tier) => {
      expect(isDatabaseTier(tier)).toBe(true);
    },
  );

  it.each([
    "",
    "db-f1-micro",
    "db-n1-standard-1",
    "db-perf-optimized-N-2",
    "db-custom-0-3840",
    "db-custom-3-7680",
    "db-custom-98-131072",
    "db-custom-1-3584",
    "db-custom-1-3841",
    "db-custom-1-6912",
    "db-custom-8-7168",
    "db-custom-1-3840 ",
    "db-custom-01-3840",
    "db-custom-1-03840",
    "DB-CUSTOM-1-3840",
    "toString",
    "constructor",
  ])("do not include %j", (tier) => {
    expect(isDatabaseTier(tier)).toBe(false);
  });

  it.each([
    ["db-g1-small", "50"],
    ["db-custom-1-3840", "100"],
    ["db-custom-2-6144", "200"],
    ["db-custom-2-7424", "200"],
    ["db-custom-2-7680", "400"],
    ["db-custom-4-15360", "500"],
    ["db-custom-8-30720", "600"],
    ["db-custom-16-61440", "800"],
    ["db-custom-32-122880", "1000"],
    ["db-custom-96-638976", "1000"],
  ])("give %s %s connections", (tier, connections) => {
    expect(maxConnections(tier)).toBe(connections);
  });
});

describe("The sizes of an instance", () => {
  it.each([
    ["1", "512Mi"],
    ["1", "4Gi"],
    ["2", "512Mi"],
    ["2", "8Gi"],
    ["4", "2Gi"],
    ["4", "16384Mi"],
    ["8", "4096Mi"],
    ["8", "32Gi"],
  ])("include %s CPU with %s", (cpu, memory) => {
    expect(instanceSizeProblems(cpu, memory)).toEqual([]);
  });

  it.each([
    ["3", "4Gi", `resources.cpu is 3; ${CPU_TEXT}`],
    ["0.5", "512Mi", `resources.cpu is 0.5; ${CPU_TEXT}`],
    ["", "4Gi", `resources.cpu is ; ${CPU_TEXT}`],
    ["1", "8Gi", `resources.memory is 8Gi with 1 CPU; ${MEMORY_TEXT}`],
    ["8", "2Gi", `resources.memory is 2Gi with 8 CPU; ${MEMORY_TEXT}`],
    ["2", "256Mi", `resources.memory is 256Mi with 2 CPU; ${MEMORY_TEXT}`],
    ["2", "4G", `resources.memory is 4G with 2 CPU; ${MEMORY_TEXT}`],
    ["2", "1.5Gi", `resources.memory is 1.5Gi with 2 CPU; ${MEMORY_TEXT}`],
    ["2", "", `resources.memory is  with 2 CPU; ${MEMORY_TEXT}`],
  ])("do not include %j CPU with %j", (cpu, memory, text) => {
    expect(instanceSizeProblems(cpu, memory)).toEqual([text]);
  });
});
