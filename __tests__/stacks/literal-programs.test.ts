import { literalKubernetes, literalLabWithEverything, literalServerless } from "./literal-programs";
import { shippedStacks } from "./shipped-stacks";

/** Keys of texts for people: messages, and the first steps of alerts. */
const TEXT_KEYS = ["error_message", "first_steps"];

const textsIn = (value: unknown): string[] =>
  typeof value !== "object" || value === null
    ? []
    : Object.entries(value).flatMap(([key, item]) => (TEXT_KEYS.includes(key) ? [String(item)] : textsIn(item)));

describe("What a construct with literal props says", () => {
  it("names its props, and no input of a stack", () => {
    const texts = [literalServerless(), literalKubernetes(), literalLabWithEverything()].flatMap(textsIn);
    const inputs = Object.values(shippedStacks())
      .flatMap(({ variable = {} }) => Object.keys(variable))
      .filter((input) => input.includes("_"));
    const named = texts.filter((text) => inputs.some((input) => new RegExp(`\\b${input}\\b`).test(text)));
    expect(named).toEqual([]);
    expect(texts.join()).toContain("Raise `containerMemory`");
  });
});
