#!/bin/sh
# The inventory as one writes it first: the AWS CLI collects everything, and jq reads it in one piece.
set -eu

cd "$INVENTORY_FOLDER"
list() {
  aws --endpoint-url "$AWS_ENDPOINT_URL" --region us-east-1 --output json ec2 "$@"
}

list describe-instances >instances.json
jq -r '[.Reservations[].Instances[].InstanceType] | unique[]' instances.json >names
xargs -n 100 aws --endpoint-url "$AWS_ENDPOINT_URL" --region us-east-1 --output json ec2 describe-instance-types \
  --instance-types <names >types.json
list describe-volumes >volumes.json

jq -r '.Volumes[] as $volume | $volume.Attachments[]
  | [.InstanceId, .Device, $volume.Size, "", $volume.VolumeType] | @csv' volumes.json >diskInfo.csv
jq -r --slurpfile types types.json '
  ([$types[].InstanceTypes[] | {key: .InstanceType, value: .}] | from_entries) as $known
  | .Reservations[].Instances[]
  | (first(.Tags[]? | select(.Key == "Name") | .Value) // .InstanceId) as $name
  | .NetworkInterfaces[0] as $card
  | [.InstanceId, $name, $card.PrivateIpAddress, $card.MacAddress, $card.Association.PublicIp, "", 0, 0, .InstanceType,
     .CpuOptions.CoreCount * .CpuOptions.ThreadsPerCore, $known[.InstanceType].MemoryInfo.SizeInMiB / 1024, "us-east-1",
     .PlatformDetails, "", "", "", .State.Name, "", .LaunchTime, 0, "AWS"] | @csv' instances.json >vmInfo.csv
jq -r '.Reservations[].Instances[] | .InstanceId as $id | .Tags[]? | [$id, .Key, .Value] | @csv' \
  instances.json >tagInfo.csv
