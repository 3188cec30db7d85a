import { requireProps } from "../../../lib/core/rules";
import { INSTANCE_CPU, INSTANCE_MEMORY } from "../../../lib/platform/serverless/instance-size";
import { bareStack } from "../../support/synthesis";

interface Size {
  readonly cpu: string;
  readonly memory: string;
}

const SCOPE = bareStack();

const judged = (cpu: string, memory: string) => () => {
  requireProps<Size>(
    SCOPE,
    { cpu, memory },
    ["cpu", "memory"],
    [
      INSTANCE_CPU.ruleOn("cpu", (size) => size.cpu),
      INSTANCE_MEMORY.ruleOn({ cpu: ["cpu", (size) => size.cpu], memory: ["memory", (size) => size.memory] }),
    ],
  );
};

const refusal = (sentence: string) => new Error(`test: 1 problem\n  - ${sentence}`);

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
    expect(judged(cpu, memory)).not.toThrow();
  });

  it.each(["3", "0.5", "", "two"])("do not include %j CPU", (cpu) => {
    expect(judged(cpu, "4Gi")).toThrow(refusal(`cpu is "${cpu}"; it must be one of 1, 2, 4, 8; use 2`));
  });

  it.each([
    ["1", "8Gi"],
    ["8", "2Gi"],
    ["2", "256Mi"],
    ["2", "4G"],
    ["2", "1.5Gi"],
    ["2", ""],
  ])("do not include %s CPU with %j", (cpu, memory) => {
    expect(judged(cpu, memory)).toThrow(
      refusal(
        `memory is "${memory}" with cpu "${cpu}"; it must be a whole number with Mi or Gi that fits the CPU: 1 CPU 512Mi to 4Gi, 2 CPU 512Mi to 8Gi, 4 CPU 2048Mi to 16Gi, 8 CPU 4096Mi to 32Gi; change one of the two`,
      ),
    );
  });
});
