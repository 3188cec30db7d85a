import { joinedScript } from "../../../lib/core/joined-script";
import { packageFile } from "../../../lib/core/package-file";
import { LAB_PASSWORD } from "../../../lib/lab/contract";
import { WINDOWS_FIRST_BOOT, windowsFirstBootValues } from "../../../lib/lab/first-boot-values";
import { parsedPowerShell, type PowerShellScript } from "./powershell";
import { AUTOMATIC_VARIABLES, COMMON_PARAMETERS, WINDOWS_COMMANDS } from "./windows-commands";

const TEXT = joinedScript(packageFile(WINDOWS_FIRST_BOOT.script));
const VALUES = windowsFirstBootValues(LAB_PASSWORD);

/** What is wrong with a script, by the rules that the tests below hold the real one to. */
const FAULTS = {
  syntaxErrors: (script: PowerShellScript) => script.syntaxErrors(),
  unknownCommands: (script: PowerShellScript) => {
    const own = new Set(script.functions());
    const blocks = ["$Action", "$Step.Action"];
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
  unexpectedPlacesOfThePassword: (script: PowerShellScript) =>
    script
      .members(["$script:Values", "$values"])
      .filter(({ member }) => member === "labPassword")
      .map(({ inFunction }) => inFunction)
      .filter((place) => !["Set-LabUser", "Write-LabLog"].includes(place ?? "")),
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
    ["takes the password only to set it and to keep it from the log", "unexpectedPlacesOfThePassword"],
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

  describe("the values", () => {
    /** Members of the objects that the script goes through, not values of the lab. */
    const read = (): string[] => [
      ...new Set(
        script
          .members(["$script:Values", "$values"])
          .map(({ member }) => member)
          .filter((member) => !["PSObject", "$name"].includes(member)),
      ),
    ];

    it("are all read, and no other", () => {
      expect(read().sort()).toEqual(Object.keys(VALUES).sort());
    });
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
    expect(bodyOf("New-LabPassword")).toMatch(/byte\[\] 32 .*RandomNumberGenerator\]::Create\(\)/);
    expect(bodyOf("Set-LabUser")).toMatch(/if \(\$null -eq \$text\) \{ \$text = New-LabPassword \}/);
    expect(bodyOf("Set-LabUser")).toMatch(
      /else \{ if \(\$null -ne \$script:Values\.labPassword\) \{ Set-LocalUser [^}]*\}/,
    );
    expect(script.commands().filter(({ name }) => name === "Set-LocalUser")).toHaveLength(1);
  });

  it("does the steps in the order in which they need each other, and marks the VM only when the essential ones are done", () => {
    const steps = [...TEXT.matchAll(/@\{ Name = '([^']+)'; Essential = \$(true|false); Action/g)];
    expect(steps.map(([, name, essential]) => `${name}${essential === "true" ? "" : " (optional)"}`)).toEqual([
      "values",
      "lab user",
      "remote desktop",
      "user profile (optional)",
      "sample import (optional)",
      "browser (optional)",
      "discovery client",
      "discovery client user",
    ]);
    const exit = TEXT.indexOf("exit 1");
    const mark = TEXT.indexOf("Set-Content -Path $Mark");
    expect(exit).toBeGreaterThan(0);
    expect(mark).toBeGreaterThan(exit);
    expect(TEXT.match(/Set-Content/g)).toHaveLength(1);
  });
});

/** What a function of the script does, in one line. */
function bodyOf(name: string): string {
  const [, body = ""] = new RegExp(`\nfunction ${name} \\{\n(.*?)\n\\}\n`, "s").exec(TEXT) ?? [];
  return body.replaceAll(/\s+/g, " ");
}
