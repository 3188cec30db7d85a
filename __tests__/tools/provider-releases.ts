import { PROVIDER_REQUIREMENTS, type ProviderName } from "../../lib/core/provider-requirements";
import { trimmedSchema } from "../stacks/provider-schema/provider-schema";

/** Releases whose program, made from its source, has planned the folders; of all others, only the schema was read. */
const PLANNED: Readonly<Record<ProviderName, readonly string[]>> = {
  aws: [],
  google: ["7.42.0", "7.45.0", "8.0.0"],
  kubernetes: ["3.2.1"],
  random: ["3.7.2", "3.9.0"],
  tls: ["4.1.0"],
};

for (const [name, { version }] of Object.entries(PROVIDER_REQUIREMENTS)) {
  const newest = (trimmedSchema(`${name}.newest`) ?? trimmedSchema(name))?.release ?? "";
  const how = PLANNED[name as ProviderName].includes(newest) ? "planned with it" : "its schema alone";
  process.stdout.write(`${name.padEnd(11)} ${version.padEnd(20)} newest tried ${newest.padEnd(9)} ${how}\n`);
}
