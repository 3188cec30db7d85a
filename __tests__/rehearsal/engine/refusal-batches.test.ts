import { requireRefusal } from "./refusal-batches";

const OUTPUT = "Error: Invalid value for variable\n\nprobe.period_seconds is 0; use\n10.\n";

const VARIABLES = {
  prober: { validation: [{ error_message: "prober is no name." }] },
  probe: {
    validation: [
      { error_message: "probe.period_seconds is ${var.probe.period_seconds}; use 10." },
      { error_message: "prober is ${var.prober} and there is a probe." },
    ],
  },
};

const judged = (texts: readonly string[], openTofu?: typeof VARIABLES): Promise<void> =>
  requireRefusal({ refuse: () => Promise.resolve({ output: OUTPUT }) }, "no period", texts, openTofu);

describe("A refused plan", () => {
  it("shows messages wherever its lines break", async () => {
    await expect(judged(["probe.period_seconds is 0; use 10."])).resolves.toBeUndefined();
  });

  it("must show every message of Terraform, but only one for each variable of OpenTofu", async () => {
    const texts = ["probe.period_seconds is 0; use 10.", "prober is a and there is a probe."];

    await expect(judged(texts)).rejects.toThrow('expected "prober is a and there is a probe." in:');
    await expect(judged(texts, VARIABLES)).resolves.toBeUndefined();
    await expect(judged([...texts, "prober is no name."], VARIABLES)).rejects.toThrow(
      'expected "prober is no name." in:',
    );
  });
});
