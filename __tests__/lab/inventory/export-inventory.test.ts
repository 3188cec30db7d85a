import { readFileSync } from "node:fs";
import { join } from "node:path";

import { AWS_IMPORT_COLUMNS } from "../../../lib/lab/contract";
import { describeWith } from "../../support/programs";
import { contentsOf, exported, rowsOf } from "./inventory-run";

describeWith(["dash", "jq"], "export-inventory.sh", () => {
  it("writes the tables with their headers, and says in the manifest what is in them", async () => {
    const run = await exported();

    expect(run).toMatchObject({ exitCode: 0, stderr: "", leftovers: [] });
    for (const [kind, columns] of Object.entries(AWS_IMPORT_COLUMNS)) expect(rowsOf(run, kind)[0]).toEqual(columns);
    expect(contentsOf(run, "vmInfo")).toEqual([
      [
        ...["i-1", 'a, "b"\n\u{1F600}\\n', "", "", "", "", "8", "0", "t3.micro", "2", "1.0", "us-east-1", "Linux/UNIX"],
        ...["", "", "", "running", "", "2024-03-01 10:00:00+00:00", "0", "AWS"],
      ],
    ]);
    expect(contentsOf(run, "diskInfo")).toEqual([["i-1", "/dev/sda1", "8", "", "gp3"]]);
    expect(contentsOf(run, "tagInfo")).toEqual([["i-1", "Name", 'a, "b"\n\u{1F600}\\n']]);
    expect(contentsOf(run, "perfInfo")).toEqual([]);
    expect(readFileSync(join(run.tables, "vmInfo.csv"), "utf8").split("\r\n")[0]).toBe(
      AWS_IMPORT_COLUMNS.vmInfo.join(","),
    );
    expect(run.manifest?.instances).toBe(1);
    expect(run.manifest?.files.map(({ name, kind, rows }) => [name, kind, rows])).toEqual([
      ["vmInfo.csv", "vmInfo", 1],
      ["diskInfo.csv", "diskInfo", 1],
      ["tagInfo.csv", "tagInfo", 1],
      ["perfInfo.csv", "perfInfo", 0],
    ]);
  });
});
