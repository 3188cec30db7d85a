import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { trimmedSchema } from "../../stacks/provider-schema/provider-schema";
import { brokenCloudBSetUp } from "../../support/broken-cloudb-files";
import { Cloud } from "../project/cloud";
import { PROVIDERS } from "../project/provider-types";
import { type PluginServer } from "../providers/plugin-server";
import { ResourceProvider } from "../providers/resource-provider";

/** Nothing is applied, so the project is never used. */
const NO_SURROUNDINGS = { enabledApis: new Set<string>(), hasImage: () => false, hasAnswered: () => false };

interface RealProviderPlace {
  /** Folder to plan in. */
  readonly folder: string;
  readonly mirror: string;
  /** Serves what the mirror lacks. */
  readonly plugins: PluginServer;
  readonly onProgress?: (line: string) => void;
}

/** Environment for the real providers of a mirror, without an account; stand-ins replace what the mirror lacks. */
export async function realProviderEnvironment(place: RealProviderPlace): Promise<Record<string, string>> {
  const { folder, mirror, plugins, onProgress } = place;
  const settings = join(folder, "settings.tfrc");
  writeFileSync(settings, `provider_installation {\n  filesystem_mirror { path = ${JSON.stringify(mirror)} }\n}\n`);
  for (const [name, kinds] of Object.entries(PROVIDERS)) {
    const schema = existsSync(join(mirror, "registry.terraform.io/hashicorp", name)) ? undefined : trimmedSchema(name);
    if (schema === undefined) continue;
    await plugins.add(name, new ResourceProvider(schema, kinds, new Cloud(NO_SURROUNDINGS)));
    onProgress?.(`${mirror} has no provider ${name}: a stand-in takes its place`);
  }
  return {
    ...plugins.environment,
    TF_CLI_CONFIG_FILE: settings,
    GOOGLE_OAUTH_ACCESS_TOKEN: "fake",
    ...brokenCloudBSetUp(folder),
    PATH: process.env.PATH ?? "",
  };
}
