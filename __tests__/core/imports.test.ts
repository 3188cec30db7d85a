import { readdirSync, readFileSync } from "node:fs";

import { packageFile } from "../../lib/core/package-file";

it("Random cases are drawn with a fixed seed only, so that nobody's first run fails by chance", () => {
  const drawing = readdirSync(packageFile("__tests__"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .filter((file) => readFileSync(packageFile(`__tests__/${file}`), "utf8").includes('from "fast-check"'));
  expect(drawing.filter((file) => file !== "core/imports.test.ts")).toEqual(["support/seeded-cases.ts"]);
});
