# Part of windows-first-boot.ps1: puts the tables of a sample import, as an archive, into the Downloads folders.
#
# Reads sampleImportName and sampleImportFiles of $script:Values, and $script:ProfilePath.

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
