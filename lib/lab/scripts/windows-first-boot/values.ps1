# Part of windows-first-boot.ps1: reads the metadata of this VM, and the values of the lab from it.
#
# Reads $MetadataHost, $MetadataKey and $MetadataAttempts; sets $script:Values.

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
    $texts = 'labUser', 'labPassword', 'browserPackageUrl', 'discoveryClientPackageUrl', 'discoveryClientService',
    'discoveryClientGroup', 'packagePublisher', 'sampleImportName'
    foreach ($name in $texts + 'sampleImportFiles') {
        $property = $values.PSObject.Properties[$name]
        if ($null -eq $property) { throw "the metadata key $MetadataKey says nothing of $name" }
        # Without a password, one is generated.
        if ($name -eq 'sampleImportFiles' -or ($null -eq $property.Value -and $name -eq 'labPassword')) { continue }
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
