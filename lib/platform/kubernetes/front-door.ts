import { NetworkPolicyV1 } from "@cdktf/provider-kubernetes/lib/network-policy-v1";
import { Token, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { addDynamicBlock } from "../../core/dynamic-block";
import { expression } from "../../core/expression";
import { certificateName, NETWORK_NAME_MAX_LENGTH, objectName } from "../../core/names";
import { nameRules } from "../../core/name-rules";
import { orElse, whether } from "../../core/optional-value";
import { requireProvider } from "../../core/provider-requirements";
import { type Risk, warnOf } from "../../core/risks";
import { ifKnown, requireAll, requireProps, type Rule } from "../../core/rules";
import { ANYWHERE, FRONT_END_RANGES, PLATFORM_NAME, SERVER_HTTPS_PORT } from "./contract";
import { DOMAIN_RULE, isDomain } from "./domain";
import { passConnectionsOn, speakHttps, type Entrance, type EntranceProps } from "./entrances";
import { type KubernetesWorkload } from "./kubernetes-workload";

export interface FrontDoorProps extends EntranceProps {
  /**
   * Where visitors are sent. With a domain make the front door first, hand it to the workload as `frontDoor`, and call
   * `sendVisitorsTo` instead: the application must know the address that its visitors have passed.
   *
   * @default - told later, by `sendVisitorsTo`
   */
  readonly workload?: KubernetesWorkload;
}

/**
 * The way in: a static address that passes connections on, or a domain with a certificate and a load balancer that speaks
 * HTTPS.
 *
 * Two objects of different names, of which there is always one: the platform cannot turn one kind into the other.
 */
export class FrontDoor extends Construct {
  /** Address that visitors connect to. */
  readonly address: string;

  /** Where the application answers. */
  readonly url: string;

  /** What lets visitors in; complete once it is known where they are sent. */
  readonly opened: ITerraformDependable[] = [];

  private readonly domain: string | undefined;
  private readonly entrances: readonly Entrance[];

  constructor(
    scope: Construct,
    id: string,
    private readonly props: FrontDoorProps,
  ) {
    super(scope, id);
    requireProps(this.node.path, props, {
      deployment: true,
      namespace: true,
      port: true,
      projectId: true,
      region: true,
    });
    requireAll(this, props, RULES);
    requireProvider(this, "kubernetes");
    requireProvider(this, "google");
    const { domain } = props;
    this.domain = domain;

    const withoutDomain = passConnectionsOn(this, props);
    const withDomain = speakHttps(this, props);
    this.entrances = [withoutDomain, withDomain];

    this.address = whether(domain, withDomain.address, withoutDomain.address);
    this.url = `https://${orElse(domain, withoutDomain.address)}`;

    this.node.addValidation({ validate: () => (this.opened.length === 0 ? [LEADS_NOWHERE] : []) });
    if (props.workload === undefined) return;
    this.sendVisitorsTo(props.workload);
    if (domain !== undefined) warnOf(this, "KnownToWorkload", [unknownFrontDoorRisk(domain)]);
  }

  /** Opens the way to a workload, once. */
  sendVisitorsTo(workload: KubernetesWorkload): void {
    const visitors = this.letVisitorsIn(workload);
    this.opened.push(visitors, ...this.entrances.map(({ open }) => open(workload)));
  }

  /** What to enter at whoever manages the domain; null without one. */
  get dnsRecord(): unknown {
    const { address, domain } = this;
    // The framework takes no null for an output.
    if (domain === undefined) return expression("null");
    if (!Token.isUnresolved(domain)) return { name: domain, type: "A", value: address };
    return expression(`(${domain} != null ? { name = ${domain}, type = "A", value = ${address} } : null)`);
  }

  /** Visitors' own addresses arrive without a domain; with one, only the platform's front ends connect. */
  private letVisitorsIn({ podLabels }: KubernetesWorkload): NetworkPolicyV1 {
    const { deployment, domain, namespace, port } = this.props;
    const policy = new NetworkPolicyV1(this, "Visitors", {
      metadata: { name: objectName(deployment, "visitors"), namespace: namespace.namespaceName },
      spec: {
        podSelector: { matchLabels: { ...podLabels } },
        policyTypes: ["Ingress"],
        ingress: [{}],
      },
    });
    const path = "spec.ingress.0";
    addDynamicBlock(policy, path, "from", {
      forEach: whether(domain, JSON.stringify(FRONT_END_RANGES), JSON.stringify([ANYWHERE])),
      content: { ip_block: { cidr: "${from.value}" } },
    });
    addDynamicBlock(policy, path, "ports", {
      forEach: whether(domain, JSON.stringify([port]), JSON.stringify([port, SERVER_HTTPS_PORT])),
      content: { protocol: "TCP", port: "${ports.value}" },
    });
    return policy;
  }
}

const LEADS_NOWHERE =
  "it leads nowhere; a front door must have a workload, because visitors are sent to its pods; call sendVisitorsTo with it";

/** A workload that exists before its front door cannot know the address that its visitors come through. */
function unknownFrontDoorRisk(domain: string): Risk {
  return {
    value: domain,
    isAvoided: false,
    condition: `${domain} == null`,
    message: `domain is "${domain}" and the workload does not know its front door; from release 2026.8.1 on every visitor has the address of the load balancer, because the application takes the last address that it does not trust; make the front door first, give it to the workload as frontDoor, and call sendVisitorsTo`,
  };
}

const RULES: readonly Rule<FrontDoorProps>[] = [
  // The longest of the names that are built here; it is as long for every domain.
  ...nameRules<FrontDoorProps>(({ deployment }) => certificateName(deployment, ""), {
    ...PLATFORM_NAME,
    what: "certificate name",
    maxLength: NETWORK_NAME_MAX_LENGTH,
    lengthReason: "the platform takes no longer one",
  }),
  {
    holds: ({ domain }) => ifKnown(domain, isDomain),
    message: ({ domain }) => `domain is ${JSON.stringify(domain)}; ${DOMAIN_RULE}`,
  },
];
