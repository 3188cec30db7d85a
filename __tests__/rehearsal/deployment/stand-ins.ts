import { type GoogleStandIn } from "../../support/google-stand-in";
import { programFolder } from "../../support/google-stand-in-scripts";

const TOKEN = "ya29.first";

/** Short pauses for the scripts, because the stand-ins answer at once. */
const FAST_SCRIPTS = { REST_POLL_SECONDS: "0.02", REST_RETRY_BASE_SECONDS: "0.01", REST_TRIES: "4" };

/** Prints what the AWS CLI would print for one VM, to the scoped key alone and in a hundredth of its time. */
const AWS_PROGRAM = `case "$AWS_ACCESS_KEY_ID" in "" | AKIABOOTSTRAP*) exit 254 ;; esac
case " $* " in
  *" describe-instances "*) echo '{"InstanceId":"i-1","InstanceType":"t3.micro","State":{"Name":"running"}}' ;;
  *" describe-instance-types "*)
    echo '{"InstanceType":"t3.micro","VCpuInfo":{"DefaultVCpus":2},"MemoryInfo":{"SizeInMiB":1024}}' ;;
  *" describe-volumes "*) echo '{"VolumeId":"v","Size":8,"VolumeType":"gp3","Attachments":[{"InstanceId":"i-1"}]}' ;;
  *) exit 252 ;;
esac`;

let programs: string | undefined;

/**
 * Environment in which a program meets stand-ins alone, at these addresses; undefined in `further` removes a variable.
 */
export function standInEnvironment(
  addresses: Readonly<Record<string, string>>,
  further: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const environment: Record<string, string | undefined> = {
    ...addresses,
    ...FAST_SCRIPTS,
    // Less garbage collection: the runs are short, and several share the cores.
    GOGC: "800",
    GOMAXPROCS: "1",
    GOOGLE_OAUTH_ACCESS_TOKEN: TOKEN,
    // Only the programs that the scripts need: no gcloud with a developer's account, for example.
    PATH: (programs ??= programFolder({ scripts: { aws: AWS_PROGRAM } })),
    ...further,
  };
  return Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** Gives a stand-in all that scripts have made in another, and what they have asked it. */
export function copyWhatScriptsSee(from: GoogleStandIn, to: GoogleStandIn): void {
  to.loadBalancers.copyFrom(from.loadBalancers);
  from.usage.enabled.forEach((api) => to.usage.enabled.add(api));
  from.registry.digests.forEach((digest, image) => to.registry.digests.set(image, digest));
  from.sql.backups.forEach((backup, name) => to.sql.backups.set(name, backup));
  from.migration.sources.forEach((source, name) => to.migration.sources.set(name, source));
  to.requests.push(...from.requests);
}
