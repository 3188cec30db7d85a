"""Takes the stand-in of the assessment service through the whole import protocol with the official client library.

Scripts and stand-in are by the same hand; this client is not, so the two cannot agree on a mistake. Prints one JSON
document with what it saw; any surprise is an exception.

    official-client.py HOST PROJECT REGION FOLDER
"""

import json
import pathlib
import sys
import uuid

import google.api_core.exceptions
import google.auth.transport.requests
import google.oauth2.credentials
import requests
from google.cloud import migrationcenter_v1 as mc
from google.cloud.migrationcenter_v1.services.migration_center.transports import rest
from google.protobuf import json_format

host, project, region, folder = sys.argv[1:]

# The library writes enumerations as numbers and asks for them as such, which the service takes besides their names. The
# scripts and their stand-in use names alone.
by_number = json_format.MessageToJson


def by_name(message, *arguments, **options):
    options["use_integers_for_enums"] = False
    return by_number(message, *arguments, **options)


json_format.MessageToJson = by_name


class NamesSession(google.auth.transport.requests.AuthorizedSession):
    def request(self, method, url, **options):
        options["params"] = [(key, value) for key, value in options.get("params") or [] if key != "$alt"]
        return super().request(method, url, **options)


rest.AuthorizedSession = NamesSession
parent = f"projects/{project}/locations/{region}"
transport = rest.MigrationCenterRestTransport(
    host=f"{host}/migrationcenter",
    url_scheme="http",
    credentials=google.oauth2.credentials.Credentials("ya29.first"),
)
client = mc.MigrationCenterClient(transport=transport)


def ended(operation):
    """The polling pauses of the library suit the real service."""
    return operation.result(timeout=60)


seen = {}
source = ended(
    client.create_source(
        parent=parent,
        source_id="official-client",
        source=mc.Source(display_name="Official client", type_=mc.Source.SourceType.SOURCE_TYPE_UPLOAD),
    )
)
assert source.state == mc.Source.State.ACTIVE, source
try:
    client.create_source(parent=parent, source_id="official-client", source=source)
    raise AssertionError("a second source of the same id was taken")
except google.api_core.exceptions.Conflict:
    pass
source = ended(
    client.update_source(
        request=mc.UpdateSourceRequest(
            source=mc.Source(name=source.name, display_name="Renamed"), update_mask={"paths": ["display_name"]}
        )
    )
)
seen["source"] = client.get_source(name=source.name).display_name

request = mc.CreateImportJobRequest(
    parent=parent,
    import_job_id="official-job",
    import_job=mc.ImportJob(display_name="Official", asset_source=source.name),
    request_id=str(uuid.uuid4()),
)
job = ended(client.create_import_job(request=request))
assert job.state == mc.ImportJob.ImportJobState.IMPORT_JOB_STATE_PENDING, job
# The same request once more is answered with the same operation.
assert ended(client.create_import_job(request=request)).name == job.name

for path in sorted(pathlib.Path(folder).glob("*.csv")):
    data_file = ended(
        client.create_import_data_file(
            parent=job.name,
            import_data_file_id=path.name.lower().replace(".", "-"),
            import_data_file=mc.ImportDataFile(
                display_name=path.name, format_=mc.ImportJobFormat.IMPORT_JOB_FORMAT_EXPORTED_AWS_CSV
            ),
        )
    )
    info = data_file.upload_file_info
    answer = requests.put(info.signed_uri, data=path.read_bytes(), headers=dict(info.headers), timeout=10)
    assert answer.status_code == 200, answer.text
    refused = {
        "post": requests.post(info.signed_uri, data=b"x", headers=dict(info.headers), timeout=10).status_code,
        "type": requests.put(
            info.signed_uri, data=b"x", headers={**info.headers, "Content-Type": "text/csv"}, timeout=10
        ).status_code,
        "token": requests.put(
            info.signed_uri, data=b"x", headers={**info.headers, "Authorization": "Bearer x"}, timeout=10
        ).status_code,
    }
    assert all(status >= 400 for status in refused.values()), refused
seen["files"] = sorted(item.display_name for item in client.list_import_data_files(parent=job.name))

ended(client.validate_import_job(name=job.name))


def awaited(*states):
    """The end of an operation is not yet the end of the phase."""
    for _ in range(20):
        current = client.get_import_job(name=job.name)
        if current.state.name.removeprefix("IMPORT_JOB_STATE_") in states:
            return current
    raise AssertionError(current)


validated = awaited("READY", "FAILED_VALIDATION")
seen["validated"] = validated.state.name
seen["validation"] = [report.file_name for report in validated.validation_report.file_validations]
ended(client.run_import_job(name=job.name))
completed = awaited("COMPLETED", "FAILED")
seen["completed"] = completed.state.name
seen["frames"] = completed.execution_report.frames_reported
seen["rows"] = completed.execution_report.total_rows_count

seen["assets"] = sorted(
    [asset.machine_details.machine_name, asset.machine_details.guest_os.os_name, list(asset.sources)]
    for asset in client.list_assets(
        request=mc.ListAssetsRequest(parent=parent, page_size=1, view=mc.AssetView.ASSET_VIEW_FULL)
    )
)
seen["basic"] = [bool(asset.machine_details.machine_name) for asset in client.list_assets(parent=parent)]
seen["jobs"] = [item.state.name for item in client.list_import_jobs(parent=parent)]

try:
    client.delete_import_job(name=job.name)
    raise AssertionError("a job with files was deleted without force")
except google.api_core.exceptions.BadRequest:
    pass
ended(client.delete_import_job(request=mc.DeleteImportJobRequest(name=job.name, force=True)))
seen["assetsAfterDelete"] = len(list(client.list_assets(parent=parent)))
ended(client.delete_source(name=source.name))
seen["sourcesAfterDelete"] = len(list(client.list_sources(parent=parent)))
try:
    client.get_source(name=source.name)
    raise AssertionError("a deleted source was read")
except google.api_core.exceptions.NotFound:
    pass

print(json.dumps(seen))
