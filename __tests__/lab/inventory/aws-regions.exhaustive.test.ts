import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { AWS_REGION_PATTERN } from "../../../lib/lab/contract";
import { describeRelease } from "./aws-program";

interface Partition {
  readonly id: string;
  readonly regionRegex: string;
  readonly regions: Readonly<Record<string, unknown>>;
}

/** Prints the list of partitions that the AWS CLI has with it. */
const PRINT_PARTITIONS = `
import os
try:
    import awscli.botocore as botocore
except ImportError:
    import botocore
print(open(os.path.join(os.path.dirname(botocore.__file__), "data", "partitions.json")).read())
`;

describeRelease(1, [], "a region of AWS", ([folder = ""]) => {
  // A version manager puts a shell script in the place of the program, and a python3 of the same version beside it.
  const [interpreter = "python3"] = /(?<=^#!).*python.*/.exec(readFileSync(join(folder, "aws"), "utf8")) ?? [];
  const [command = "", ...words] = interpreter.trim().split(" ");
  const { partitions } = JSON.parse(execFileSync(command, [...words, "-c", PRINT_PARTITIONS]).toString()) as {
    partitions: readonly Partition[];
  };

  it.each(partitions)("is taken in every region of $id", ({ regionRegex, regions }) => {
    // What belongs to no region, like the names of users, has an entry of its own there.
    const names = Object.keys(regions).filter((name) => new RegExp(regionRegex).test(name));
    expect(names).not.toEqual([]);
    expect(names.filter((name) => !new RegExp(AWS_REGION_PATTERN).test(name))).toEqual([]);
  });
});
