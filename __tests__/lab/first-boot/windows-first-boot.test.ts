import { readFileSync } from "node:fs";

import { parse } from "csv-parse/sync";

import { packageFile } from "../../../lib/core/package-file";
import { LAB_PASSWORD, LAB_USER } from "../../../lib/lab/contract";
import { COLUMNS } from "../../support/google-stand-in-tables";
import { parsedPowerShell, type PowerShellScript } from "./powershell";
import { AUTOMATIC_VARIABLES, COMMON_PARAMETERS, WINDOWS_COMMANDS } from "./windows-commands";

const TEXT = readFileSync(packageFile("lib/lab/scripts/windows-first-boot.ps1"), "utf8");

/** What is wrong with a script, by the rules that the tests below hold the real one to. */
const FAULTS = {
  syntaxErrors: (script: PowerShellScript) => script.syntaxErrors(),
  unknownCommands: (script: PowerShellScript) => {
    const own = new Set(script.functions());
    const blocks = ["$Action", "$step.Action"];
    return script
      .commands()
      .map(({ name }) => name)
      .filter((name) => !own.has(name) && !(name in WINDOWS_COMMANDS) && !blocks.includes(name));
  },
  unknownParameters: (script: PowerShellScript) =>
    script.commands().flatMap(({ name, parameters }) => {
      const known = WINDOWS_COMMANDS[name];
      if (known === undefined) return [];
      return parameters
        .filter((parameter) => !known.includes(parameter) && !COMMON_PARAMETERS.includes(parameter))
        .map((parameter) => `${name} ${parameter}`);
    }),
  unsetVariables: (script: PowerShellScript) => script.unsetVariables(AUTOMATIC_VARIABLES),
  // In a text, PowerShell takes "$name:" for the beginning of a longer name, and refuses the whole script.
  colonsAfterVariables: (script: PowerShellScript) =>
    script.expandableTexts().filter((text) => /\$(?!(?:env|script):)\w+:/i.test(text)),
  outputBesideTheLog: (script: PowerShellScript) =>
    script
      .commands()
      .filter(
        ({ name, inFunction }) =>
          /^(Write|Out)-/.test(name) && name !== "Write-LabLog" && inFunction !== "Write-LabLog",
      )
      .map(({ text }) => text),
} as const;

describe("windows-first-boot.ps1", () => {
  let script: PowerShellScript;

  beforeAll(async () => {
    script = await parsedPowerShell(TEXT);
  });

  it.each([
    ["is PowerShell by its grammar", "syntaxErrors"],
    ["calls only what Windows Server 2022 has", "unknownCommands"],
    ["gives every command parameters that it knows", "unknownParameters"],
    ["reads no variable that nothing has set", "unsetVariables"],
    ["lets no variable in a text swallow a colon", "colonsAfterVariables"],
    ["prints through its log alone", "outputBesideTheLog"],
  ] as const)("%s", (_, fault) => {
    expect(FAULTS[fault](script)).toEqual([]);
  });

  it("is plain ASCII, because PowerShell 5.1 takes a file without a mark for the local code page", () => {
    expect(TEXT).toMatch(/^[\n\x20-\x7e]*$/);
  });

  it("has no place in which a template could put a value, and runs no text as code", () => {
    expect(TEXT).not.toMatch(/[$%]\{/);
    expect(TEXT).not.toMatch(/Invoke-Expression|\biex\b|ScriptBlock\]::|ExpandString|-EncodedCommand|Invoke-Command/i);
  });

  it("takes the password only to set it and to keep it from the log, and reads the metadata that the VM has", () => {
    const places = TEXT.split(/^function /m).filter((text) => text.includes("$script:Password"));
    expect(places.slice(1).map((text) => /^\S+/.exec(text)?.[0])).toEqual([
      "Write-LabLog",
      "Read-LabValues",
      "Set-LabUser",
    ]);
    expect(TEXT.match(/(?<=Read-LabValue -Key ')[^']+/g)?.sort()).toEqual(["lab-password", "lab-user"]);
  });

  it("downloads a package again when the download failed, and never for its signature", () => {
    const placesOf = (command: string) =>
      script.commands().flatMap(({ name, inFunction }) => (name === command ? [inFunction] : []));
    expect([placesOf("curl.exe"), placesOf("Save-LabPackage")]).toEqual([["Save-LabPackage"], ["Install-LabPackage"]]);
    expect([placesOf("Get-AuthenticodeSignature"), placesOf("Confirm-LabPackage")]).toEqual([
      ["Confirm-LabPackage"],
      ["Install-LabPackage"],
    ]);
    const repeated = script.commands().flatMap(({ name, text }) => (name === "Invoke-LabRetry" ? [text] : []));
    expect(repeated.filter((text) => text.includes("Save-LabPackage"))).toHaveLength(1);
    expect(repeated.filter((text) => text.includes("Confirm-LabPackage"))).toEqual([]);
    // A package of somebody else does not stay on the host.
    expect(bodyOf("Install-LabPackage")).toMatch(/try \{\s+Confirm-LabPackage.*\} finally \{\s+Remove-Item/);
  });

  it("makes a password from the system's own source where there is none, and leaves that of an existing user alone", () => {
    expect(bodyOf("Set-LabUser")).toMatch(
      /^ ?if \(\$null -eq \(Get-LocalUser .*byte\[\] 32 .*RandomNumberGenerator\]::Create\(\)/,
    );
    expect(script.commands().filter(({ name }) => name === "Set-LocalUser")).toEqual([]);
  });

  it("does the steps in the order in which they need each other, and marks the VM only when the essential ones are done", () => {
    const steps = [...TEXT.matchAll(/@\{ Name = '([^']+)'; Essential = \$(true|false); Action/g)];
    expect(steps.map(([, name, essential]) => `${name}${essential === "true" ? "" : " (optional)"}`)).toEqual([
      "values",
      "lab user",
      "remote desktop",
      "sample import (optional)",
      "browser (optional)",
      "discovery client",
    ]);
    const exit = TEXT.indexOf("exit 1");
    const mark = TEXT.indexOf("Set-Content -Path $Mark");
    expect(exit).toBeGreaterThan(0);
    expect(mark).toBeGreaterThan(exit);
    expect(TEXT.match(/Set-Content/g)).toHaveLength(1);
  });
});

it("The password is one that Windows accepts: three kinds of characters, and not the user's name", () => {
  const kinds = [/[a-z]/, /[A-Z]/, /[0-9]/, /[^A-Za-z0-9]/].filter((kind) => kind.test(LAB_PASSWORD));
  expect(kinds.length).toBeGreaterThanOrEqual(3);
  expect(LAB_PASSWORD.toLowerCase()).not.toContain(LAB_USER);
});

describe("The sample import", () => {
  const tables = [...TEXT.matchAll(/^ {4}'(\w+)\.csv' = @'\n(.*?)\n'@$/gms)].map(
    ([, kind = "", text = ""]) =>
      [kind as keyof typeof COLUMNS, parse<Record<string, string>>(text, { columns: true })] as const,
  );
  const column = (table: string, title: string) =>
    tables.find(([kind]) => kind === table)?.[1].map((row) => row[title] ?? "") ?? [];

  it("has the tables and columns that the assessment service reads", () => {
    expect(tables.map(([kind]) => kind)).toEqual(["vmInfo", "diskInfo", "tagInfo"]);
    for (const [kind, rows] of tables) expect(Object.keys(rows[0] ?? {})).toEqual(COLUMNS[kind]);
  });

  it("describes the same virtual machines in every table, each with its disks, and labels that the service takes", () => {
    const machines = column("vmInfo", "MachineId");
    expect(new Set(machines).size).toBe(5);
    for (const table of ["diskInfo", "tagInfo"]) expect(new Set(column(table, "MachineId"))).toEqual(new Set(machines));
    const sizes = column("diskInfo", "SizeInGib").map(Number);
    const owners = column("diskInfo", "MachineId");
    const sizeOf = (machine: string) =>
      sizes.reduce((sum, size, index) => sum + (owners[index] === machine ? size : 0), 0);
    expect(column("vmInfo", "TotalDiskAllocatedGiB").map(Number)).toEqual(machines.map(sizeOf));
    for (const label of [...column("tagInfo", "Key"), ...column("tagInfo", "Value")])
      expect(label).toMatch(/^[a-z][a-z0-9_-]{0,62}$/);
  });
});

/** What a function of the script does, in one line. */
function bodyOf(name: string): string {
  const [, body = ""] = new RegExp(`\nfunction ${name} \\{\n(.*?)\n\\}\n`, "s").exec(TEXT) ?? [];
  return body.replaceAll(/\s+/g, " ");
}
