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
