import { DATABASE_TIER, maxConnections } from "../../../lib/platform/sql/database-size";

describe("The tiers of the database", () => {
  it.each([
    ["db-g1-small", "174"],
    ["db-custom-1-3840", "384"],
    ["db-custom-2-7424", "742"],
    ["db-custom-96-638976", "5000"],
  ])("include %s, which accepts %s connections", (tier, connections) => {
    expect([DATABASE_TIER.accepts(tier), maxConnections(tier)]).toEqual([true, connections]);
  });
});
