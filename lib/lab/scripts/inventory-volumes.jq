# Lines `<instance id> 1 <device> <GiB> <type>`, one per attachment.
. as $volume | (.VolumeId // error("no list of volumes")) as $id
| .Attachments[]? | select(.InstanceId != null and .State != "detached")
| [.InstanceId, "1", .Device // $id, ($volume.Size | tostring), $volume.VolumeType // ""] | join("\t")
