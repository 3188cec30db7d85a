# Part of windows-first-boot.ps1: installs the discovery client, whose service must run, and admits the lab user to it.
#
# Reads the discovery client's package, service and group of $script:Values, and $ServiceTimeoutSeconds.

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
