# Part of windows-first-boot.ps1: the lab user, the remote desktop through which it signs in, and its profile.
#
# Reads labUser and labPassword of $script:Values, $AdministratorsSid, $RemoteDesktopUsersSid and
# $RemoteDesktopFirewallGroup; sets $script:ProfilePath.

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
