import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** Names the folder of a mirror, as `npm run rehearse -- --providers` does. */
export const MIRROR_VARIABLE = "TERRAFORM_PROVIDER_MIRROR";

/**
 * A filesystem mirror on this machine that has a provider of HashiCorp's, or undefined.
 *
 * It is looked for where Terraform itself would, without asking a registry: what is named outright, what Terraform's
 * settings name, and the folders that are mirrors without being named.
 */
export function findMirrorWith(provider: string): string | undefined {
  return [...namedMirrors(), ...implied()].find((folder) =>
    existsSync(join(folder, "registry.terraform.io/hashicorp", provider)),
  );
}

function namedMirrors(): string[] {
  const named = process.env[MIRROR_VARIABLE];
  const settings = process.env.TF_CLI_CONFIG_FILE ?? join(homedir(), ".terraformrc");
  const text = existsSync(settings) ? readFileSync(settings, "utf8") : "";
  const paths = [...text.matchAll(/^[^#\n]*filesystem_mirror\s*\{[^}]*?\bpath\s*=\s*"([^"]+)"/gm)];
  return [...(named === undefined ? [] : [named]), ...paths.map(([, path = ""]) => path)];
}

function implied(): string[] {
  const home = homedir();
  const { XDG_DATA_HOME: own = join(home, ".local/share"), XDG_DATA_DIRS: shared = "/usr/local/share:/usr/share" } =
    process.env;
  const folders = [own, ...shared.split(":")].map((folder) => join(folder, "terraform/plugins"));
  return [join(home, ".terraform.d/plugins"), ...folders];
}
