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
