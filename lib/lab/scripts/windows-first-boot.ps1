<#
Prepares the Windows VM of an assessment lab: lab user, remote desktop, browser, discovery client, sample import and a
text file on the desktop with the next steps.

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
# Bounds the search when a name server resolves every name.
$MostTargets = 254

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

# Reads a metadata entry of this VM.
function Read-LabMetadata {
    param([string]$Path)

    $answer = Invoke-WebRequest -Uri "http://$MetadataHost/computeMetadata/v1/instance/$Path" `
        -Headers @{ 'Metadata-Flavor' = 'Google' } -UseBasicParsing -TimeoutSec 10
    # The server names no character set, and PowerShell 5.1 would take the text for Latin-1.
    return [Text.Encoding]::UTF8.GetString($answer.RawContentStream.ToArray())
}

function Read-LabValue {
    $json = Invoke-LabRetry -What 'metadata' -Attempts $MetadataAttempts -Action {
        Read-LabMetadata "attributes/$MetadataKey"
    }
    try {
        $values = $json | ConvertFrom-Json
    }
    catch {
        # The parser's own message quotes the text, and with it the password.
        throw "the metadata key $MetadataKey holds no JSON"
    }
    $texts = 'projectId', 'region', 'labUser', 'discoveryClientName', 'sshKeyObjectName', 'sshCredentialName',
    'internalTrafficCidr', 'linuxVmNamePrefix', 'assessmentServiceUrl', 'browserPackageUrl',
    'discoveryClientPackageUrl', 'discoveryClientService', 'discoveryClientGroup', 'packagePublisher',
    'sampleImportName'
    # Null means that there is none.
    $textsOrNull = 'labPassword', 'sshKeyBucketName'
    foreach ($name in $texts + $textsOrNull + 'sampleImportFiles') {
        $property = $values.PSObject.Properties[$name]
        if ($null -eq $property) { throw "the metadata key $MetadataKey says nothing of $name" }
        if ($name -eq 'sampleImportFiles' -or ($null -eq $property.Value -and $name -in $textsOrNull)) { continue }
        if ($property.Value -isnot [string] -or $property.Value -eq '') {
            throw "the metadata key $MetadataKey has no text for $name"
        }
    }
    # These become user and file names.
    if ($values.labUser -notmatch '\A[A-Za-z0-9][A-Za-z0-9._-]{0,19}\z') {
        throw 'labUser can be no user of Windows: it takes letters, digits, dots, underscores and hyphens, at most 20'
    }
    $tables = foreach ($table in $values.sampleImportFiles.PSObject.Properties) { $table.Name }
    foreach ($name in @($values.sampleImportName) + @($tables)) {
        if ($name -notmatch '\A[A-Za-z0-9][A-Za-z0-9._-]*\z') {
            throw 'a name in the sample import can be no file: it takes letters, digits, dots, underscores and hyphens'
        }
    }
    foreach ($name in 'browserPackageUrl', 'discoveryClientPackageUrl') {
        if ($values.$name -notmatch '\Ahttps://') { throw "$name is no https address" }
    }
    $script:Values = $values
}

function Get-LabUser {
    # Compared, because as an argument the name would be a wildcard pattern.
    return Get-LocalUser | Where-Object { $_.Name -eq $script:Values.labUser }
}

function Add-LabUserToGroup {
    param($Group)

    try {
        Add-LocalGroupMember -Group $Group -Member (Get-LabUser)
    }
    catch {
        if ($_.FullyQualifiedErrorId -notlike 'MemberExists*') { throw }
    }
}

# A random password that is not stored: gcloud resets it for users who may change this VM.
function New-LabPassword {
    $bytes = New-Object byte[] 32
    $generator = [Security.Cryptography.RandomNumberGenerator]::Create()
    try {
        $generator.GetBytes($bytes)
    }
    finally {
        $generator.Dispose()
    }
    # Windows requires three of four character classes.
    return [Convert]::ToBase64String($bytes) + '-aA1'
}

function Set-LabUser {
    $user = Get-LabUser
    $text = $script:Values.labPassword
    if ($null -eq $text) { $text = New-LabPassword }
    $password = ConvertTo-SecureString -String $text -AsPlainText -Force
    if ($null -eq $user) {
        $null = New-LocalUser -Name $script:Values.labUser -Password $password -AccountNeverExpires `
            -PasswordNeverExpires -Description 'User of the assessment lab'
    }
    else {
        if ($null -ne $script:Values.labPassword) {
            Set-LocalUser -InputObject $user -Password $password -PasswordNeverExpires $true
        }
        # The password may have been reset since then and must not change again.
        Enable-LocalUser -InputObject $user
    }
    foreach ($sid in $AdministratorsSid, $RemoteDesktopUsersSid) {
        Add-LabUserToGroup -Group (Get-LocalGroup -SID $sid)
    }
}

function Enable-LabRemoteDesktop {
    Set-ItemProperty -Path 'HKLM:\SYSTEM\CurrentControlSet\Control\Terminal Server' -Name 'fDenyTSConnections' -Value 0
    Enable-NetFirewallRule -Group $RemoteDesktopFirewallGroup
    Set-Service -Name 'TermService' -StartupType Automatic
    Start-Service -Name 'TermService'
}

# Windows creates the profile at the first sign-in. If the folder already existed then, with a file in Downloads,
# Windows would create a second one beside it, so the profile is created properly beforehand.
function New-LabProfile {
    $sid = (Get-LabUser).SID.Value
    $key = "HKLM:\SOFTWARE\Microsoft\Windows NT\CurrentVersion\ProfileList\$sid"
    if (-not (Test-Path -Path $key)) {
        if (-not ('AssessmentLab.UserProfile' -as [type])) {
            Add-Type -TypeDefinition @'
using System.Runtime.InteropServices;
using System.Text;

namespace AssessmentLab
{
    public static class UserProfile
    {
        [DllImport("userenv.dll", CharSet = CharSet.Unicode, ExactSpelling = true)]
        private static extern int CreateProfile(string userSid, string userName, StringBuilder path, uint pathLength);

        public static void Create(string userSid, string userName)
        {
            StringBuilder path = new StringBuilder(260);
            Marshal.ThrowExceptionForHR(CreateProfile(userSid, userName, path, (uint)path.Capacity));
        }
    }
}
'@
        }
        [AssessmentLab.UserProfile]::Create($sid, $script:Values.labUser)
    }
    $script:ProfilePath = (Get-ItemProperty -Path $key).ProfileImagePath
}

# Downloads an installer package and makes sure that it is one.
function Save-LabPackage {
    param([string]$Uri, [string]$Path)

    # --stderr -: a line on the error stream would end this script before the exit code is seen.
    $message = & curl.exe --fail --location --proto '=https' --silent --show-error --stderr '-' --connect-timeout 20 `
        --max-time $DownloadTimeoutSeconds --output $Path --url ([Uri]$Uri).AbsoluteUri
    if ($LASTEXITCODE -ne 0) { throw "the download failed: $message" }

    $stream = [IO.File]::OpenRead($Path)
    try {
        $start = New-Object byte[] 8
        $null = $stream.Read($start, 0, $start.Length)
    }
    finally {
        $stream.Dispose()
    }
    if ([BitConverter]::ToString($start) -ne $PackageSignature) {
        throw 'what the address answers with is no installer package'
    }
}

# Checks the publisher of a package. Not retried, because another download would bring the same package.
function Confirm-LabPackage {
    param([string]$Path)

    $signature = Get-AuthenticodeSignature -FilePath $Path
    if ($signature.Status -ne 'Valid') { throw "the signature of the package is not valid: $($signature.Status)" }
    # One part of the name per line, so that no part can pose as another one.
    $signer = $signature.SignerCertificate.SubjectName.Format($true) -split '\r?\n'
    if ($signer -cnotcontains "O=$($script:Values.packagePublisher)") {
        throw "the package is not signed by $($script:Values.packagePublisher)"
    }
}

# No argument contains a value of the lab: the paths are the script's own.
function Invoke-LabInstaller {
    param([string]$Path)

    for ($attempt = 1; $attempt -le $InstallAttempts; $attempt++) {
        $process = Start-Process -FilePath 'msiexec.exe' -PassThru `
            -ArgumentList '/i', "`"$Path`"", '/qn', '/norestart', '/l*v', "`"$Path.log`""
        # Unless the handle is read now, the exit code is not available later.
        $null = $process.Handle
        if (-not $process.WaitForExit($InstallTimeoutSeconds * 1000)) {
            $process.Kill()
            throw "the installer did not end within $InstallTimeoutSeconds s; its log is $Path.log"
        }
        if ($process.ExitCode -in $ExitSuccess, $ExitSuccessRestartNeeded) { return }
        if ($process.ExitCode -ne $ExitOtherInstallRunning) { break }
        Write-LabLog "another installation is running: attempt $attempt of $InstallAttempts"
        Start-Sleep -Seconds $PauseSeconds
    }
    throw "the installer ended with $($process.ExitCode); its log is $Path.log"
}

function Install-LabPackage {
    param([string]$Name, [string]$Uri)

    $path = Join-Path $WorkFolder "$Name.msi"
    Invoke-LabRetry -What $Name -Attempts $DownloadAttempts -Action { Save-LabPackage -Uri $Uri -Path $path }
    try {
        Confirm-LabPackage -Path $path
        Invoke-LabInstaller -Path $path
    }
    finally {
        Remove-Item -Path $path -ErrorAction SilentlyContinue
    }
}

function Install-LabBrowser {
    if (Test-Path -Path 'HKLM:\SOFTWARE\Microsoft\Windows\CurrentVersion\App Paths\chrome.exe') { return }
    Install-LabPackage -Name 'browser' -Uri $script:Values.browserPackageUrl
}

function Get-LabClientService {
    $pattern = [WildcardPattern]::Escape($script:Values.discoveryClientService)
    return Get-Service -Name $pattern -ErrorAction SilentlyContinue
}

function Wait-LabClientService {
    $deadline = [DateTime]::UtcNow.AddSeconds($ServiceTimeoutSeconds)
    for (; ; ) {
        $service = Get-LabClientService
        if ($null -ne $service -and $service.Status -eq 'Running') { return }
        if ([DateTime]::UtcNow -ge $deadline) {
            throw "the service $($script:Values.discoveryClientService) does not run after $ServiceTimeoutSeconds s"
        }
        Start-Sleep -Seconds 2
    }
}

function Install-LabDiscoveryClient {
    if ($null -eq (Get-LabClientService)) {
        Install-LabPackage -Name 'discovery-client' -Uri $script:Values.discoveryClientPackageUrl
    }
    $service = Get-LabClientService
    if ($null -eq $service) {
        throw "the package has installed no service $($script:Values.discoveryClientService)"
    }
    # Started at boot with all other services, it can miss a dependency and stay down.
    $message = & sc.exe config $service.Name start= delayed-auto
    if ($LASTEXITCODE -ne 0) { throw "the delayed start cannot be set: $message" }
    if ($service.Status -ne 'Running') { Start-Service -InputObject $service }
    Wait-LabClientService
}

function Add-LabDiscoveryClientUser {
    $group = Get-LocalGroup | Where-Object { $_.Name -eq $script:Values.discoveryClientGroup }
    if ($null -eq $group) {
        # A client without this group requires no membership.
        Write-LabLog "there is no group $($script:Values.discoveryClientGroup), so no user needs to be in it"
        return
    }
    Add-LabUserToGroup -Group $group
}

function Save-LabSampleImport {
    Add-Type -AssemblyName 'System.IO.Compression'
    $name = $script:Values.sampleImportName
    $parents = @(@($env:PUBLIC, $script:ProfilePath) | Where-Object { $_ })
    foreach ($parent in $parents) {
        $folder = Join-Path $parent 'Downloads'
        $null = New-Item -ItemType Directory -Path $folder -Force
        $file = [IO.File]::Create((Join-Path $folder "$name.zip"))
        try {
            $archive = New-Object IO.Compression.ZipArchive $file, ([IO.Compression.ZipArchiveMode]::Create)
            try {
                foreach ($table in $script:Values.sampleImportFiles.PSObject.Properties) {
                    $entry = $archive.CreateEntry("$name/$($table.Name)").Open()
                    try {
                        $bytes = [Text.Encoding]::UTF8.GetBytes($table.Value)
                        $entry.Write($bytes, 0, $bytes.Length)
                    }
                    finally {
                        $entry.Dispose()
                    }
                }
            }
            finally {
                $archive.Dispose()
            }
        }
        finally {
            $file.Dispose()
        }
    }
    if ($parents.Count -ne 2) { throw 'the user has no profile; the archive is in the public Downloads folder alone' }
}

# Names and addresses of the Linux VMs, up to the first one that the name server does not know.
function Get-LabTarget {
    # <name of this host>.<zone>.c.<project>.internal
    $domain = (Read-LabMetadata 'hostname') -replace '\A[^.]+', ''
    for ($number = 1; $number -le $MostTargets; $number++) {
        $name = "$($script:Values.linuxVmNamePrefix)$number"
        $records = @(Resolve-DnsName -Name "$name$domain" -Type A -DnsOnly -ErrorAction SilentlyContinue)
        $addresses = @($records | Where-Object { $_.Type -eq 'A' } | ForEach-Object { "$($_.IPAddress)" })
        if ($addresses.Count -eq 0) { return }
        @{ Name = $name; Address = $addresses[0] }
    }
}

# First and last address of this VM's subnetwork, which the Linux VMs share.
function Get-LabSubnetwork {
    try {
        $address = [Net.IPAddress]::Parse((Read-LabMetadata 'network-interfaces/0/ip')).GetAddressBytes()
        $mask = [Net.IPAddress]::Parse((Read-LabMetadata 'network-interfaces/0/subnetmask')).GetAddressBytes()
        # A mask of one address says nothing about the subnetwork.
        if ($mask[3] -eq 255) { throw 'the mask holds one address' }
        $first = foreach ($index in 0, 1, 2, 3) { $address[$index] -band $mask[$index] }
        $last = foreach ($index in 0, 1, 2, 3) { $first[$index] -bor (255 - $mask[$index]) }
        return "$($first -join '.') to $($last -join '.')"
    }
    catch {
        return $script:Values.internalTrafficCidr
    }
}

# What to scan: from the lowest address of a Linux VM to the highest, and each address; if no name resolves, the
# subnetwork.
function Get-LabScanRange {
    $targets = @()
    try {
        $targets = @(Get-LabTarget)
    }
    catch {
        Write-LabLog "the targets' addresses cannot be asked for: $($_.Exception.Message)"
    }
    if ($targets.Count -eq 0) {
        return "The targets, $($script:Values.linuxVmNamePrefix)1 and so on, are within this range:", (Get-LabSubnetwork)
    }
    $sorted = @($targets | ForEach-Object { $_.Address } | Sort-Object -Property { ([Version]$_) })
    return @("The targets are within this range: $($sorted[0]) to $($sorted[-1])") +
        @($targets | ForEach-Object { "$($_.Name) $($_.Address)" })
}

function Save-LabDesktopText {
    $v = $script:Values
    $console = 'https://console.cloud.google.com'
    if ($v.sshKeyBucketName) {
        $key = "Download it in a browser: $console/storage/browser/$($v.sshKeyBucketName)?project=$($v.projectId)"
    }
    else {
        $key = 'This lab keeps it in the Terraform state alone: ask the person who applied it.'
    }
    if ($null -eq $v.labPassword) {
        $password = 'the password that "gcloud compute reset-windows-password" has printed'
    }
    else {
        $password = $v.labPassword
    }
    $range = (Get-LabScanRange) -join "`n   "
    $text = @"
Assessment lab
Project: $($v.projectId)
Region of the assessment service: $($v.region)
Written $(Get-LabTime), when this host was prepared; what was changed since is in the outputs of the lab.

1. RDP to the Windows host as $($v.labUser) with $password

2. Start the discovery client.
   It is the service $($v.discoveryClientService) and is used through a browser. If it is not there, download it from
   the data import view of the console, install it and restart this host:
   $console/migration/discovery/dataImport?project=$($v.projectId)

3. Sign in with Google OAuth (manual; cannot be automated).

4. Select the project $($v.projectId) and enter the name of the client exactly, upper and lower case included, so that
   the client attaches to the registered source:
   $($v.discoveryClientName)
   If you are asked for the region of the assessment data, choose $($v.region). It is permanent for the project, and the
   source is registered there.

5. Load $($v.sshKeyObjectName) as SSH credential $($v.sshCredentialName) with the user $($v.labUser)
   $key

6. Configure an IP scan range covering the output linux_vm_internal_ips.
   $range
   All private addresses of the lab are in $($v.internalTrafficCidr)

7. Start collection. Discovered assets stream to the assessment service and join any imported AWS inventory.
   To try an import by hand, use $($v.sampleImportName).zip in Downloads.

8. Create asset groups and migration preference sets, then generate a TCO report in the console or through the REST API.
   $($v.assessmentServiceUrl)

A single scan is a snapshot; a real assessment runs the client for 2 to 4 weeks.
This lab is meant to be thrown away: keep nothing of value on this host.
"@
    $folder = Join-Path $env:PUBLIC 'Desktop'
    $null = New-Item -ItemType Directory -Path $folder -Force
    # With a byte order mark, so that every editor recognizes the encoding.
    [IO.File]::WriteAllText(
        (Join-Path $folder 'Assessment lab.txt'),
        ($text -replace '\r?\n', "`r`n"),
        (New-Object Text.UTF8Encoding $true)
    )
}

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
    @{ Name = 'desktop text'; Essential = $false; Action = { Save-LabDesktopText } }
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
