import { type Inputs } from "../deployment/deployment";
import { type Episode } from "../engine/stack-rehearsal";

/**
 * A deployment moves to another region, which replaces its buckets under their names: one apply makes all of it.
 *
 * @param unprotected inputs that first switch off the protection of the data
 */
export function anotherRegion(unprotected?: Inputs): Episode {
  return {
    name: "another region",
    play: async (deployment) => {
      const { cloud } = deployment;
      const before = [...cloud.objects.keys()].length;
      if (unprotected !== undefined) {
        deployment.inputs = { ...deployment.inputs, ...unprotected };
        await deployment.applyAtOnce();
      }
      deployment.inputs = { ...deployment.inputs, region: "europe-west1" };
      await deployment.applyAtOnce();
      const after = [...cloud.objects.keys()].length;
      if (after !== before) throw new Error(`there were ${before} resources, and ${after} are left`);
    },
  };
}
