import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { packageFile } from "../../lib/core/package-file";
import { findProgram } from "../support/programs";
import { type Figure } from "./figure";
import { measureTree, type TreeCost } from "./process-tree";

const FEW = 10_000;
const MANY = 100_000;

/**
 * The AWS inventory through the AWS CLI, beside the naive form of it, against a server of pages on this
 * machine. Where the program or jq is missing, a line says so.
 */
export async function inventoryFigures(scratch: string): Promise<Figure[]> {
  if (findProgram("aws") === undefined || findProgram("jq") === undefined) {
    process.stderr.write("SKIPPED the inventory: needs aws and jq: apt-get install awscli jq\n");
    return [];
  }
  const few = await withFleet(FEW, (endpoint) => exported(join(scratch, "few"), endpoint));
  const [many, naive] = await withFleet(MANY, async (endpoint) => [
    await exported(join(scratch, "many"), endpoint),
    await naively(join(scratch, "naive"), endpoint),
  ]);
  const growth = many.peakMegabytes / few.peakMegabytes;
  const speed = ({ seconds }: TreeCost) => `${seconds.toFixed(1)} s, ${(MANY / seconds).toFixed(0)} per s`;
  const memory = ({ peakMegabytes }: TreeCost) => `${peakMegabytes.toFixed(0)} MB`;
  return [
    {
      name: "naive / inventory of 100,000 machines",
      ours: speed(many),
      peer: speed(naive),
      ratio: `${(naive.seconds / many.seconds).toFixed(2)} x`,
      goal: "more than 1 x",
      reached: naive.seconds > many.seconds,
    },
    {
      name: "memory of 100,000 machines / of 10,000",
      ours: memory(many),
      peer: memory(few),
      ratio: `${growth.toFixed(2)} x`,
      goal: "at most 1.2 x",
      reached: growth <= 1.2,
    },
    {
      name: "memory, naive / inventory of 100,000 machines",
      ours: memory(many),
      peer: memory(naive),
      ratio: `${(naive.peakMegabytes / many.peakMegabytes).toFixed(1)} x`,
      goal: "more than 1 x",
      reached: naive.peakMegabytes > many.peakMegabytes,
    },
  ];
}

async function withFleet<Result>(machines: number, use: (endpoint: string) => Promise<Result>): Promise<Result> {
  const server = spawn(
    process.execPath,
    ["--import", "tsx", packageFile("__tests__/bench/serve-fleet.ts"), String(machines)],
    { cwd: packageFile("."), stdio: ["ignore", "pipe", "inherit"] },
  );
  try {
    const endpoint = await new Promise<string>((resolve, reject) => {
      server.stdout.setEncoding("utf8").once("data", (text: string) => resolve(text.trim()));
      server.once("close", () => reject(new Error("the server of pages has ended")));
    });
    return await use(endpoint);
  } finally {
    server.kill();
  }
}

function exported(folder: string, endpoint: string): Promise<TreeCost> {
  return measureTree("sh", [packageFile("lib/lab/scripts/export-inventory.sh")], {
    ...environmentOf(folder, endpoint),
    GOOGLE_REST_LIBRARY: packageFile("lib/core/scripts/google-rest.sh"),
  });
}

function naively(folder: string, endpoint: string): Promise<TreeCost> {
  return measureTree("sh", [packageFile("__tests__/bench/naive-inventory.sh")], environmentOf(folder, endpoint));
}

function environmentOf(folder: string, endpoint: string): Record<string, string> {
  mkdirSync(folder);
  return {
    PATH: process.env.PATH ?? "",
    HOME: folder,
    TMPDIR: folder,
    INVENTORY_FOLDER: folder,
    CLOUDB_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "AKIAMEASURED00000001",
    AWS_SECRET_ACCESS_KEY: "measured",
    AWS_ENDPOINT_URL: endpoint,
    AWS_PAGER: "",
  };
}
