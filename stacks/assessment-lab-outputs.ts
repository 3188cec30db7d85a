import { prose } from "../lib/core/prose";
import { type AssessmentLab } from "../lib/lab/assessment-lab";
import { LAB_PASSWORD, LAB_USER, SSH_CREDENTIAL_NAME, SSH_KEY_OBJECT_NAME } from "../lib/lab/contract";
import { type OutputTable } from "./output-table";

/** Names and addresses. The descriptions contain one password, which is the same in every lab. */
export function assessmentLabOutputs(lab: AssessmentLab): OutputTable {
  return {
    deployment_id: [lab.deploymentId, "Suffix used in all names."],
    project_id: [lab.projectId, "Project that the lab is in."],
    windows_vm_name: [lab.windowsVmName, "Name of the Windows VM; null when there is none."],
    windows_vm_external_ip: [
      lab.windowsVmExternalIp,
      prose`
        Address for remote desktop; null when there is no Windows VM.
        With windows_external_ip = false it is null too: run gcloud compute start-iap-tunnel <windows_vm_name>
        3389 --local-host-port=localhost:3389 --project=<project_id> --zone=<zone>, and connect to localhost.
        Sign in as ${LAB_USER} with the password ${LAB_PASSWORD}, which every lab has:
        keep nothing of value on the VM, and destroy it after the session.
        With windows_password = unknown the password is not known; once the VM is ready,
        set one with gcloud compute reset-windows-password <windows_vm_name> --user=${LAB_USER}
        --project=<project_id> --zone=<zone>.
      `,
    ],
    linux_vm_names: [lab.linuxVmNames, "Names of the Linux VMs, the scan targets."],
    linux_vm_internal_ips: [
      lab.linuxVmInternalIps,
      "Internal addresses of the Linux VMs, for the IP scan range of the discovery client.",
    ],
    ssh_key_bucket_name: [
      lab.sshKeyBucketName,
      prose`
        Bucket with the private key ${SSH_KEY_OBJECT_NAME}; null when there is none.
        Read access to the bucket or to the Terraform state is access to the Linux VMs: limit both.
        For another key, apply once with -replace=${lab.sshKeyAddress}, then restart the Linux VMs,
        which accept the old key until then.
      `,
    ],
    ssh_key_user: [
      lab.sshKeyUser,
      prose`
        User name for the SSH credential ${SSH_CREDENTIAL_NAME} of the discovery client; with os_login,
        that of your profile instead, which gcloud compute os-login describe-profile prints.
      `,
    ],
    assess_discovery_client_name: [
      lab.assessDiscoveryClientName,
      "Name to type into the discovery client at sign-in, capitals included.",
    ],
    assessment_service_url: [lab.assessmentServiceUrl, "Address of Migration Center in the console."],
    assess_source_id: [lab.assessSourceId, "Id of the registered discovery source; null when initialization is off."],
    vpc_name: [lab.vpcName, "Name of the lab's network."],
    cloudb_iam_user_arn: [lab.awsUserArn, "ARN of the read-only user in AWS; null without AWS credentials."],
  };
}
