import { StepFailure } from "../deployment/steps";
import { type Episode } from "../engine/stack-rehearsal";

/** A way back in is made, changed and taken away again: nothing is left in the end. */
export const WITH_RECOVERY_ACCESS: Episode = {
  name: "a way back in",
  play: async (deployment) => {
    const { cloud, inputs } = deployment;
    await deployment.settle(inputs);
    const before = cloud.objects.size;
    for (const access of [{ reader: "user:a@example.com" }, { reader: "user:b@example.com", minutes: 30 }]) {
      await deployment.settle({ ...inputs, recovery_access: access });
      const all = JSON.stringify([...cloud.objects.values()]);
      for (const part of ["/scripts/recovery-link.py", access.reader])
        if (!all.includes(part)) throw new StepFailure("apply", `nothing has ${part}`);
    }
    await deployment.settle(inputs);
    if (cloud.objects.size !== before) throw new StepFailure("apply", "there are not as many resources as before");
  },
};
