import { readdirSync, readFileSync } from "node:fs";

import { packageFile } from "../../lib/core/package-file";

const MOST_LINES = 250;

const OTHER_LIMITS: Readonly<Record<string, number>> = {
  // The calls that all REST scripts share; one request passes through most of it.
  "lib/core/scripts/google-rest.sh": 400,
  // The Dockerfile copies this file alone. With parts that only a synthesis joins, image/ would be no build context, and with
  // parts that are copied, every deployment would build its image again.
  "image/cloud-entrypoint.sh": 350,
};

const limitOf = (file: string): number => OTHER_LIMITS[file] ?? (file.startsWith("stacks/inputs/") ? 150 : MOST_LINES);

it("A file of the product is short enough to be read at once", () => {
  const files = ["image", "lib", "stacks"].flatMap((room) =>
    readdirSync(packageFile(room), { recursive: true, encoding: "utf8" })
      .filter((path) => /\.(?:awk|cjs|jq|ps1|sh|ts|yaml)$/.test(path) && !path.includes("node_modules"))
      .map((path) => `${room}/${path}`),
  );
  const lines = (file: string): number => readFileSync(packageFile(file), "utf8").split("\n").length - 1;
  expect(files.length).toBeGreaterThan(200);
  expect(Object.keys(OTHER_LIMITS).filter((file) => lines(file) <= MOST_LINES)).toEqual([]);
  expect(files.filter((file) => lines(file) > limitOf(file))).toEqual([]);
});
