import { NETWORK_RANGES } from "../../../lib/platform/network/cluster-network";

/** First and last address of an IPv4 range, as numbers. */
const bounds = (range: string): [number, number] => {
  const [address = "", bits = ""] = range.split("/");
  const first = address.split(".").reduce((number, part) => number * 256 + Number(part), 0);
  return [first, first + 2 ** (32 - Number(bits)) - 1];
};

describe("ClusterNetwork", () => {
  it("has ranges that start at their first address and do not overlap", () => {
    const ranges = Object.values(NETWORK_RANGES).map(bounds);
    for (const [index, [first, last]] of ranges.entries()) {
      expect(first % (last - first + 1)).toBe(0);
      for (const [otherFirst, otherLast] of ranges.slice(index + 1))
        expect(last < otherFirst || otherLast < first).toBe(true);
    }
  });
});
