import { warningsOf } from "../../../lib/core/inputs/warnings";
import {
  ServerlessIdentityProvider,
  type ServerlessIdentityProviderProps,
} from "../../../lib/serverless-identity-provider";
import { bareStack } from "../../support/synthesis";

const madeOf = (props: Partial<ServerlessIdentityProviderProps>) => {
  const stack = bareStack();
  new ServerlessIdentityProvider(stack, "Idp", { projectId: "sign-in-project", ...props });
  return stack;
};

const SAFE = { applicationVersion: "2026.5.9", databaseVersion: 17 } as const;

describe("A program", () => {
  it("can print its warnings, each with the path of what it is about", () => {
    const warnings = warningsOf(madeOf({ ...SAFE, minInstanceCount: 0 }).node.root);
    expect(warnings).toEqual([
      expect.stringMatching(/^test\/Idp.*: minInstanceCount is 0; mail, tasks and clean-ups wait/),
    ]);
    expect(warningsOf(madeOf(SAFE).node.root)).toEqual([]);
  });

  it.each([
    [{ workerMode: "seperate" }, /workerMode is "seperate"; .*; did you mean separate\?/],
    [{ workerMode: "elsewhere" }, /workerMode is "elsewhere"; .*; use in-container/],
    [
      { network: "default" },
      /network is "default"; it must be an object with network and subnetwork; write [{] network: …, subnetwork: … [}]/,
    ],
    [
      { smtp: { host: "smtp.example.com", from: "a@example.com", username: "idp", passwordSecret: "smtp" } },
      /smtp[.]passwordSecret is a string; it must be an object with secretId and version; .* write [{] secretId: …, version: … [}]/,
    ],
  ])("is told what was probably meant, or what an object has: %j", (props, said) => {
    const wrong = props as unknown as Partial<ServerlessIdentityProviderProps>;
    expect(() => madeOf({ ...SAFE, ...wrong })).toThrow(said);
  });
});
