import { InputVariable } from "../../lib/core/input-variable";
import { KNOWN_REGIONS, REGIONS_KNOWN_ON, unknownRegionRisk } from "../../lib/core/known-regions";
import { addWarnings } from "../../lib/core/warnings";
import { warnings } from "../stacks/terraform-run";
import { describeWith } from "../support/programs";
import { bareStack, terraformOf, warningsOf } from "../support/synthesis";

const WARNING = `region is "mars-north1"; it is not a region that was open on ${REGIONS_KNOWN_ON}, and a misspelled region fails only in the middle of an apply; compare it with the output of gcloud compute regions list`;

const stackIn = (region: string, stack = bareStack()) => {
  addWarnings(stack, "KnownRegion", [unknownRegionRisk(region)]);
  return stack;
};

describe("The list of known regions", () => {
  it("is dated, sorted by continent, and names each region once", () => {
    expect(REGIONS_KNOWN_ON).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    const inOrder = [...KNOWN_REGIONS].sort((one, other) => one.localeCompare(other, "en", { numeric: true }));
    expect(KNOWN_REGIONS).toEqual([...new Set(inOrder)]);
    expect(KNOWN_REGIONS.filter((region) => !/^[a-z]+-[a-z]+\d+$/.test(region))).toEqual([]);
  });

  it("only warns at synth of a literal region that is not in it", () => {
    const stack = stackIn("mars-north1");
    expect(warningsOf(stack)).toEqual([WARNING]);
    expect(terraformOf(stack).check).toBeUndefined();
  });

  it("does not warn of a known region", () => {
    expect(KNOWN_REGIONS.flatMap((region) => warningsOf(stackIn(region)))).toEqual([]);
  });
});

describeWith(["terraform"], "An input for a region", () => {
  const stack = bareStack();
  stackIn(new InputVariable(stack, "region", { type: "string", description: "Region." }).stringValue, stack);
  const terraform = terraformOf(stack);

  it("causes a warning at plan when the region is not known", () => {
    const sets = [{ region: "mars-north1" }, { region: "europe-west12" }];
    expect(warnings(terraform, sets)).toEqual([[`${WARNING}.`], []]);
    expect(warningsOf(stack)).toEqual([]);
  });
});
