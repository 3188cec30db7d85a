import { DATABASE_TIER, maxConnections } from "../../../lib/platform/sql/database-size";

describe("The tiers of the database", () => {
  it.each(["db-g1-small", "db-custom-1-3840", "db-custom-1-6656", "db-custom-2-3840", "db-custom-96-638976"])(
    "include %s",
    (tier) => {
      expect(DATABASE_TIER.accepts(tier)).toBe(true);
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
    expect(DATABASE_TIER.accepts(tier)).toBe(false);
  });

  it.each([
    ["db-g1-small", "174"],
    ["db-custom-1-3840", "384"],
    ["db-custom-2-7424", "742"],
    ["db-custom-2-7680", "768"],
    ["db-custom-4-15360", "1536"],
    ["db-custom-96-638976", "5000"],
  ])("give %s %s connections", (tier, connections) => {
    expect(maxConnections(tier)).toBe(connections);
  });
});
