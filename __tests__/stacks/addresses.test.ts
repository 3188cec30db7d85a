import { resourceAddresses, type Terraform } from "../support/synthesis";
import ADDRESSES from "./addresses.json";
import { shippedStacks } from "./shipped-stacks";

/** Every address that a stack has ever had. A new one is added by hand; none is removed, because existing states hold it. */
const KNOWN: Readonly<Record<string, readonly string[]>> = ADDRESSES;

/** What is wrong with addresses that are gone: nothing when a `moved` block leads from each to one that is there. */
function lostAddresses(kept: readonly string[], terraform: Terraform): string[] {
  const there = resourceAddresses(terraform);
  const { moved = [] } = terraform as Terraform & { moved?: readonly { from: string; to: string }[] };
  const isThere = (address: string): boolean =>
    there.includes(address) || moved.some(({ from, to }) => from === address && there.includes(to));
  return kept
    .filter((address) => !isThere(address))
    .map(
      (address) =>
        `${address} is gone; an address must stay, because Terraform deletes what is at it and creates it anew elsewhere; keep the construct's id, or have the resource at the new address say .moveFromId("${address}")`,
    );
}

describe.each(Object.entries(shippedStacks()))("The addresses of %s", (name, terraform) => {
  it("stay, or say where they have moved", () => {
    expect(lostAddresses(KNOWN[name] ?? [], terraform)).toEqual([]);
  });

  it("are all in addresses.json", () => {
    expect(resourceAddresses(terraform).filter((address) => KNOWN[name]?.includes(address) !== true)).toEqual([]);
  });
});
