import { RulesBrokenError, ServerlessIdentityProvider } from "../../lib";
import { KubernetesIdentityProvider } from "../../lib/kubernetes";
import { bareStack } from "../support/synthesis";

/** Literals of a program of which each is valid, and all together are not, with the beginning of what is said. */
const BROKEN: readonly (readonly [props: object, message: string])[] = [
  [
    { minInstanceCount: 5 },
    "minInstanceCount is 5 and maxInstanceCount is 3; the minimum must not exceed the maximum; lower it to 3, or raise the other to 5",
  ],
  [{ containerCpu: 3 }, "containerCpu is 3; it must be one of 1, 2, 4, 8; use 2 or 4"],
  [{ containerCpu: 16 }, "containerCpu is 16; it must be one of 1, 2, 4, 8; use 8"],
  [
    { projectId: "Demo Project" },
    "start with a letter; use the id, not the name or the number, and look it up with gcloud projects list",
  ],
  [{ minInstanceCount: 0.5 }, "minInstanceCount is 0.5; it must be a whole number from 0; set it to 1"],
  [{ maxInstanceCount: 0 }, "maxInstanceCount is 0; it must be a whole number from 1; set it to 3"],
  [
    {
      existingContainerImage: "europe-docker.pkg.dev/p/r/idp:1",
      existingRepository: { imagePrefix: "europe-docker.pkg.dev/p/r", location: "europe" },
    },
    "existingRepository is given; it needs no existingContainerImage, because nothing is pushed where nothing is built; remove existingContainerImage, or remove existingRepository",
  ],
  [{ containerMemory: "4GB" }, 'containerMemory is "4GB" with containerCpu 2; it must be a whole number with Mi or Gi'],
  [{ containerMemory: "4GB" }, "write it as 4Gi, for example"],
  [{ containerMemory: "64Gi" }, "change one of the two"],
  [
    { databaseAvailability: "HA" },
    'databaseAvailability is "HA"; it must be ZONAL or REGIONAL, because Cloud SQL offers no other availability; use REGIONAL',
  ],
  [
    { closeDefaultAddress: true },
    "closeDefaultAddress is true; it needs domain, because the default address is the only one without it; set domain, or set closeDefaultAddress to false",
  ],
  [
    { dumps: { schedule: null, atApply: true } },
    "dumps.atApply is true; it needs dumps.schedule, because nothing is dumped without a schedule",
  ],
  [
    {
      environmentVariables: { IDP_X: "x" },
      secretEnvironmentVariables: { IDP_X: { secretId: "x", version: "latest" } },
    },
    'secretEnvironmentVariables has IDP_X = {"secretId":"x","version":"latest"}; each must name a secret',
  ],
];

const problemsOf = (make: () => unknown): readonly string[] => {
  try {
    make();
  } catch (error) {
    if (error instanceof RulesBrokenError) return error.failures;
    throw error;
  }
  return [];
};

describe("Literals of a program that do not go together", () => {
  it.each(BROKEN)("are refused at synth: %j", (props, message) => {
    const made = { projectId: "demo-project", ...props };
    const problems = problemsOf(() => new ServerlessIdentityProvider(bareStack(), "Made", made));
    expect(problems).toEqual([expect.stringContaining(message)]);
    expect(problems.join()).not.toContain("${");
  });

  it("are refused all at once", () => {
    const props = {
      projectId: "demo-project",
      minInstanceCount: 5,
      outposts: { ranges: ["8.8.8.0/24"] },
      dumps: { schedule: null, atApply: true },
    };
    const problems = problemsOf(() => new KubernetesIdentityProvider(bareStack(), "Made", props));
    expect(problems).toEqual([
      expect.stringContaining('outposts.ranges has "8.8.8.0/24"; each must be a private IPv4 range'),
      expect.stringContaining("dumps.atApply is true"),
      expect.stringContaining("minInstanceCount is 5"),
    ]);
  });
});
