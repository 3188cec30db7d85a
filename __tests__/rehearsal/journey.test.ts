import { describeWith } from "../support/programs";
import { smallRehearsal, withAppliedDeployment } from "./small-deployment";

const data = (name: string, block: object = {}) => ({ resource: { terraform_data: { [name]: block } } });

/** Refuses whatever makes or changes it while the input is true. */
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

jest.setTimeout(60_000);

describeWith(["terraform"], "The life of a deployment", () => {
  it("fails when a second plan changes nothing but an output", async () => {
    const { failure } = await smallRehearsal(
      { output: { chance: { value: "${uuid()}" }, fixed: { value: "a" } } },
      { inputs: {} },
      { lifecycleOnly: true },
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
});
