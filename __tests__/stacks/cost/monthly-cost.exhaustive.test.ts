import { execFileSync } from "node:child_process";

import { packageFile } from "../../../lib/core/package-file";

describe("The calculation of costs", () => {
  it("loads no provider, so that a synthesis can make it", () => {
    const program = `require(${JSON.stringify(packageFile("stacks/cost/monthly-cost.ts"))}); console.log(Object.keys(require.cache).join("\\n"))`;
    const loaded = execFileSync(process.execPath, ["--require", "sucrase/register", "--eval", program], {
      encoding: "utf8",
    }).split("\n");
    expect(loaded.length).toBeGreaterThan(10);
    expect(loaded.filter((path) => path.includes("/node_modules/@cdktf/"))).toEqual([]);
  });
});
