<#
Prepares the Windows VM of an assessment lab: lab user, remote desktop, browser, discovery client and sample import.

Runs in Windows PowerShell 5.1 as SYSTEM at every boot, but does its work once: a marker file is written when every
essential step has succeeded. Until then each boot tries again, and each step keeps what is already there.

The values of the lab come from the metadata server as one JSON object, never as part of this script. Output goes to
the serial port: every step with its time and result, and at the end "assessment-lab: ready" or
"assessment-lab: incomplete: ..." with what failed and how to try again. The password of the lab user is never printed.
If the values have no password, the user gets a random one that is not stored.

Environment, all optional:
  GCE_METADATA_HOST             host and port of the metadata server (metadata.google.internal)
  ASSESSMENT_LAB_PAUSE_SECONDS  pause between two attempts (10)

Plain ASCII: without a byte order mark, PowerShell 5.1 would read anything else in the local code page.
#>
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'
# The progress display slows downloads down by orders of magnitude.
$ProgressPreference = 'SilentlyContinue'

$MetadataKey = 'assessment-lab'
$MetadataHost = 'metadata.google.internal'
if ($env:GCE_METADATA_HOST) { $MetadataHost = $env:GCE_METADATA_HOST }
$PauseSeconds = 10
if ($env:ASSESSMENT_LAB_PAUSE_SECONDS) { $PauseSeconds = [int]$env:ASSESSMENT_LAB_PAUSE_SECONDS }
$MetadataAttempts = 12
$DownloadAttempts = 5
$DownloadTimeoutSeconds = 300
# Another installation, for example of an update, can hold the installer for a while.
$InstallAttempts = 30
$InstallTimeoutSeconds = 900
$ServiceTimeoutSeconds = 180

# Built-in groups by their SIDs: their names are translated on a localized system.
$AdministratorsSid = 'S-1-5-32-544'
$RemoteDesktopUsersSid = 'S-1-5-32-555'
# The firewall group "Remote Desktop", likewise independent of the language.
$RemoteDesktopFirewallGroup = '@FirewallAPI.dll,-28752'

# First bytes of every installer package.
$PackageSignature = 'D0-CF-11-E0-A1-B1-1A-E1'
$ExitSuccess = 0
$ExitSuccessRestartNeeded = 3010
$ExitOtherInstallRunning = 1618

$WorkFolder = Join-Path $env:ProgramData 'assessment-lab'
$Mark = Join-Path $WorkFolder 'first-boot.done'
$LogFile = Join-Path $WorkFolder 'first-boot.log'

$script:Values = $null
$script:ProfilePath = $null

# Writes one line to the serial port and the log file. Line breaks become spaces, so that no value can forge a line.
function Write-LabLog {
    param([string]$Text)

    $line = $Text -replace '[\x00-\x20\x7f]+', ' '
    if ($script:Values -and $script:Values.labPassword) {
        $line = $line.Replace($script:Values.labPassword, '(password)')
    }
    Write-Host "assessment-lab: $line"
    # The script must not fail because the file is open elsewhere.
    Add-Content -Path $LogFile -Value "assessment-lab: $line" -Encoding UTF8 -ErrorAction SilentlyContinue
}

function Get-LabTime {
    return [DateTime]::UtcNow.ToString('s') + 'Z'
}

# Runs the action until it succeeds; after the last attempt, throws its error.
function Invoke-LabRetry {
    param([string]$What, [int]$Attempts, [scriptblock]$Action)

    for ($attempt = 1; $attempt -le $Attempts; $attempt++) {
        try {
            return & $Action
        }
        catch {
            if ($attempt -eq $Attempts) { throw }
            Write-LabLog ('{0}: attempt {1} of {2}: {3}' -f $What, $attempt, $Attempts, $_.Exception.Message)
            Start-Sleep -Seconds $PauseSeconds
        }
    }
}

. "$PSScriptRoot/windows-first-boot/values.ps1"
. "$PSScriptRoot/windows-first-boot/lab-user.ps1"
. "$PSScriptRoot/windows-first-boot/packages.ps1"
. "$PSScriptRoot/windows-first-boot/discovery-client.ps1"
. "$PSScriptRoot/windows-first-boot/sample-import.ps1"

# Runs one step. A failure is recorded for the last line and does not stop the script.
function Invoke-LabStep {
    param([hashtable]$Step)

    $watch = [Diagnostics.Stopwatch]::StartNew()
    Write-LabLog "$(Get-LabTime) $($Step.Name): started"
    try {
        $null = & $Step.Action
        Write-LabLog "$(Get-LabTime) $($Step.Name): done in $([int]$watch.Elapsed.TotalSeconds) s"
        return $true
    }
    catch {
        $Step.Failure = $_.Exception.Message
        Write-LabLog "$(Get-LabTime) $($Step.Name): failed in $([int]$watch.Elapsed.TotalSeconds) s: $($Step.Failure)"
        return $false
    }
}

$null = New-Item -ItemType Directory -Path $WorkFolder -Force
if (Test-Path -Path $Mark) {
    Write-LabLog (Get-Content -Path $Mark -Raw).Trim()
    exit 0
}

# A step is essential if the lab cannot be used without it; Windows comes with a browser too.
$steps = @(
    @{ Name = 'values'; Essential = $true; Action = { Read-LabValue } }
    @{ Name = 'lab user'; Essential = $true; Action = { Set-LabUser } }
    @{ Name = 'remote desktop'; Essential = $true; Action = { Enable-LabRemoteDesktop } }
    @{ Name = 'user profile'; Essential = $false; Action = { New-LabProfile } }
    @{ Name = 'sample import'; Essential = $false; Action = { Save-LabSampleImport } }
    @{ Name = 'browser'; Essential = $false; Action = { Install-LabBrowser } }
    @{ Name = 'discovery client'; Essential = $true; Action = { Install-LabDiscoveryClient } }
    @{ Name = 'discovery client user'; Essential = $true; Action = { Add-LabDiscoveryClientUser } }
)

$failed = @()
foreach ($step in $steps) {
    if (-not (Invoke-LabStep -Step $step)) { $failed += $step }
    # Without the values there is nothing to do.
    if ($null -eq $script:Values) { break }
}

$summary = 'ready'
if ($failed.Count -gt 0) {
    $summary = 'incomplete: ' + (@($failed | ForEach-Object { "$($_.Name) ($($_.Failure))" }) -join '; ')
}
if (@($failed | Where-Object { $_.Essential }).Count -gt 0) {
    Write-LabLog "$summary; the next boot tries again"
    exit 1
}
if ($failed.Count -gt 0) { $summary += "; to try again, delete the file $Mark and restart this host" }
Set-Content -Path $Mark -Value $summary -Encoding UTF8
Write-LabLog $summary
exit 0
