import { claimName } from "../../lib/core/claimed-names";
import { expression } from "../../lib/core/expression";
import { GeneratedSecret } from "../../lib/core/generated-secret";
import { PLACE } from "../support/stand-in-parts";
import { bareStack, BareStack, testApp } from "../support/synthesis";

const ONE_KEY = { secretId: "one-key", length: 32 };

describe("A name that is taken", () => {
  it("is refused at synth, with the paths of both", () => {
    const stack = bareStack();
    const props = { ...ONE_KEY, projectId: PLACE.projectId };
    new GeneratedSecret(stack, "First", props);
    expect(() => new GeneratedSecret(stack, "Second", props)).toThrow(
      "test/Second: 1 problem\n  - secret in demo-project one-key is also created by test/First; a name can exist only once; rename one of them, for example by its tenant id, application name, deployment id or client name",
    );
  });
});

describe("A name", () => {
  const claimIn = (stacks: readonly BareStack[], kind: string, name: string) => () => {
    for (const stack of stacks) claimName(stack, kind, name);
  };
  const twoStacks = () => {
    const app = testApp();
    return ["one", "two"].map((id) => new BareStack(app, id, { providers: [] }));
  };

  it("is unique in the whole app when it is a literal", () => {
    expect(claimIn(twoStacks(), "bucket", "files")).toThrow("two: 1 problem\n  - bucket files is also created by one;");
  });

  it.each([
    ["the name", "bucket", `files-${expression("var.tenant_id")}`],
    ["what it must be unique in", `network in ${expression("var.project_id")}`, "main"],
  ])("is unique in its stack when only Terraform knows %s, because other stacks have other inputs", (_, kind, name) => {
    expect(claimIn(twoStacks(), kind, name)).not.toThrow();
    const stack = bareStack();
    expect(claimIn([stack, stack], kind, name)).toThrow("is also created by test;");
  });

  it("of a secret may be taken again in another project, also in the same stack", () => {
    const stack = bareStack();
    const make = (projectId: string) => new GeneratedSecret(stack, projectId, { ...ONE_KEY, projectId });
    make("one-project");
    expect(() => make("other-project")).not.toThrow();
  });
});
