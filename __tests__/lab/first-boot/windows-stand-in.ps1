# Stands in for what Windows alone has, then runs the start-up script. Every call that matters becomes one JSON line in
# STAND_IN_CALLS; a name in STAND_IN_FAILURES (with commas) fails. STAND_IN_MISSING is one of: client-group, which a client
# comes without; signature, which packages then have none of.
param([string]$Script)

$ProgressPreference = 'SilentlyContinue'
$global:StandInUsers = @{}
$global:StandInServices = @{}
$global:StandInGroups = @{ 'S-1-5-32-544' = 'Administratoren'; 'S-1-5-32-555' = 'Remotedesktopbenutzer' }

function Add-Call {
    param([string]$Name, $Details)
    ConvertTo-Json -Compress -InputObject @{ name = $Name; details = $Details } | Add-Content -Path $env:STAND_IN_CALLS
    Invoke-Failure $Name
}

function Invoke-Failure {
    param([string]$Name)
    if (($env:STAND_IN_FAILURES -split ',') -contains $Name) { throw "no luck with $Name" }
}

Add-Type -TypeDefinition @'
namespace AssessmentLab
{
    public static class UserProfile
    {
        public static void Create(string userSid, string userName) {}
    }
}
'@

function Get-LocalUser { $global:StandInUsers.Values }
function New-LocalUser {
    param($Name, $Password, [switch]$AccountNeverExpires, [switch]$PasswordNeverExpires, $Description)
    Add-Call 'New-LocalUser' @($Name, [Net.NetworkCredential]::new('', $Password).Password)
    $global:StandInUsers[$Name] = [pscustomobject]@{ Name = $Name; SID = [pscustomobject]@{ Value = 'S-1-5-21-7' } }
}
function Set-LocalUser {
    param($InputObject, $Password, $PasswordNeverExpires)
    Add-Call 'Set-LocalUser' $InputObject.Name
}
function Enable-LocalUser { param($InputObject) }
function Get-LocalGroup {
    param($SID)
    foreach ($key in @($global:StandInGroups.Keys)) {
        if (-not $SID -or $key -eq $SID) { [pscustomobject]@{ Name = $global:StandInGroups[$key] } }
    }
}
function Add-LocalGroupMember {
    param($Group, $Member)
    Add-Call 'Add-LocalGroupMember' @($Group.Name, $Member.Name)
    Invoke-Failure "Add-LocalGroupMember $($Group.Name)"
}
function Set-ItemProperty {
    param($Path, $Name, $Value)
    Add-Call 'Set-ItemProperty' @($Path, $Name, $Value)
}
function Get-ItemProperty {
    param($Path)
    Add-Call 'Get-ItemProperty' $Path
    [pscustomobject]@{ ProfileImagePath = $env:STAND_IN_PROFILE }
}
function Enable-NetFirewallRule {
    param($Group)
    Add-Call 'Enable-NetFirewallRule' $Group
}
function Set-Service {
    param($Name, $StartupType)
    Add-Call 'Set-Service' @($Name, "$StartupType")
}
function Start-Service {
    param($Name, $InputObject)
    if ($InputObject) { $InputObject.Status = 'Running'; $Name = $InputObject.Name }
    Add-Call 'Start-Service' $Name
}
function Get-Service {
    [CmdletBinding()]
    param($Name)
    $global:StandInServices[$Name]
}
function Test-Path {
    param($Path)
    if ($Path -like 'HKLM:*') { return $false }
    Microsoft.PowerShell.Management\Test-Path -Path $Path
}
function curl.exe {
    Add-Call 'curl.exe' $args[-1]
    $output = $args[[array]::IndexOf($args, '--output') + 1]
    [IO.File]::WriteAllBytes($output, [byte[]](0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1, 0))
    $global:LASTEXITCODE = 0
}
function sc.exe {
    Add-Call 'sc.exe' ($args -join ' ')
    $global:LASTEXITCODE = 0
}
function Get-AuthenticodeSignature {
    param($FilePath)
    $name = [pscustomobject]@{}
    $name | Add-Member -MemberType ScriptMethod -Name Format -Value { "CN=Google LLC`r`nO=Google LLC`r`nC=US" }
    $status = 'Valid'
    if ($env:STAND_IN_MISSING -eq 'signature') { $status = 'NotSigned' }
    [pscustomobject]@{ Status = $status; SignerCertificate = [pscustomobject]@{ SubjectName = $name } }
}
function Start-Process {
    param($FilePath, $ArgumentList, [switch]$PassThru)
    Add-Call 'Start-Process' (@($FilePath) + $ArgumentList -join ' ')
    if ("$ArgumentList" -like '*discovery-client.msi*') {
        $global:StandInServices['GoogleMCDC'] = [pscustomobject]@{ Name = 'GoogleMCDC'; Status = 'Stopped' }
        if ($env:STAND_IN_MISSING -ne 'client-group') { $global:StandInGroups['S-1-5-21-8'] = 'MCDCUsers' }
    }
    $process = [pscustomobject]@{ Handle = 1; ExitCode = 0 }
    $process | Add-Member -MemberType ScriptMethod -Name WaitForExit -Value { $true } -PassThru
}

. $Script
