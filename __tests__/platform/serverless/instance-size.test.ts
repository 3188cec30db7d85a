import { INSTANCE_CPU, INSTANCE_MEMORY } from "../../../lib/platform/serverless/instance-size";

interface Size {
  readonly cpu: string;
  readonly memory: string;
}

const CPU = INSTANCE_CPU.ruleOn<Size>("cpu", ({ cpu }) => cpu);
const MEMORY = INSTANCE_MEMORY.ruleOn<Size>({
  cpu: ["cpu", ({ cpu }) => cpu],
  memory: ["memory", ({ memory }) => memory],
});

describe("The sizes of an instance", () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ["0.5", [], ["512Mi"]],
    ["1", ["512Mi", "4Gi"], ["511Mi", "4097Mi", "4G", ""]],
    ["2", ["512Mi", "8Gi"], ["256Mi", "8193Mi", "1.5Gi"]],
    ["3", [], ["4Gi"]],
    ["4", ["2Gi", "16384Mi"], ["2047Mi", "16385Mi"]],
    ["8", ["4096Mi", "32Gi"], ["4095Mi", "32769Mi"]],
  ])("with %s CPU are %j, and not %j", (cpu, fitting, others) => {
    const isOffered = (memory: string) => CPU.holds({ cpu, memory }) && MEMORY.holds({ cpu, memory });
    expect([...fitting, ...others].filter(isOffered)).toEqual(fitting);
  });
});
