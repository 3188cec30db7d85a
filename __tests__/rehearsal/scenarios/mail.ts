import { type Inputs } from "../deployment/deployment";
import { type Action } from "../deployment/steps";
import { type ChangeScenario } from "../engine/journey";
import { type CloudObject } from "../project/cloud";
import { resolvedEnvironment } from "../project/google-workloads";
import { membersOf, textAt, valueAt } from "../project/terraform-value";
import { all, withInputs } from "./every-stack";
import { environmentOf, othersPayload } from "./settings";

const smtp = (given: Inputs, version: number) => ({
  smtp: {
    host: "smtp.example.com",
    from: "Sign-in <idp@example.com>",
    username: "idp",
    password_secret: { secret_id: "smtp-password", version },
    ...given,
  },
});

/** Asks for all that there can be for mail. */
export const WITH_MAIL = smtp({}, 1);

const SETTINGS = ["FROM", "HOST", "PASSWORD", "PORT", "TIMEOUT", "USERNAME", "USE_SSL", "USE_TLS"];

/** What a container is told of the server above, with a version of its password. */
const told = (version: number, further: Readonly<Record<string, string>>): Readonly<Record<string, string>> => ({
  ...{ HOST: "smtp.example.com", USERNAME: "idp", FROM: "Sign-in <idp@example.com>", ...further },
  PASSWORD: othersPayload("smtp-password", "my-project", version),
});

/** What the application, and the job for a test mail, are told of mail. */
function requireMail(expected: Readonly<Record<string, string>>): ChangeScenario["verify"] {
  return (deployment) => {
    const { cloud } = deployment;
    const jobs = cloud.ofType("google_cloud_run_v2_job").filter(({ id }) => id.endsWith("-test-mail"));
    const template = ({ values }: CloudObject) => valueAt(values, "template.0.template.0");
    const environments = [
      environmentOf(deployment),
      ...jobs.map((job) => resolvedEnvironment(cloud, { project: "my-project", template: template(job) })),
    ];
    for (const environment of environments) {
      const wrong = SETTINGS.filter((name) => environment[`IDP_EMAIL__${name}`] !== expected[name]);
      if (wrong.length > 0) throw new Error(`a container sees other values of ${wrong.join(", ")}`);
    }
    const policies = cloud.ofType("kubernetes_network_policy_v1").filter(({ id }) => id.endsWith("-outbound"));
    if (cloud.podEnvironments.size > 0 && policies.length !== 1)
      throw new Error("there is no policy of what pods reach");
    for (const policy of policies) requirePorts(policy, expected.PORT);
  };
}

/** Pods may go out to HTTPS, the proxy's port, and that of the mail server, if there is one. */
function requirePorts({ values }: CloudObject, port: string | undefined): void {
  const anywhere = membersOf(valueAt(values, "spec.0.egress")).filter(
    (rule) => textAt(rule, "to.0.ip_block.0.cidr") === "0.0.0.0/0",
  );
  const ports = anywhere.flatMap((rule) => membersOf(valueAt(rule, "ports")).map((each) => textAt(each, "port")));
  const expected = ["3307", "443", ...(port === undefined ? [] : [port])];
  if (ports.sort().join() !== expected.sort().join())
    throw new Error(`pods may connect to ${ports.join()}, not ${expected.join()}`);
}

/** What each step of a mail server does beside rolling it out. */
interface MailActions {
  readonly rollout: Readonly<Record<string, Action>>;
  /** What comes and goes with the mail server. */
  readonly parts: readonly string[];
  /** What of it changes with the server's settings. */
  readonly changing: readonly string[];
}

/** A mail server comes, changes and goes. */
export function mailChanges({ changing, parts, rollout }: MailActions): readonly ChangeScenario[] {
  return [
    {
      name: "a mail server",
      change: withInputs(WITH_MAIL),
      expected: { ...rollout, ...all("create", parts) },
      verify: requireMail(told(1, { PORT: "587", USE_TLS: "true", USE_SSL: "false", TIMEOUT: "10" })),
    },
    {
      name: "another port, encryption and password of the mail server",
      change: withInputs(smtp({ port: 465, encryption: "tls", timeout: 60 }, 2)),
      expected: { ...rollout, ...all("update", changing) },
      verify: requireMail(told(2, { PORT: "465", USE_TLS: "false", USE_SSL: "true", TIMEOUT: "60" })),
    },
    {
      name: "no mail server any more",
      change: withInputs({ smtp: undefined }),
      expected: { ...rollout, ...all("delete", parts) },
      verify: requireMail({}),
    },
  ];
}
