import { readFileSync } from "node:fs";

import { packageFile } from "../../lib/core/package-file";

interface Package {
  readonly name: string;
  readonly version: string;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>;
}

const LIBRARY = JSON.parse(readFileSync(packageFile("package.json"), "utf8")) as Package;

/** What needs the peers that not everybody needs. */
const OPTIONAL: Readonly<Record<string, readonly string[]>> = {
  "`cdktf-idp-stacks/kubernetes`": ["@cdktf/provider-kubernetes"],
  "`cdktf-idp-stacks/lab`": ["@cdktf/provider-random", "@cdktf/provider-tls"],
  "`cdktf-idp-stacks/lab`, with an AWS inventory": ["@cdktf/provider-aws"],
  "`blueprintFiles`": ["yaml"],
};

/** What `npm install` is given for the library and its peers, each in the releases that it accepts. */
export function installedPackages(): string[] {
  return [packedFile(), ...Object.keys(LIBRARY.peerDependencies).map(accepted)];
}

/** The command that everybody needs, and a table of further ones. */
export function installCommands(): string {
  const { peerDependencies, peerDependenciesMeta } = LIBRARY;
  const optional = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional === true);
  const needed = Object.keys(peerDependencies).filter((name) => !optional.includes(name));
  const explained = Object.values(OPTIONAL).flat();
  const differing = [...optional, ...explained].filter((name) => optional.includes(name) !== explained.includes(name));
  if (differing.length > 0)
    throw new Error(`${differing.join(", ")}: the optional peers of package.json are not those of install-commands.ts`);
  const rows = Object.entries(OPTIONAL).map(([need, names]) => `| ${need} | \`${install(names.map(accepted))}\` |`);
  return [
    `\`\`\`sh\n${install([packedFile(), ...needed.map(accepted)])}\n\`\`\``,
    ["| For | Also |", "| --- | --- |", ...rows].join("\n"),
  ].join("\n\n");
}

function install(packages: readonly string[]): string {
  return ["npm install", ...packages].join(" ");
}

function packedFile(): string {
  return `./${LIBRARY.name}-${LIBRARY.version}.tgz`;
}

/** The quotes keep shells from reading the range. */
function accepted(name: string): string {
  return `"${name}@${String(LIBRARY.peerDependencies[name])}"`;
}
