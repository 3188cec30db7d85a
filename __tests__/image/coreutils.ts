import { existsSync } from "node:fs";
import { join } from "node:path";

/** Path of a program that every Debian system has. */
export function coreutilsPath(program: string): string {
  const path = ["/usr/bin", "/bin"].map((folder) => join(folder, program)).find((candidate) => existsSync(candidate));
  if (path === undefined) throw new Error(`${program} is missing; apt-get install coreutils sed util-linux`);
  return path;
}
