import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * Text of a script that must arrive as one file, for example in a secret or in the metadata of a VM.
 *
 * Its parts are files in a folder beside it, and it reads them as it would read libraries: `.
 * "${0%/*}/db-init/role.sh"`, or with `$PSScriptRoot` in PowerShell. So it also runs from the package. In the joined
 * text, each such line is replaced by the part without its head comment; consecutive parts are separated by an empty
 * line.
 */
export function joinedScript(script: string): string {
  return readFileSync(script, "utf8").replaceAll(SUCCESSIVE_PARTS, (lines) =>
    [...lines.matchAll(PART)].map(([, part = ""]) => withoutHead(join(dirname(script), part))).join("\n"),
  );
}

const PART_LINE = String.raw`^\. "(?:\$\{0%/\*\}|\$PSScriptRoot)/([a-z-]+/[a-z-]+\.(?:sh|ps1))"\n`;
const PART = new RegExp(PART_LINE, "gm");
const SUCCESSIVE_PARTS = new RegExp(`(?:${PART_LINE})+`, "gm");

/** What follows the first empty line of a file. */
function withoutHead(file: string): string {
  const text = readFileSync(file, "utf8");
  return text.slice(text.indexOf("\n\n") + 2);
}
