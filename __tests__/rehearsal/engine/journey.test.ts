import { describeWith } from "../../support/programs";
import { Cloud } from "../project/cloud";
import { requireSoundness } from "./journey";
import { requireRewrites, versionsOf } from "./secret-versions";
import { smallRehearsal, withAppliedDeployment } from "./small-deployment";

const data = (name: string, block: object = {}) => ({ resource: { terraform_data: { [name]: block } } });

/** Cannot be created or changed while the input is true. */
const CHECKED = {
  variable: { is_refused: { default: false } },
  ...data("checked", {
    input: "${var.is_refused}",
    lifecycle: {
      postcondition: { condition: "${!self.output}", error_message: "is_refused is true; nothing can be like that." },
    },
  }),
};

/** Cannot be destroyed. */
const GUARDED = data("guard", {
  provisioner: { "local-exec": { when: "destroy", command: "echo it is guarded; exit 1" } },
});

const EMPTY_PLAN_STEP = "plan again: second plan";

describeWith(["terraform"], "The life of a deployment", () => {
  it("fails when a second plan changes nothing but an output", async () => {
    const { failure } = await smallRehearsal(
      { output: { chance: { value: "${uuid()}" }, fixed: { value: "a" } } },
      { inputs: {} },
      { parts: ["life"] },
    );

    expect(failure).toMatchObject({ step: EMPTY_PLAN_STEP, message: "the plan changes outputs: chance" });
  });

  it("names the change whose apply is refused", () =>
    withAppliedDeployment(CHECKED, async (deployment, journey) => {
      const change = journey.change({
        name: "something else",
        change: () => {
          deployment.inputs = { is_refused: true };
        },
        expected: { "terraform_data.checked": "update" },
      });

      await expect(change).rejects.toMatchObject({
        step: "something else: apply",
        message: expect.stringMatching(/^Error: .*is_refused is true/s) as string,
      });
    }));

  it("names the destroy that is refused", () =>
    withAppliedDeployment(GUARDED, async (_deployment, journey) => {
      await expect(journey.tearDown()).rejects.toMatchObject({
        step: "destroy: apply",
        message: expect.stringContaining("it is guarded") as string,
      });
    }));

  it("fails when an output is missing, empty, or there although it should be null", async () => {
    const { failure } = await smallRehearsal(
      { output: { gone: { value: null }, blank: { value: "" }, there: { value: "a" }, right: { value: ["a"] } } },
      { inputs: {}, nullOutputs: ["there"] },
      { parts: ["life"] },
    );

    expect(failure).toMatchObject({ step: "output", message: "blank is empty; gone is missing; there has a value" });
  });

  it("lets any output be null if nothing is specified", async () => {
    const { failure } = await smallRehearsal(
      { output: { gone: { value: null } } },
      { inputs: {} },
      { parts: ["life"] },
    );

    expect(failure).toBeUndefined();
  });

  it("fails when a refused destroy has destroyed something", () =>
    withAppliedDeployment(
      { resource: { ...GUARDED.resource, random_id: { lost: { byte_length: 4 } } } },
      async (_deployment, journey) => {
        const protection = { off: {}, expected: {}, refusal: "it is guarded" };

        await expect(journey.tearDown(protection)).rejects.toMatchObject({
          step: "destroy refused",
          message: expect.stringMatching(/^refused, but these are gone:\n {2}random_id /) as string,
        });
      },
    ));
});

describe("The secrets of a project", () => {
  const cloud = new Cloud({ enabledApis: new Set(), hasImage: () => false, hasAnswered: () => false });
  const object = { type: "thing", id: "a", values: {}, writeOnly: { password: "geheim und lang" }, needs: [] };

  it("are stored as payloads, wherever else they are written", () => {
    cloud.create(object);
    expect(() => requireSoundness({ cloud }, "apply")).toThrow(
      "password of thing a is the payload of no stored secret",
    );

    const name = "projects/1/secrets/s/versions/1";
    cloud.create({ ...object, type: "google_secret_manager_secret_version", id: name, writeOnly: {} });
    cloud.payloads.push({ name, payload: "geheim und lang" });
    expect(() => requireSoundness({ cloud }, "apply")).not.toThrow();
  });
});

describe("Versions of secrets", () => {
  const VERSIONS = ["a", "b"].map((name): [string, string] => [
    `google_secret_manager_secret_version.${name}`,
    `google_secret_manager_secret_version projects/1/secrets/${name}/versions/1`,
  ]);
  const payloads = (...names: string[]) =>
    new Map(names.map((name): [string, string] => [`projects/1/secrets/${name}/versions/1`, "geheim"]));
  const meant = versionsOf(new Map([...VERSIONS, ["thing.c", "thing c"]]), {
    "google_secret_manager_secret_version.b": "replace",
    "google_secret_manager_secret_version.a": "update",
    "thing.c": "replace",
  });

  it.each([
    ["may go where they are replaced", payloads("a"), undefined],
    [
      "may not go in the place of others",
      payloads("b"),
      "these versions of secrets are gone: projects/1/secrets/a/versions/1",
    ],
    [
      "may not stay where they are replaced",
      payloads("a", "b"),
      "these versions of secrets are still there: projects/1/secrets/b/versions/1",
    ],
  ])("%s", (_what, after, message) => {
    let said: string | undefined;
    try {
      requireRewrites("change", payloads("a", "b"), after, meant);
    } catch (error) {
      said = (error as Error).message;
    }
    expect(said).toBe(message);
  });
});
