import { GoogleProvider } from "@cdktf/provider-google/lib/provider";
import { RandomProvider } from "@cdktf/provider-random/lib/provider";
import { TlsProvider } from "@cdktf/provider-tls/lib/provider";
import { App, TerraformOutput } from "cdktf";
import { PortableStack } from "cdktf-idp-stacks";
import { AssessmentLab } from "cdktf-idp-stacks/lab";

const PARTICIPANTS = 10;

const app = new App();
const stack = new PortableStack(app, "training", { providers: ["google", "random", "tls"] });
new GoogleProvider(stack, "google", { project: "my-project" });
new RandomProvider(stack, "random");
new TlsProvider(stack, "tls");

const lab = new AssessmentLab(stack, "Lab", {
  projectId: "my-project",
  // One target for each participant.
  linuxVmCount: PARTICIPANTS,
  // They share one Windows VM, two at a time by remote desktop; the default size is for one user.
  windowsVmMachineType: "e2-standard-4",
  // The training room.
  sourceRanges: { rdp: ["203.0.113.0/24"] },
});
new TerraformOutput(stack, "remote_desktop", { value: lab.windowsVmExternalIp });
new TerraformOutput(stack, "targets", { value: lab.linuxVmInternalIps });
app.synth();
