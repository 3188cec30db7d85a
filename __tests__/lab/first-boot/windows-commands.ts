/**
 * Commands of Windows PowerShell 5.1 and of Windows Server 2022 that the script may call, with parameters of theirs.
 */
export const WINDOWS_COMMANDS: Readonly<Record<string, readonly string[]>> = {
  "Add-Content": ["-Path", "-Force", "-Value", "-Encoding", "-PassThru"],
  "Add-LocalGroupMember": ["-Group", "-Name", "-SID", "-Member"],
  "Compress-Archive": ["-Path", "-DestinationPath", "-Force"],
  "ConvertTo-SecureString": ["-String", "-AsPlainText", "-Force"],
  "Enable-NetFirewallRule": ["-Name", "-Group", "-PassThru"],
  "Get-AuthenticodeSignature": ["-FilePath", "-Content"],
  "Get-Content": ["-Path", "-Force", "-Raw", "-Encoding"],
  "Get-LocalGroup": ["-Name", "-SID"],
  "Get-LocalUser": ["-Name", "-SID"],
  "Get-Service": ["-Name", "-InputObject"],
  "Invoke-WebRequest": ["-Uri", "-Headers", "-UseBasicParsing", "-TimeoutSec"],
  "Join-Path": ["-Path"],
  "New-Item": ["-Path", "-Name", "-ItemType", "-Value", "-Force"],
  "New-LocalUser": ["-AccountNeverExpires", "-Description", "-Password", "-Name", "-PasswordNeverExpires"],
  "New-Object": ["-ArgumentList"],
  "Remove-Item": ["-Path", "-Force"],
  "Set-Content": ["-Path", "-Force", "-Value", "-Encoding", "-PassThru"],
  "Set-ItemProperty": ["-Path", "-Force", "-Name", "-Value", "-Type"],
  "Set-Service": ["-Name", "-StartupType", "-Description", "-InputObject"],
  "Set-StrictMode": ["-Version"],
  "Start-Process": ["-FilePath", "-ArgumentList", "-PassThru"],
  "Start-Service": ["-Name", "-InputObject", "-PassThru"],
  "Start-Sleep": ["-Seconds"],
  "Test-Path": ["-Path", "-Force"],
  "Write-Host": ["-Object"],
  "curl.exe": [
    "--connect-timeout",
    "--fail",
    "--location",
    "--max-time",
    "--output",
    "--proto",
    "--show-error",
    "--silent",
    "--stderr",
    "--url",
  ],
  "sc.exe": [],
};

/** Parameters that every command has. */
export const COMMON_PARAMETERS = ["-ErrorAction", "-Verbose", "-WarningAction"];

/** Variables that are there before a script sets any. */
export const AUTOMATIC_VARIABLES = ["$_", "$false", "$lastexitcode", "$null", "$true"];
