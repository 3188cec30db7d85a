import { GoogleStandIn } from "../../support/google-stand-in";
import { describeWith } from "../../support/programs";
import { machines, withAws } from "../inventory/inventory-run";
import { jobsOf, namesIn, sceneWith, SOURCE, withoutHash } from "./assessment-scene";

describeWith(["curl", "dash", "jq"], "The scripts of a lab, one after the other,", () => {
  const { run, standIn } = sceneWith(new GoogleStandIn());

  beforeAll(() => standIn.start());
  afterAll(() => standIn.stop());
  afterEach(() => {
    expect(standIn.mistakes).toEqual([]);
  });

  it("register the source", async () => {
    const { exitCode, stdout } = await run("register-source");

    expect(exitCode).toBe(0);
    expect(stdout.replace(/\(\d+ s\)/g, "(0 s)").split("\n")).toEqual([
      "Registering source assess-discovery-client with the assessment service in us-central1.",
      'Source assess-discovery-client is registered as "assess-discovery-client" (0 s).',
      "",
    ]);
    expect([...standIn.migration.sources.values()]).toEqual([
      expect.objectContaining({
        name: SOURCE,
        displayName: "assess-discovery-client",
        description: "Made by assessment lab a1b2c3.",
        type: "SOURCE_TYPE_DISCOVERY_CLIENT",
      }),
    ]);
  });

  it("import the inventory: list, create, upload, validate, run and report", async () => {
    const { exitCode, output } = await run("import-inventory", withAws({}, { machines: machines(2) }));

    expect(exitCode).toBe(0);
    expect(withoutHash(output).split("\n")).toEqual([
      "Listing the instances of us-east-1.",
      "Instances of us-east-1: 2 found; 0 more are terminated and left out (0 s)",
      "2 of the instances have no volume; each gets one disk /dev/xvda of 52.5 GiB, as the import asks for one.",
      "Creating import job JOB for 2 instances.",
      "Uploading vmInfo.csv: 541 bytes.",
      "Uploading diskInfo.csv: 114 bytes.",
      "Uploading tagInfo.csv: 83 bytes.",
      "Uploading perfInfo.csv: 196 bytes.",
      "Import job JOB is completed: 2 instances, 2 frames reported (0 s).",
      "",
    ]);
    expect(jobsOf(standIn)).toEqual([
      [expect.stringMatching(/^cloudb-[0-9a-f]{16}-[0-9a-f]{24}$/), "COMPLETED", "assess-discovery-client"],
    ]);
    expect(standIn.migration.allAssets.map(({ machineDetails }) => machineDetails)).toEqual([
      { machineName: 'web, "i-0000"', guestOs: { osName: "Linux/UNIX" } },
      { machineName: 'web, "i-0001"', guestOs: { osName: "Linux/UNIX" } },
    ]);
    const [upload] = standIn.requestsTo("storage.upload");
    expect(upload?.httpMethod).toBe("PUT");
    expect(upload?.headers).toMatchObject({ "content-type": "application/octet-stream" });
    expect(upload?.headers).not.toHaveProperty("authorization");
  });

  it("show what there is", async () => {
    const { exitCode, stdout } = await run("assessment-status");

    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^Sources: 1\n(.*\n)+Assets: 2\n(.*\n)+Import jobs: 1\n(.*\n)+$/);
  });

  it("delete what stays after a yes", async () => {
    const left = namesIn(standIn).length;
    const { exitCode, stdout } = await run("assessment-cleanup", { input: "yes\n" });

    expect(left).toBe(4);
    expect(exitCode).toBe(0);
    expect(stdout).toContain("\nDelete all of this?");
    expect(namesIn(standIn)).toEqual([]);
  });
});
