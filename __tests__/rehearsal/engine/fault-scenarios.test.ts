import { describeWith } from "../../support/programs";
import { type Deployment } from "../deployment/deployment";
import {
  complete,
  endState,
  type EndState,
  type FaultScenario,
  rehearseFailedCreations,
  rehearseFault,
  rehearseKill,
} from "./fault-scenarios";
import { requireRefusal } from "./refusal-batches";
import { withSmallDeployment } from "./small-deployment";

/** Created after something that may fail once, and refused while the input is true. */
const CHECKED = {
  variable: {
    is_refused: { default: false },
    secret: { type: "string", default: "", sensitive: true },
    kept: { type: "bool", default: false },
    size: {
      type: "number",
      default: 1,
      validation: { condition: "${var.size > 0}", error_message: "size is ${var.size}; it must be more than 0." },
    },
  },
  resource: {
    random_id: { early: { byte_length: 4 } },
    terraform_data: {
      script: {
        provisioner: { "local-exec": { command: 'test -z "$FAILS" || { echo injected failure: $FAILS; exit 1; }' } },
      },
      late: {
        input: "${var.is_refused}",
        depends_on: ["terraform_data.script"],
        lifecycle: {
          postcondition: { condition: "${!self.output}", error_message: "is_refused is true; it cannot be." },
        },
      },
      stored: { input: "${var.kept ? var.secret : null}" },
    },
  },
};

const FAULT: FaultScenario = {
  name: "the script fails",
  prepare: ({ environment }) => {
    environment.FAILS = "1";
  },
  refusals: ["injected failure"],
  repair: ({ environment }) => {
    environment.FAILS = undefined;
  },
};

const SECRET = "geheim <und> lang genug";

const END: EndState = {
  addresses: ["random_id.early", "terraform_data.late", "terraform_data.script", "terraform_data.stored"],
  objects: [],
};

async function failTo(deployment: Deployment, fault: FaultScenario, expected = END): Promise<void> {
  await rehearseFault(deployment, await deployment.plan(), fault, expected);
}

describeWith(["terraform"], "A fault", () => {
  it("passes, and the second apply has the same result", () =>
    withSmallDeployment(CHECKED, async (deployment) => {
      await failTo(deployment, FAULT);

      expect(endState(deployment)).toEqual(END);
    }));

  it.each<[string, FaultScenario, object]>([
    [
      "is named with the second apply when that is refused",
      {
        ...FAULT,
        repair: (deployment) => {
          FAULT.repair?.(deployment);
          deployment.inputs = { is_refused: true };
        },
      },
      {
        step: "the script fails: second apply: apply",
        message: expect.stringContaining("is_refused is true") as string,
      },
    ],
    [
      "must be told of in its own words",
      { ...FAULT, refusals: ["another failure"] },
      {
        step: "the script fails",
        message: expect.stringMatching(/^expected "another failure" in:.*injected failure/s) as string,
      },
    ],
    [
      "must happen",
      { ...FAULT, prepare: () => undefined },
      { step: "the script fails", message: expect.stringMatching(/ succeeds, expected a refusal$/) as string },
    ],
  ])("%s", (_what, fault, failure) =>
    withSmallDeployment(CHECKED, async (deployment) => {
      await expect(failTo(deployment, fault)).rejects.toMatchObject(failure);
    }),
  );

  it("must not lead to another result", () =>
    withSmallDeployment(CHECKED, async (deployment) => {
      const expected = { addresses: [...END.addresses.slice(1), "terraform_data.more"], objects: ["thing a"] };

      await expect(failTo(deployment, FAULT, expected)).rejects.toMatchObject({
        step: "the script fails: second apply",
        message: "another end: missing terraform_data.more; surplus random_id.early",
      });
    }));

  it("may print no secret", () =>
    withSmallDeployment(
      CHECKED,
      async (deployment) => {
        const tells = { ...FAULT, prepare: ({ environment }: Deployment) => (environment.FAILS = SECRET) };

        await expect(failTo(deployment, tells)).rejects.toMatchObject({
          step: "the script fails",
          message: "the input secret is in what was printed",
        });
      },
      { secret: SECRET },
    ));
});

const BUCKET = "google_storage_bucket files";
const FILE = "google_storage_bucket_object files-note";

/** A file in a bucket, which refers to it or only happens to name it. */
const filed = (bucket: string) => ({
  terraform: { required_providers: { google: { source: "hashicorp/google", version: ">= 7.42.0" } } },
  provider: { google: { project: "my-project" } },
  resource: {
    google_storage_bucket: { files: { name: "files", location: "us-central1" } },
    google_storage_bucket_object: { note: { bucket, name: "note", content: "text" } },
  },
});

describeWith(["terraform"], "Creations that fail", () => {
  const failing = (
    bucket: string,
    keys: readonly string[],
    work: (outcome: Promise<void>, log: () => string) => unknown,
  ) =>
    withSmallDeployment(filed(bucket), async (deployment) => {
      deployment.cloud.externalResourcesExist = true;
      await work(rehearseFailedCreations(deployment, keys), () => deployment.log);
    });

  it("fail once each, one after the other where they wait, and then everything is there", () =>
    failing("${google_storage_bucket.files.name}", [BUCKET, FILE], async (outcome, log) => {
      await outcome;
      expect(log().match(/injected failure/g)).toHaveLength(2);
      expect(log()).toContain("Resources: 1 added");
    }));

  it("show what does not wait for what it needs, although it would fail too", () =>
    failing("files", [BUCKET, FILE], async (outcome) => {
      await expect(outcome).rejects.toThrow(/^tried without waiting for what it needs: .*google_storage_bucket files/);
    }));

  it("must all be tried", () =>
    failing("${google_storage_bucket.files.name}", ["google_storage_bucket other"], async (outcome) => {
      await expect(outcome).rejects.toThrow("succeeds, expected a refusal");
    }));
});

describeWith(["terraform"], "A kill", () => {
  const { resource, ...settings } = filed("${google_storage_bucket.files.name}");
  const run = (command: string) => ({ provisioner: { "local-exec": { command } } });
  const terraform_data = {
    script: run('test -z "$WAITS" || { echo waiting; sleep 60; }'),
    pause: run("sleep 0.2"),
  };
  const google_storage_bucket_object = {
    note: { ...resource.google_storage_bucket_object.note, depends_on: ["terraform_data.pause"] },
  };
  const configuration = { ...settings, resource: { ...resource, google_storage_bucket_object, terraform_data } };

  it("comes when Terraform has saved what it has made, however slow that is", () =>
    withSmallDeployment(configuration, async (deployment) => {
      const { cloud, environment } = deployment;
      cloud.externalResourcesExist = true;
      const create = cloud.create.bind(cloud);
      const slowly = jest.spyOn(cloud, "create").mockImplementation((object) => {
        create(object);
        // Holds up the answer, and with it everything else in this process.
        if (object.type === "google_storage_bucket_object")
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);
      });
      const scenario = {
        prepare: () => (environment.WAITS = "1"),
        waiting: "waiting",
        meanwhile: () => (environment.WAITS = undefined),
      };
      const end = {
        addresses: [
          "google_storage_bucket.files",
          "google_storage_bucket_object.note",
          "terraform_data.pause",
          "terraform_data.script",
        ],
        objects: [BUCKET, FILE],
      };

      await rehearseKill(deployment, scenario, end);

      expect(slowly).toHaveBeenCalledTimes(2);
    }));
});

describeWith(["terraform"], "A combination of inputs", () => {
  it("is named when it is refused", () =>
    withSmallDeployment(
      CHECKED,
      async (deployment) => {
        await expect(complete(deployment, 'matrix {"is_refused":true}')).rejects.toMatchObject({
          step: 'matrix {"is_refused":true}: apply',
          message: expect.stringMatching(/^Error: .*is_refused is true/s) as string,
        });
      },
      { is_refused: true },
    ));

  it("may store no secret in the state", () =>
    withSmallDeployment(
      CHECKED,
      async (deployment) => {
        await expect(complete(deployment, "matrix")).rejects.toMatchObject({
          step: "matrix",
          message: "the input secret is in terraform.tfstate",
        });
      },
      { secret: SECRET, kept: true },
    ));
});

describeWith(["terraform"], "A refused input", () => {
  const rule = "size is 0; it must be more than 0.";

  it("is refused with its whole text, and nothing of the others", () =>
    withSmallDeployment(CHECKED, (deployment) => requireRefusal(deployment, "no size", [rule]), {
      size: 0,
      secret: SECRET,
    }));

  it("fails with another text, and tells both", () =>
    withSmallDeployment(
      CHECKED,
      async (deployment) => {
        const failure = {
          step: "no size",
          message: expect.stringMatching(/^expected "less" in:.*size is 0/s) as string,
        };

        await expect(requireRefusal(deployment, "no size", [rule, "less"])).rejects.toMatchObject(failure);
      },
      { size: 0 },
    ));

  it("fails when it is accepted", () =>
    withSmallDeployment(CHECKED, async (deployment) => {
      await expect(requireRefusal(deployment, "no size", [rule])).rejects.toThrow("succeeds, expected a refusal");
    }));

  it("may not be told with a secret", () =>
    withSmallDeployment(
      {
        ...CHECKED,
        variable: { ...CHECKED.variable, secret: { type: "string", ephemeral: true } },
        output: {
          shown: { value: "${var.size}", precondition: { condition: "${var.size > 1}", error_message: SECRET } },
        },
      },
      async (deployment) => {
        await expect(requireRefusal(deployment, "a secret", [SECRET])).rejects.toMatchObject({
          step: "a secret",
          message: "the input secret is in what was printed",
        });
      },
      { secret: SECRET },
    ));
});
