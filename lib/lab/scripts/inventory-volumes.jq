# Lines `<instance id> 1 <device> <GiB> <type>`, one per attachment.
. as $volume | .Attachments[]? | select(.InstanceId != null and .State != "detached")
| [.InstanceId, "1", .Device // $volume.VolumeId, ($volume.Size | tostring), $volume.VolumeType // ""] | join("\t")
