import { requireRefusal } from "./refusal-batches";

const OUTPUT = "Error: Invalid value for variable\n\nprobe.period_seconds is 0; use\n10.\n";

/** Judges the output of a plan that is refused. */
const judged = (texts: readonly string[], isOpenTofu: boolean): Promise<void> =>
  requireRefusal({ refuse: () => Promise.resolve({ output: OUTPUT }) }, "no period", texts, isOpenTofu);

describe("A refused plan", () => {
  it("shows messages wherever its lines break", async () => {
    await expect(judged(["probe.period_seconds is 0; use 10."], false)).resolves.toBeUndefined();
  });

  it("must show every message of Terraform, but only one for each input of OpenTofu", async () => {
    const texts = ["probe.period_seconds is 0; use 10.", "probe.timeout_seconds is 9; use 1."];

    await expect(judged(texts, false)).rejects.toThrow('expected "probe.timeout_seconds is 9; use 1." in:');
    await expect(judged(texts, true)).resolves.toBeUndefined();
    await expect(judged([...texts, "prober is no name."], true)).rejects.toThrow('expected "prober is no name." in:');
  });
});
