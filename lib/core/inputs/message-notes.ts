import { type TerraformStack } from "cdktf";

/** Returns a sentence to append to a message, or undefined. */
type Note = (message: string) => string | undefined;

const NOTES = new WeakMap<TerraformStack, Note>();

/** Adds a sentence to messages of all parts of a stack. */
export function noteInMessages(stack: TerraformStack, note: Note): void {
  NOTES.set(stack, note);
}

/** A configuration of a stack, with the notes added to its messages. */
export function withNotes<Value>(stack: TerraformStack, value: Value): Value {
  const note = NOTES.get(stack);
  return note === undefined ? value : (noted(value, note) as Value);
}

function noted(value: unknown, note: Note): unknown {
  if (Array.isArray(value)) return value.map((each) => noted(each, note));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, each]) => {
    const added = name === "error_message" && typeof each === "string" ? note(each) : undefined;
    return [name, added === undefined ? noted(each, note) : `${String(each)} ${added}`] as const;
  });
  return Object.fromEntries(entries);
}
