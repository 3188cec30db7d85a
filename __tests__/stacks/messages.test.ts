import { literalKubernetes, literalLabWithEverything, literalServerless } from "./literal-programs";
import { shippedStacks } from "./shipped-stacks";

/** Messages of one kind of element with where each stands. */
const messagesIn = (value: unknown, path: string): [path: string, message: string][] =>
  typeof value !== "object" || value === null
    ? []
    : Object.entries(value).flatMap(([key, item]): [string, string][] =>
        key === "error_message" ? [[path, String(item)]] : messagesIn(item, `${path}.${key}`),
      );

/** What is wrong; the rule, with a reason where it is not obvious; the way out. */
const COMPLETE = /^[^;]+; .+; [^;]+\.$/s;

describe.each(Object.entries(shippedStacks()))("Whatever %s refuses or warns of", (name, terraform) => {
  it("says what is wrong, the rule, and the remedy", () => {
    const messages = messagesIn(terraform, name);
    expect(messages.length).toBeGreaterThan(5);
    expect(messages.filter(([, message]) => !COMPLETE.test(message))).toEqual([]);
  });
});

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
