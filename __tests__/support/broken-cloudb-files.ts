import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Creates invalid AWS configuration files in a home folder, so that reading them fails.
 *
 * @returns environment with this home and a profile that no file has
 */
export function brokenCloudBSetUp(home: string): Readonly<Record<string, string>> {
  mkdirSync(join(home, ".aws"), { recursive: true });
  for (const file of ["config", "credentials"]) writeFileSync(join(home, ".aws", file), "[default\nbroken = = =\n");
  return { AWS_PROFILE: "missing", HOME: home };
}
