import { Ec2StandIn, type Fleet } from "../../lab/inventory/ec2-stand-in";
import { programFolder } from "../../support/google-stand-in-scripts";

/** Number of VMs to import. */
export const AWS_MACHINES = 3;

/** A few VMs, one of them terminated. */
const FLEET: Fleet = {
  machineCount: AWS_MACHINES + 1,
  machine: (index) => ({
    id: `i-${index}`,
    type: index % 2 === 0 ? "t3.micro" : "m5.large",
    state: index === AWS_MACHINES ? "terminated" : "running",
    platformDetails: "Linux/UNIX",
    privateAddress: `172.31.0.${index + 4}`,
    tags: [["Name", `web "${index}", 😀`]],
  }),
  volumeCount: AWS_MACHINES,
  volume: (index) => ({
    id: `vol-${index}`,
    sizeGib: 8,
    type: "gp3",
    attachments: [{ machineId: `i-${index}`, device: "/dev/xvda" }],
  }),
  type: (name) => ({ name, cores: 2, mebibytes: 1024 }),
};

/** Prints what the AWS CLI would print for one VM, in a hundredth of its time. */
const QUICK_PROGRAM = `case " $* " in
  *" describe-instances "*) echo '{"InstanceId":"i-1","InstanceType":"t3.micro","State":{"Name":"running"}}' ;;
  *" describe-instance-types "*)
    echo '{"InstanceType":"t3.micro","VCpuInfo":{"DefaultVCpus":2},"MemoryInfo":{"SizeInMiB":1024}}' ;;
  *" describe-volumes "*) echo '{"VolumeId":"v","Size":8,"VolumeType":"gp3","Attachments":[{"InstanceId":"i-1"}]}' ;;
  *) exit 252 ;;
esac`;

/** Programs of the scripts with a stand-in for the AWS CLI. */
export function quickPrograms(): string {
  return programFolder({ scripts: { aws: QUICK_PROGRAM } });
}

/** AWS for one deployment: lists its VMs and records the requests. */
export function awsStandIn(): Ec2StandIn {
  return new Ec2StandIn(FLEET);
}
