<#
Prepares the Windows VM of an assessment lab: lab user, remote desktop, sample import, browser and discovery client.

Runs in Windows PowerShell 5.1 as SYSTEM at every boot, but does its work once: a marker file is written when every
essential step has succeeded. Until then each boot tries again, and each step keeps what is already there.

The metadata keys lab-user and lab-password have what differs; without a password, the user gets a random one that is
not stored. Output goes to the serial port: every step with its time and result, and at the end "assessment-lab: ready"
or "assessment-lab: incomplete: ..." with what failed and how to try again. The password is never printed.

Plain ASCII: without a byte order mark, PowerShell 5.1 would read anything else in the local code page.
#>
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'
# The progress display slows downloads down by orders of magnitude.
$ProgressPreference = 'SilentlyContinue'

# The console offers the same file for download.
$ClientPackage = 'https://storage.googleapis.com/mcdc-release/current/windows/mcdc.msi'
$ClientService = 'GoogleMCDC'
$ClientGroup = 'MCDCUsers'
# Unlike the ordinary installer, the enterprise one exits only when the browser is installed.
$BrowserPackage = 'https://dl.google.com/dl/chrome/install/googlechromestandaloneenterprise64.msi'
# In the signing certificate of both installers.
$Publisher = 'Google LLC'
$PauseSeconds = 10

# Built-in groups by their SIDs, administrators and users of remote desktop: their names are translated.
$GroupSids = 'S-1-5-32-544', 'S-1-5-32-555'
# The firewall group "Remote Desktop", likewise independent of the language.
$RemoteDesktopFirewallGroup = '@FirewallAPI.dll,-28752'

$WorkFolder = Join-Path $env:ProgramData 'assessment-lab'
$Mark = Join-Path $WorkFolder 'first-boot.done'
$script:User = $null
$script:Password = ''

# Writes one line to the serial port.
function Write-LabLog {
    param([string]$Text)

    $line = 'assessment-lab: ' + ($Text -replace '[\x00-\x20\x7f]+', ' ')
    if ($script:Password) { $line = $line.Replace($script:Password, '(password)') }
    Write-Host $line
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

# Reads a metadata value of this VM.
function Read-LabValue {
    param([string]$Key)

    return Invoke-LabRetry -What 'metadata' -Attempts 12 -Action {
        $answer = Invoke-WebRequest -Uri "http://metadata.google.internal/computeMetadata/v1/instance/attributes/$Key" `
            -Headers @{ 'Metadata-Flavor' = 'Google' } -UseBasicParsing -TimeoutSec 10
        # The server names no character set, and PowerShell 5.1 would take the text for Latin-1.
        [Text.Encoding]::UTF8.GetString($answer.RawContentStream.ToArray())
    }
}

function Read-LabValues {
    $script:Password = Read-LabValue -Key 'lab-password'
    $script:User = Read-LabValue -Key 'lab-user'
}

function Add-LabUserToGroup {
    param($Group)

    try {
        Add-LocalGroupMember -Group $Group -Member $script:User
    }
    catch {
        if ($_.FullyQualifiedErrorId -notlike 'MemberExists*') { throw }
    }
}

# A user that an earlier boot has made keeps its password, which may have been reset since then.
function Set-LabUser {
    if ($null -eq (Get-LocalUser -Name $script:User -ErrorAction SilentlyContinue)) {
        $text = $script:Password
        if ($text -eq '') {
            $bytes = New-Object byte[] 32
            [Security.Cryptography.RandomNumberGenerator]::Create().GetBytes($bytes)
            # Windows requires three of four character classes.
            $text = [Convert]::ToBase64String($bytes) + '-aA1'
        }
        $null = New-LocalUser -Name $script:User -Password (ConvertTo-SecureString -String $text -AsPlainText -Force) `
            -AccountNeverExpires -PasswordNeverExpires -Description 'User of the assessment lab'
    }
    foreach ($sid in $GroupSids) { Add-LabUserToGroup -Group (Get-LocalGroup -SID $sid) }
}

function Enable-LabRemoteDesktop {
    Set-ItemProperty -Path 'HKLM:\SYSTEM\CurrentControlSet\Control\Terminal Server' -Name 'fDenyTSConnections' -Value 0
    Enable-NetFirewallRule -Group $RemoteDesktopFirewallGroup
    Set-Service -Name 'TermService' -StartupType Automatic
    Start-Service -Name 'TermService'
}

# Tables of a small shop's AWS inventory: two front ends, an application server, a database and a Windows server.
# Without performance data, which is optional and ignored when it is older than 40 days. The tags are in lower case,
# because the labels of Migration Center allow nothing else.
$SampleImport = @{
    'vmInfo.csv' = @'
MachineId,MachineName,PrimaryIPAddress,PrimaryMACAddress,PublicIPAddress,IpAddressListSemiColonDelimited,TotalDiskAllocatedGiB,TotalDiskUsedGiB,MachineTypeLabel,AllocatedProcessorCoreCount,MemoryGiB,HostingLocation,OsType,OsPublisher,OsName,OsVersion,MachineStatus,ProvisioningState,CreateDate,IsPhysical,Source
i-0a1b2c3d4e5f60001,shop-web-1,172.31.16.11,0a:58:ac:1f:10:0b,,172.31.16.11,30,0,t3.medium,2,4.0,us-east-1,Linux/UNIX,,,,running,,2025-03-03 09:15:00+00:00,0,AWS
i-0a1b2c3d4e5f60002,shop-web-2,172.31.16.12,0a:58:ac:1f:10:0c,,172.31.16.12,30,0,t3.medium,2,4.0,us-east-1,Linux/UNIX,,,,running,,2025-03-03 09:15:00+00:00,0,AWS
i-0a1b2c3d4e5f60003,shop-app-1,172.31.16.21,0a:58:ac:1f:10:15,,172.31.16.21,60,0,m5.xlarge,4,16.0,us-east-1,Linux/UNIX,,,,running,,2025-03-03 09:15:00+00:00,0,AWS
i-0a1b2c3d4e5f60004,shop-db-1,172.31.16.31,0a:58:ac:1f:10:1f,,172.31.16.31,550,0,r5.large,2,16.0,us-east-1,Linux/UNIX,,,,running,,2025-03-03 09:15:00+00:00,0,AWS
i-0a1b2c3d4e5f60005,office-files,172.31.16.41,0a:58:ac:1f:10:29,,172.31.16.41,300,0,m5.large,2,8.0,us-east-1,Windows,,,,running,,2025-03-03 09:15:00+00:00,0,AWS
'@
    'diskInfo.csv' = @'
MachineId,DiskLabel,SizeInGib,UsedInGib,StorageTypeLabel
i-0a1b2c3d4e5f60001,/dev/xvda,30,,gp3
i-0a1b2c3d4e5f60002,/dev/xvda,30,,gp3
i-0a1b2c3d4e5f60003,/dev/xvda,60,,gp3
i-0a1b2c3d4e5f60004,/dev/xvda,50,,gp3
i-0a1b2c3d4e5f60004,/dev/xvdb,500,,gp3
i-0a1b2c3d4e5f60005,/dev/xvda,100,,gp3
i-0a1b2c3d4e5f60005,/dev/xvdb,200,,gp3
'@
    'tagInfo.csv' = @'
MachineId,Key,Value
i-0a1b2c3d4e5f60001,application,shop
i-0a1b2c3d4e5f60001,environment,production
i-0a1b2c3d4e5f60002,application,shop
i-0a1b2c3d4e5f60002,environment,production
i-0a1b2c3d4e5f60003,application,shop
i-0a1b2c3d4e5f60003,environment,production
i-0a1b2c3d4e5f60004,application,shop
i-0a1b2c3d4e5f60004,environment,production
i-0a1b2c3d4e5f60005,application,office
i-0a1b2c3d4e5f60005,environment,production
'@
}

# Windows makes the profile of the lab user at its first sign-in, from the default one. A folder of the user's name that
# exists before would make it create a second one beside it.
function Save-LabSampleImport {
    $folder = Join-Path $WorkFolder 'vm-aws-import-files'
    $null = New-Item -ItemType Directory -Path $folder -Force
    foreach ($name in $SampleImport.Keys) {
        [IO.File]::WriteAllText("$folder\$name", $SampleImport[$name].Replace("`n", "`r`n") + "`r`n")
    }
    foreach ($profileFolder in "$env:SystemDrive\Users\Default", $env:PUBLIC) {
        $null = New-Item -ItemType Directory -Path "$profileFolder\Downloads" -Force
        Compress-Archive -Path $folder -DestinationPath "$profileFolder\Downloads\vm-aws-import-files.zip" -Force
    }
}

function Save-LabPackage {
    param([string]$Uri, [string]$Path)

    # --stderr -: a line on the error stream would end this script before the exit code is seen.
    $message = & curl.exe --fail --location --proto '=https' --silent --show-error --stderr '-' --connect-timeout 20 `
        --max-time 300 --output $Path --url $Uri
    if ($LASTEXITCODE -ne 0) { throw "the download failed: $message" }
}

# Checks the publisher of a package. Not retried, because another download would bring the same package.
function Confirm-LabPackage {
    param([string]$Path)

    $signature = Get-AuthenticodeSignature -FilePath $Path
    if ($signature.Status -ne 'Valid') { throw "the signature of the package is not valid: $($signature.Status)" }
    # One part of the name per line, so that no part can pose as another one.
    $signer = $signature.SignerCertificate.SubjectName.Format($true) -split '\r?\n'
    if ($signer -cnotcontains "O=$Publisher") { throw "the package is not signed by $Publisher" }
}

function Invoke-LabInstaller {
    param([string]$Path)

    # Exit code 1618: another installation, for example of an update, holds the installer for a while.
    for ($attempt = 1; $attempt -le 30; $attempt++) {
        $process = Start-Process -FilePath 'msiexec.exe' -PassThru `
            -ArgumentList '/i', "`"$Path`"", '/qn', '/norestart', '/l*v', "`"$Path.log`""
        # Unless the handle is read now, the exit code is not available later.
        $null = $process.Handle
        if (-not $process.WaitForExit(900 * 1000)) {
            $process.Kill()
            throw "the installer did not end within 900 s; its log is $Path.log"
        }
        # Exit code 3010: done, and a restart is needed.
        if ($process.ExitCode -in 0, 3010) { return }
        if ($process.ExitCode -ne 1618) { break }
        Write-LabLog "another installation is running: attempt $attempt of 30"
        Start-Sleep -Seconds $PauseSeconds
    }
    throw "the installer ended with $($process.ExitCode); its log is $Path.log"
}

function Install-LabPackage {
    param([string]$Name, [string]$Uri)

    $path = Join-Path $WorkFolder "$Name.msi"
    Invoke-LabRetry -What $Name -Attempts 5 -Action { Save-LabPackage -Uri $Uri -Path $path }
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
    Install-LabPackage -Name 'browser' -Uri $BrowserPackage
}

function Install-LabDiscoveryClient {
    if ($null -eq (Get-Service -Name $ClientService -ErrorAction SilentlyContinue)) {
        Install-LabPackage -Name 'discovery-client' -Uri $ClientPackage
    }
    $service = Get-Service -Name $ClientService
    # Started at boot with all other services, it can miss a dependency and stay down.
    $message = & sc.exe config $ClientService start= delayed-auto
    if ($LASTEXITCODE -ne 0) { throw "the delayed start cannot be set: $message" }
    if ($service.Status -ne 'Running') { Start-Service -InputObject $service }
    $service.WaitForStatus('Running', [TimeSpan]::FromSeconds(180))
    # A client without this group requires no membership.
    $group = Get-LocalGroup -Name $ClientGroup -ErrorAction SilentlyContinue
    if ($null -ne $group) { Add-LabUserToGroup -Group $group }
}

$null = New-Item -ItemType Directory -Path $WorkFolder -Force
if (Test-Path -Path $Mark) {
    Write-LabLog (Get-Content -Path $Mark -Raw).Trim()
    exit 0
}

# A step is essential if the lab cannot be used without it; Windows comes with a browser too.
$steps = @(
    @{ Name = 'values'; Essential = $true; Action = { Read-LabValues } }
    @{ Name = 'lab user'; Essential = $true; Action = { Set-LabUser } }
    @{ Name = 'remote desktop'; Essential = $true; Action = { Enable-LabRemoteDesktop } }
    @{ Name = 'sample import'; Essential = $false; Action = { Save-LabSampleImport } }
    @{ Name = 'browser'; Essential = $false; Action = { Install-LabBrowser } }
    @{ Name = 'discovery client'; Essential = $true; Action = { Install-LabDiscoveryClient } }
)
$failures = @()
$isUsable = $true
foreach ($step in $steps) {
    $started = [DateTime]::UtcNow
    $result = 'done'
    try {
        $null = & $step.Action
    }
    catch {
        $result = "failed: $($_.Exception.Message)"
        $failures += "$($step.Name) ($($_.Exception.Message))"
        if ($step.Essential) { $isUsable = $false }
    }
    $seconds = [int]([DateTime]::UtcNow - $started).TotalSeconds
    Write-LabLog "$($started.ToString('s'))Z $($step.Name), $seconds s: $result"
    # Without the values there is nothing to do.
    if ($null -eq $script:User) { break }
}

$summary = 'ready'
if ($failures.Count -gt 0) { $summary = 'incomplete: ' + ($failures -join '; ') }
if (-not $isUsable) {
    Write-LabLog "$summary; the next boot tries again"
    exit 1
}
if ($failures.Count -gt 0) { $summary += "; to try again, delete the file $Mark and restart this host" }
Set-Content -Path $Mark -Value $summary -Encoding UTF8
Write-LabLog $summary
exit 0
