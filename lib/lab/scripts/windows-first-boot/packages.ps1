# Part of windows-first-boot.ps1: installs packages, of which the browser is nothing more.
#
# Reads packagePublisher and browserPackageUrl of $script:Values, $WorkFolder, $PackageSignature, and the variables whose
# names begin with $Download, $Install and $Exit.

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
