import { documentedStacks } from "../tools/documented-stacks";
import { offeredScripts, untruth, type Offer } from "./documented-command";

const SERVERLESS = "cdktf.out/stacks/idp-serverless";

let offer: Offer;

beforeAll(async () => {
  offer = { copies: new Map(), scripts: offeredScripts(), stacks: await documentedStacks() };
});

describe("The judge of documented commands", () => {
  it.each([
    ["sh cdktf.out/stacks/idp-serverless/scripts/restore.sh everything", "scripts/restore.sh has no option everything"],
    [
      "sh cdktf.out/stacks/idp-serverless/scripts/restore.sh dump latest --now",
      "scripts/restore.sh has no option --now",
    ],
    ['eval "$(terraform -chdir=cdktf.out/stacks/idp-serverless output -raw password)"', "there is no output password"],
    ["eval PATH=.", "only an output is evaluated"],
    ["npm publish", "npm publish is not used here"],
    ["npm install", "npm install names no package; npm ci takes the lock file"],
    ["npm install cdktf@1.0.0", "cdktf@1.0.0 is neither the library nor a peer of it"],
    ["npm run deploy", "package.json has no script deploy"],
    ["npm run synth idp-serverless", 'npm keeps idp-serverless from the script; "--" comes before'],
    ["npm run synth -- idp-severless", "there is no stack idp-severless"],
    ["npm run check -- --fix", "check takes no --fix"],
    [
      "terraform -chdir=cdktf.out/stacks/idp-serverless apply -var-file=my.tfvars",
      "my.tfvars is not a file of inputs with its whole path",
    ],
    ["npm run rehearse -- idp-serverless --keeps", "the rehearsal has no option --keeps"],
    ["npm run rehearse:schemas -- ../identity-provider --keep", "the rehearsal has no option --keep"],
    ["STATE_BUCKET=my-states npm run synth", "the synthesis does not read STATE_BUCKET"],
    ["STATE_BACKEND=gcs npm run check", "npm does not read STATE_BACKEND"],
    ["CDKTF_OUTDIR=there terraform -chdir=there init", "terraform does not read CDKTF_OUTDIR"],
    ["npx jest __tests__/no-such", "there is no __tests__/no-such"],
    ["npx jest --watch __tests__/core", "there is no --watch"],
    ["npx cdktf-cli@0.20 list", "the framework's command line is cdktf-cli@0.21, not cdktf-cli@0.20"],
    ["npx cdktf-cli@0.21 apply idp-serverless", "cdktf apply is not used here"],
    ["npx cdktf-cli@0.21 list --all", "cdktf list takes no --all"],
    ["npx cdktf-cli@0.21 deploy", "there is no stack "],
    ["npx cdktf-cli@0.21 deploy idp-serverless --var=no_such=1", "the stack has no input no_such"],
    ["npx cdktf-cli@0.21 deploy idp-serverless --yes", "the option -yes is not used here"],
    ["terraform -chdir=cdktf.out/stacks/other init", "cdktf.out/stacks/other is not the folder of a stack"],
    ["terraform -chdir=../nowhere init", "../nowhere is not the folder of a stack"],
    ["terraform init", " is not the folder of a stack"],
    [`terraform -chdir=${SERVERLESS} init -upgrade`, "terraform init takes no -upgrade"],
    [`terraform -chdir=${SERVERLESS} taint`, "terraform taint is not used here"],
    [`terraform -chdir=${SERVERLESS} apply`, "the required input project_id is not given"],
    [`terraform -chdir=${SERVERLESS} apply -var project_id=p -var no_such=1`, "the stack has no input no_such"],
    [
      "terraform -chdir=cdktf.out/stacks/assessment-lab apply -var project_id=p -var 'domain=a.b'",
      "the stack has no input domain",
    ],
    [`terraform -chdir=${SERVERLESS} apply -var project_id=p -var public_access=no`, "no is no bool for public_access"],
    [
      `terraform -chdir=${SERVERLESS} apply -var-file=inputs.txt`,
      "inputs.txt is not a file of inputs with its whole path",
    ],
    [
      `terraform -chdir=${SERVERLESS} destroy -var project_id=p -target=google_sql_database.other`,
      "the stack has no resource google_sql_database.other",
    ],
    [`terraform -chdir=${SERVERLESS} output cluster_name`, "there is no output cluster_name"],
    ["cp -r handed-over/stacks/other ../there", "handed-over/stacks/other is not the folder of a stack"],
    ["sh scripts/no-such.sh", "no folder has scripts/no-such.sh"],
    ["NO_SUCH=1 sh scripts/assessment-status.sh", "scripts/assessment-status.sh does not read NO_SUCH"],
    ["sh scripts/assessment-status.sh --xml", "scripts/assessment-status.sh has no option --xml"],
    ["gcloud secrets create a --data-file=a.txt --project=p", "no input is shown with the secret a"],
    ["gcloud secrets create smtp-password --project=p", "gcloud secrets create smtp-password --project=p is not known"],
    [
      'gcloud run services update "$SERVICE" --region="$REGION" --project="$PROJECT_ID" --scaling=0',
      "gcloud run services update $SERVICE --region=$REGION --project=$PROJECT_ID --scaling=0 is not known",
    ],
    [
      'kubectl --namespace "$NAMESPACE" scale "deployment/${INIT_JOB%-db-init*}-workers" --replicas=0',
      "kubectl --namespace $NAMESPACE scale deployment/${INIT_JOB%-db-init*}-workers --replicas=0 is not known",
    ],
    ["gcloud auth revoke", "gcloud auth revoke is not known"],
    [
      "gcloud compute ssl-certificate describe a --global --project=p --format='yaml(managed)'",
      "domain_next_steps has no gcloud compute ssl-certificate describe --global",
    ],
    [
      `gcloud logging read 'resource.type="http_load_balancer"' --project=p --freshness=1d --format='table(timestamp)'`,
      "the log is not read for what a policy did",
    ],
    [
      `gcloud logging read 'resource.type="http_load_balancer" AND jsonPayload.previewSecurityPolicy.result="DENY"' --project=p --freshness=1d --format='table(timestamp)'`,
      "the log of the load balancer has no jsonPayload.previewSecurityPolicy.result there",
    ],
    ["make all", "make is not a command that a reader has"],
  ])("refuses %s", (command, message) => {
    expect(untruth(command, offer)).toBe(message);
  });

  it("refuses a backend with the message of the synthesis", () => {
    expect(untruth("STATE_BACKEND=floppy npm run synth", offer)).toMatch(/^STATE_BACKEND: 1 problem\n/);
  });
});
