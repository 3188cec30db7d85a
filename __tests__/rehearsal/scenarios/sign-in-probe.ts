import { type Deployment } from "../deployment/deployment";
import { StepFailure } from "../deployment/steps";
import { type Episode } from "../engine/stack-rehearsal";

/**
 * A sign-in probe, then one with a client, and then none: its image has the blueprint, and nothing is left in the end.
 */
export const WITH_SIGN_IN_PROBE: Episode = {
  name: "the sign-in probe",
  play: async (deployment) => {
    const { cloud } = deployment;
    const begun = { ...deployment.inputs, domain: "login.example.com" };
    await deployment.settle(begun);
    const before = cloud.objects.size;
    const client = { client_id: "probe", redirect_uri: "https://app.example.com/callback" };
    for (const probe of [{}, { schedule: "*/5 * * * *", ...client }]) {
      await deployment.settle({ ...begun, sign_in_probe: probe });
      requireBlueprint(deployment);
      if (!JSON.stringify([...cloud.objects.values()]).includes("/scripts/sign-in-probe.py"))
        throw new StepFailure("apply", "there is no job of the sign-in probe");
    }
    await deployment.settle(begun);
    if (cloud.objects.size !== before) throw new StepFailure("apply", "there are not as many resources as before");
  },
};

/** Fails unless the last build has the blueprint of the probe's user. */
function requireBlueprint({ web }: Deployment): void {
  const [step] = web.builds.accepted.at(-1)?.steps ?? [];
  const files = step?.env.find((entry) => entry.startsWith("FILES=")) ?? "";
  if (!files.includes("shipped/sign-in-probe.yaml")) throw new StepFailure("apply", `the last build carries ${files}`);
}
