import { literalKubernetes, literalLabWithEverything, literalServerless } from "./literal-programs";
import { shippedStacks } from "./shipped-stacks";

/** Texts under these keys with where each stands. */
const textsIn = (keys: readonly string[], value: unknown, path = ""): [path: string, text: string][] =>
  typeof value !== "object" || value === null
    ? []
    : Object.entries(value).flatMap(([key, item]): [string, string][] =>
        keys.includes(key) ? [[path, String(item)]] : textsIn(keys, item, `${path}.${key}`),
      );

/** What is wrong; the rule, with a reason where it is not obvious; the way out. */
const COMPLETE = /^[^;]+; .+; [^;]+\.$/s;

it.each(Object.entries(shippedStacks()))(
  "Whatever %s refuses or warns of says what is wrong, the rule, and the remedy",
  (name, terraform) => {
    const messages = textsIn(["error_message"], terraform, name);
    expect(messages.length).toBeGreaterThan(5);
    expect(messages.filter(([, message]) => !COMPLETE.test(message))).toEqual([]);
  },
);

/** Keys of texts for people: messages, and the first steps of alerts. */
const TEXT_KEYS = ["error_message", "first_steps"];

it("What a construct with literal props says names its props, and no input of a stack", () => {
  const programs = [literalServerless(), literalKubernetes(), literalLabWithEverything()];
  const texts = textsIn(TEXT_KEYS, programs).map(([, text]) => text);
  const inputs = Object.values(shippedStacks())
    .flatMap(({ variable = {} }) => Object.keys(variable))
    .filter((input) => input.includes("_"));
  const named = texts.filter((text) => inputs.some((input) => new RegExp(`\\b${input}\\b`).test(text)));
  expect(named).toEqual([]);
  expect(texts.join()).toContain("Raise `containerMemory`");
});
