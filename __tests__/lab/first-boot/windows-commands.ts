const PATHS = ["-Path", "-LiteralPath", "-Filter", "-Include", "-Exclude", "-Force", "-Credential"];
const LOCAL_USER = ["-AccountExpires", "-AccountNeverExpires", "-Description", "-FullName", "-Password"];

/** Commands of Windows PowerShell 5.1 and of Windows Server 2022 that the script may call, with their own parameters. */
export const WINDOWS_COMMANDS: Readonly<Record<string, readonly string[]>> = {
  "Add-Content": [...PATHS, "-Value", "-Encoding", "-NoNewline", "-PassThru", "-Stream"],
  "Add-LocalGroupMember": ["-Group", "-Name", "-SID", "-Member"],
  "Add-Type": ["-TypeDefinition", "-AssemblyName", "-Path", "-MemberDefinition", "-Name", "-Language", "-PassThru"],
  "ConvertFrom-Json": ["-InputObject"],
  "ConvertTo-SecureString": ["-String", "-AsPlainText", "-Force", "-Key", "-SecureKey"],
  "Enable-LocalUser": ["-InputObject", "-Name", "-SID"],
  "Enable-NetFirewallRule": ["-Name", "-DisplayName", "-Group", "-DisplayGroup", "-PolicyStore", "-PassThru"],
  "ForEach-Object": ["-Process", "-Begin", "-End", "-InputObject", "-MemberName"],
  "Get-AuthenticodeSignature": ["-FilePath", "-LiteralPath", "-SourcePathOrExtension", "-Content"],
  "Get-Content": [...PATHS, "-Raw", "-Encoding", "-TotalCount", "-Tail", "-Wait", "-Delimiter"],
  "Get-ItemProperty": [...PATHS, "-Name"],
  "Get-LocalGroup": ["-Name", "-SID"],
  "Get-LocalUser": ["-Name", "-SID"],
  "Get-Service": ["-Name", "-DisplayName", "-InputObject", "-Include", "-Exclude", "-ComputerName"],
  "Invoke-WebRequest": ["-Uri", "-Headers", "-Method", "-Body", "-OutFile", "-UseBasicParsing", "-TimeoutSec"],
  "Join-Path": ["-Path", "-ChildPath", "-Resolve"],
  "New-Item": ["-Path", "-Name", "-ItemType", "-Value", "-Force"],
  "New-LocalUser": [
    ...LOCAL_USER,
    "-Name",
    "-NoPassword",
    "-PasswordNeverExpires",
    "-UserMayNotChangePassword",
    "-Disabled",
  ],
  "New-Object": ["-TypeName", "-ArgumentList", "-Property", "-ComObject", "-Strict"],
  "Remove-Item": [...PATHS, "-Recurse"],
  "Set-Content": [...PATHS, "-Value", "-Encoding", "-NoNewline", "-PassThru"],
  "Set-ItemProperty": [...PATHS, "-Name", "-Value", "-Type"],
  "Set-LocalUser": [...LOCAL_USER, "-InputObject", "-Name", "-SID", "-PasswordNeverExpires", "-UserMayChangePassword"],
  "Set-Service": ["-Name", "-StartupType", "-Status", "-DisplayName", "-Description", "-InputObject"],
  "Set-StrictMode": ["-Version", "-Off"],
  "Sort-Object": ["-Property", "-Descending", "-Unique", "-InputObject"],
  "Start-Process": [
    "-FilePath",
    "-ArgumentList",
    "-PassThru",
    "-Wait",
    "-NoNewWindow",
    "-WindowStyle",
    "-WorkingDirectory",
  ],
  "Start-Service": ["-Name", "-DisplayName", "-InputObject", "-PassThru"],
  "Start-Sleep": ["-Seconds", "-Milliseconds"],
  "Test-Path": [...PATHS, "-PathType", "-IsValid"],
  "Where-Object": ["-FilterScript", "-Property", "-Value", "-InputObject"],
  "Write-Host": ["-Object", "-NoNewline", "-Separator"],
  "curl.exe": [
    ...["--connect-timeout", "--fail", "--location", "--max-time", "--output", "--proto", "--show-error", "--silent"],
    ...["--stderr", "--url"],
  ],
  "sc.exe": [],
};

/** Parameters that every command has. */
export const COMMON_PARAMETERS = ["-ErrorAction", "-Verbose", "-WarningAction"];

/** Variables that are there before a script sets any. */
export const AUTOMATIC_VARIABLES = ["$_", "$false", "$lastexitcode", "$null", "$true"];
