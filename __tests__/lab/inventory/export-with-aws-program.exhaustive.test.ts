import { describeWith } from "../../support/programs";
import { temporaryFolder } from "../../support/temporary-folder";
import { Ec2StandIn } from "./ec2-stand-in";
import { contentsOf, exportInventory, type InventoryRun, SCOPED_KEY } from "./inventory-run";

interface Scene {
  readonly standIn: Ec2StandIn;
  readonly run: (environment?: Readonly<Record<string, string>>) => Promise<InventoryRun>;
}

/** An account with so many machines. */
async function inScene(machineCount: number, test: (scene: Scene) => Promise<void>): Promise<void> {
  const standIn = await new Ec2StandIn(machineCount).start();
  try {
    await test({
      standIn,
      run: (environment = {}) =>
        exportInventory({
          folder: temporaryFolder(),
          programs: [process.env.PATH ?? ""],
          environment: { AWS_ENDPOINT_URL: standIn.endpoint, ...environment },
        }),
    });
  } finally {
    await standIn.stop();
  }
}

describeWith(["aws", "dash", "jq"], "export-inventory.sh with the AWS CLI", () => {
  it("asks page by page, for a hundred types at most, with the scoped key in the region that was named", () =>
    inScene(300, async ({ run, standIn }) => {
      const result = await run({ PAGE_SIZE: "100", CLOUDB_REGION: "eu-west-3" });

      expect(result).toMatchObject({ exitCode: 0, manifest: { instances: 300 } });
      expect(standIn.requestsTo("DescribeInstances")).toHaveLength(3);
      expect(standIn.requestsTo("DescribeVolumes")).toHaveLength(6);
      const types = standIn
        .requestsTo("DescribeInstanceTypes")
        .map(({ parameters }) => [...parameters.keys()].filter((name) => name.startsWith("InstanceType.")).length);
      expect(types).toEqual([100, 100, 50]);
      for (const { accessKeyId, region } of standIn.requests) {
        expect([accessKeyId, region]).toEqual([SCOPED_KEY.id, "eu-west-3"]);
      }
    }));

  it("fails with the service's own words when a type is unknown to it", () =>
    inScene(1, async ({ run, standIn }) => {
      standIn.fault = ({ action }) =>
        action === "DescribeInstanceTypes" ? { status: 400, code: "InvalidInstanceType" } : undefined;
      const result = await run();
      expect(result).toMatchObject({ exitCode: 1, manifest: undefined });
      expect(result.stderr).toContain("(InvalidInstanceType)");
      expect(result.stderr).toContain("A machine has a type that the region no longer describes.");
    }));

  it.each([
    ["Machines", "DescribeInstances", true],
    ["Machine types", "DescribeInstanceTypes", false],
  ])("takes no page without its list for an answer: %s (%s, a later page: %s)", (what, hit, isLater) =>
    inScene(12, async ({ run, standIn }) => {
      const page = "<html><head><title>Sign in</title></head><body><p>Please sign in.</p></body></html>";
      standIn.fault = ({ action, parameters }) =>
        action === hit && parameters.has("NextToken") === isLater ? { page } : undefined;
      const result = await run({ PAGE_SIZE: "5" });
      expect(result).toMatchObject({ exitCode: 1, manifest: undefined, leftovers: [] });
      expect(result.stderr).toMatch(
        new RegExp(`^${what} .*: the answer is not one of AWS: jq: error .*: no list of .*\\n {2}To fix: .*\\n$`),
      );
    }),
  );

  it("waits until a new key and a new policy work", () =>
    inScene(10, async ({ run, standIn }) => {
      const refusals = ["AuthFailure", "InvalidClientTokenId", "UnauthorizedOperation"];
      const left = [...refusals];
      standIn.fault = () => {
        const code = left.shift();
        return code === undefined ? undefined : { status: 403, code };
      };
      const result = await run();
      expect(result).toMatchObject({ exitCode: 0, stderr: "", manifest: { instances: 10 } });
      for (const code of refusals) {
        expect(result.stdout).toContain(`Machines of us-east-1: ${code}. A new key or policy takes up to a minute`);
      }
    }));

  it("survives rate limits, faults of the service and broken connections, page by page", () =>
    inScene(12, async ({ run, standIn }) => {
      let count = 0;
      standIn.fault = () => {
        count += 1;
        if (count === 2) return { status: 503, code: "RequestLimitExceeded" };
        if (count === 4) return { status: 500, code: "InternalError" };
        return count === 6 ? "reset" : undefined;
      };
      const result = await run({ PAGE_SIZE: "5" });
      expect(result).toMatchObject({ exitCode: 0, stderr: "", manifest: { instances: 12 } });
      expect(contentsOf(result, "vmInfo")).toHaveLength(12);
    }));
});
