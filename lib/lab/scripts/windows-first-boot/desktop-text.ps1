# Part of windows-first-boot.ps1: the text on the desktop with the next steps, and the addresses to scan in it.
#
# Reads nearly all of $script:Values, and $MostTargets.

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
