import { programFolder } from "../../support/google-stand-in-scripts";

/** Prints what the AWS CLI would print for one VM, to the scoped key alone and in a hundredth of its time. */
const AWS_PROGRAM = `case "$AWS_ACCESS_KEY_ID" in "" | AKIABOOTSTRAP*) exit 254 ;; esac
case " $* " in
  *" describe-instances "*) echo '{"InstanceId":"i-1","InstanceType":"t3.micro","State":{"Name":"running"}}' ;;
  *" describe-instance-types "*)
    echo '{"InstanceType":"t3.micro","VCpuInfo":{"DefaultVCpus":2},"MemoryInfo":{"SizeInMiB":1024}}' ;;
  *" describe-volumes "*) echo '{"VolumeId":"v","Size":8,"VolumeType":"gp3","Attachments":[{"InstanceId":"i-1"}]}' ;;
  *) exit 252 ;;
esac`;

/** Programs of the scripts with a stand-in for the AWS CLI. */
export function quickPrograms(): string {
  return programFolder({ scripts: { aws: AWS_PROGRAM } });
}
