import { readdirSync, readFileSync } from "node:fs";

import { packageFile } from "../../lib/core/package-file";

/** A job has one text, so its script may be a little longer. */
const MOST_LINES = { script: 460, other: 400 };

it("A file of the product is short enough to be read at once", () => {
  const files = ["image", "lib", "stacks"].flatMap((folder) =>
    readdirSync(packageFile(folder), { recursive: true, encoding: "utf8" })
      .filter((path) => /\.(?:awk|cjs|jq|ps1|sh|ts|yaml)$/.test(path) && !path.includes("node_modules"))
      .map((path) => `${folder}/${path}`),
  );
  const lines = (file: string): number => readFileSync(packageFile(file), "utf8").split("\n").length - 1;
  expect(files.length).toBeGreaterThan(100);
  expect(files.filter((file) => lines(file) > MOST_LINES[file.endsWith(".sh") ? "script" : "other"])).toEqual([]);
});
