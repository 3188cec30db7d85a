import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Puts AWS files into a home folder that fail whoever reads them.
 *
 * @returns environment of somebody whose home this is and whose profile is in none of them
 */
export function brokenCloudBSetUp(home: string): Readonly<Record<string, string>> {
  mkdirSync(join(home, ".aws"), { recursive: true });
  for (const file of ["config", "credentials"]) writeFileSync(join(home, ".aws", file), "[default\nbroken = = =\n");
  return { AWS_PROFILE: "missing", HOME: home };
}
