import { LISTENERS, PROTOCOLS } from "./access-texts";
import { type Block, type ConfigurationFacts, type FoundResource, isEmpty } from "./configuration-facts";
import { split, withoutBrackets } from "./expression-text";

/** An open port, for the page. */
export interface OpenPort {
  /** Address of the resource that opens the port. */
  readonly address: string;
  readonly what: string;
  readonly port: string;
  readonly protocol: string;
  readonly from: string;
  readonly when: readonly string[];
}

type Opening = Pick<OpenPort, "from" | "port"> & { readonly when?: readonly string[]; readonly suffix?: string };

/** Ports that each type of resource opens. */
const OPENINGS: Readonly<Record<string, (facts: ConfigurationFacts, body: Block) => readonly Opening[]>> = {
  google_cloud_run_v2_service: serviceOpening,
  google_compute_global_forwarding_rule: (_, body) => [{ port: `TCP ${String(body.port_range)}`, from: INTERNET }],
  google_compute_forwarding_rule: (facts, body) => [
    {
      port: `TCP ${String(body.port_range)}`,
      from: [
        `the network in ${inputWithValue(facts, "network")}`,
        ...(body.allow_global_access === true ? ["from every region"] : []),
      ].join(", "),
    },
  ],
  google_compute_firewall: firewallOpening,
  google_compute_instance: (facts, body) => [{ port: "as the rules allow", from: addressOf(facts, body) }],
  google_container_cluster: clusterOpening,
  google_sql_database_instance: databaseOpening,
  kubernetes_ingress_v1: () => [{ port: "TCP 443", from: INTERNET }],
  kubernetes_network_policy_v1: policyOpening,
  kubernetes_service_v1: (_, { spec }) => {
    const { port, type } = spec as { readonly port: readonly Block[]; readonly type: string };
    const from = type === "LoadBalancer" ? INTERNET : "the cluster, as far as its pods allow";
    return port.map((each) => ({ port: `${String(each.protocol)} ${String(each.port)}`, from }));
  },
};

const INTERNET = "the Internet";

/** Types of resources that open a port. */
export const OPENING_TYPES: readonly string[] = Object.keys(OPENINGS);

/** All open ports of a folder. */
export function openPorts(facts: ConfigurationFacts): readonly OpenPort[] {
  const found = facts.resources.filter(({ type }) => OPENINGS[type] !== undefined);
  const order = Object.keys(LISTENERS);
  return found
    .flatMap((resource) => portsOf(facts, resource))
    .sort((one, other) => order.indexOf(one.address) - order.indexOf(other.address));
}

/** @throws Error for an open port without a text */
function portsOf(facts: ConfigurationFacts, { body, name, type }: FoundResource): readonly OpenPort[] {
  const address = `${type}.${name}`;
  const openings = OPENINGS[type]?.(facts, body) ?? [];
  if (openings.length === 0) return [];
  const what = LISTENERS[address];
  if (what === undefined) throw new Error(`${address} opens a port, and has no text; add it to LISTENERS`);
  const ofResource = facts.conditionsOf(body);
  return openings.map(({ from, port, suffix = "", when = [] }) => ({
    address,
    what: `${what}${suffix}`,
    port,
    from,
    protocol: protocolOf(address, port),
    when: [...new Set([...ofResource, ...when])],
  }));
}

function protocolOf(address: string, port: string): string {
  if (!/\d/.test(port)) return "";
  const numbers = port.match(/\d+/g) ?? [];
  const protocols = numbers.map((number) => PROTOCOLS[`${address} ${number}`] ?? PROTOCOLS[number]);
  if (protocols.includes(undefined)) throw new Error(`${address} opens ${port}, which has no protocol; see PROTOCOLS`);
  return [...new Set(protocols)].join(", ");
}

function serviceOpening(facts: ConfigurationFacts, { default_uri_disabled: disabled }: Block): readonly Opening[] {
  if (disabled === true) return [];
  const [, condition] = /^\$\{([\s\S]*)\}$/.exec(String(disabled)) ?? [];
  const [closed] = condition === undefined ? [] : facts.inWords(condition);
  const [, input] = /^var[.](\w+)$/.exec(condition ?? "") ?? [];
  if (input !== undefined && facts.defaultOf(input) === true)
    return [{ port: "TCP 443", from: `nobody, unless \`${input} = false\`: then ${INTERNET}` }];
  return [{ port: "TCP 443", from: closed === undefined ? INTERNET : `${INTERNET}; ${closed} nobody` }];
}

/** The address of a VM from outside its network. */
function addressOf(facts: ConfigurationFacts, { network_interface: interfaces }: Block): string {
  const [first] = interfaces as readonly {
    readonly access_config?: unknown;
    readonly dynamic?: { access_config: Block };
  }[];
  if (first?.access_config !== undefined) return "its public address, and its network";
  const each = first?.dynamic?.access_config.for_each;
  const [, condition] = /^\$\{([\s\S]*) \? \[[\s\S]*\] : \[\]\}$/.exec(String(each)) ?? [];
  const when = condition === undefined ? [] : facts.inWords(condition);
  return when.length === 0
    ? "its network; it has no public address"
    : `its network; ${when.join(", ")} the Internet too, by its public address`;
}

function firewallOpening(facts: ConfigurationFacts, body: Block): readonly Opening[] {
  const allowed = body.allow as readonly { readonly protocol: string; readonly ports?: readonly string[] }[];
  const from = rangesIn(facts, body.source_ranges);
  return allowed.map(({ ports = [], protocol }) => ({
    port: protocol === "all" ? "every port" : `${protocol.toUpperCase()} ${ports.join(", ")}`.trim(),
    from,
  }));
}

function clusterOpening(facts: ConfigurationFacts, { dynamic = {}, master_authorized_networks_config: fixed }: Block) {
  const { master_authorized_networks_config: optional } = dynamic as Readonly<Record<string, Block>>;
  const { content, for_each: each } = (optional ?? {}) as { readonly content?: Block; readonly for_each?: unknown };
  const block = (content ?? fixed ?? {}) as { readonly dynamic?: { readonly cidr_blocks: Block } };
  const ranges = block.dynamic?.cidr_blocks.for_each;
  const from = ranges === undefined ? "whoever Google lets in by its DNS name" : rangesIn(facts, ranges);
  const isOptional = each !== undefined;
  const byName = isOptional ? '; with `control_plane_endpoint = "dns"` by its DNS name instead' : "";
  return [{ port: "TCP 443", from: `${from}${byName}` }];
}

/** Only the proxy can connect, because the instance requires a connector and no network is authorized. */
function databaseOpening(facts: ConfigurationFacts, { settings }: Block): readonly Opening[] {
  const { ip_configuration: ip } = settings as { readonly ip_configuration: Block };
  const isPublic = ip.ipv4_enabled;
  const [, condition] = /^\$\{([\s\S]*)\}$/.exec(String(isPublic)) ?? [];
  const port = "TCP 3307";
  const open = "the Internet, but only through the proxy, by accounts with `roles/cloudsql.client`";
  const publicly =
    isPublic === false
      ? []
      : [
          {
            port,
            suffix: "; public address",
            from: open,
            when: condition === undefined ? [] : facts.inWords(condition),
          },
        ];
  const { private_network: network } = ip;
  if (network === undefined || network === null) return publicly;
  const [name = "network"] = facts.inputsIn(network);
  const when = facts.defaultOf(name) === null ? [`with \`${name}\``] : [];
  const privately = { port, suffix: "; private address", from: `the network in ${inputWithValue(facts, name)}`, when };
  return [...publicly, privately];
}

interface PolicyRule {
  readonly dynamic?: Readonly<Record<"from" | "ports", Block>>;
  readonly from?: readonly Block[];
  readonly ports?: readonly Block[];
}

function policyOpening(facts: ConfigurationFacts, { spec }: Block): readonly Opening[] {
  const { ingress, policy_types: types } = spec as {
    readonly ingress?: readonly PolicyRule[];
    readonly policy_types: string[];
  };
  if (!types.includes("Ingress")) return [];
  if (ingress === undefined) return [{ port: "none", from: "nobody" }];
  return ingress.flatMap(({ dynamic, from = [], ports = [] }) => {
    const peers = (when: readonly string[]) =>
      [
        ...(dynamic?.from === undefined ? [] : [rangesIn(facts, dynamic.from.for_each, when)]),
        ...from.map((peer) => peerOf(peer)),
      ].join("; ");
    const listed = ports.map((each) => ({ port: `${String(each.protocol)} ${String(each.port)}`, from: peers([]) }));
    const chosen = dynamic?.ports === undefined ? [] : choicesIn(dynamic.ports.for_each);
    const dynamicPorts = chosen.flatMap(({ condition, value }) =>
      (value.match(/\d+/g) ?? []).map((port) => ({ port, when: condition })),
    );
    const numbers = [...new Set(dynamicPorts.map(({ port }) => port))];
    const optional = numbers.map((port) => {
      const conditions = dynamicPorts.filter((each) => each.port === port).map(({ when }) => when);
      const isAlways = conditions.length === chosen.length;
      const when = isAlways ? [] : conditions.flatMap((each) => facts.inWords(each));
      return { port: `TCP ${port}`, from: peers(when), when };
    });
    return [...listed, ...optional];
  });
}

const peerOf = (peer: Block): string =>
  "namespace_selector" in peer ? "pods of the namespace of the outposts" : "pods of the namespace";

interface Choice {
  readonly condition: string;
  readonly value: string;
}

/** The values of an expression, each with its condition. */
function choicesIn(value: unknown): readonly Choice[] {
  const text = withoutBrackets(/^\$\{([\s\S]*)\}$/.exec(String(value))?.[1]?.trim() ?? JSON.stringify(value));
  const [condition = "", branches] = split(text, " ? ").length > 1 ? cut(text, " ? ") : [];
  if (branches === undefined) return [{ condition: "", value: text }];
  const [first, second] = cut(branches, " : ");
  const inside = (branch: string, own: string) =>
    choicesIn(`\${${branch}}`).map((each) => ({
      ...each,
      condition: each.condition === "" ? own : `${own} && ${each.condition}`,
    }));
  return [...inside(first, grouped(condition)), ...inside(second, opposite(condition))];
}

function cut(text: string, separator: string): [string, string] {
  const [first = "", ...others] = split(text, separator);
  return [first, others.join(separator)];
}

/** A condition to which another one can be added. */
const grouped = (condition: string): string => (split(condition, " || ").length > 1 ? `(${condition})` : condition);

export function opposite(condition: string): string {
  const bare = withoutBrackets(condition.trim());
  for (const [separator, other] of [
    [" || ", " && "],
    [" && ", " || "],
  ] as const) {
    const parts = split(bare, separator);
    if (parts.length > 1) return `(${parts.map(opposite).join(other)})`;
  }
  const isSize = bare.startsWith("length(");
  for (const [operator, other] of [
    [" != ", " == "],
    [" == ", isSize && bare.endsWith(" 0") ? " > " : " != "],
    [" > ", " == "],
  ] as const) {
    const [left = "", right, ...more] = split(bare, operator);
    const isKnown = operator !== " > " || (isSize && right === "0");
    if (right !== undefined && more.length === 0 && isKnown) return `${left}${other}${right}`;
  }
  if (/^![^ ]+$/.test(bare)) return bare.slice(1);
  return bare.includes(" ") ? `!(${bare})` : `!${bare}`;
}

/** Address ranges of an expression in words, each with its condition. */
function rangesIn(facts: ConfigurationFacts, value: unknown, known: readonly string[] = []): string {
  const choices = choicesIn(value).map(({ condition, value: chosen }) => {
    const [, excluded] = /\bif range != "([^"]+)"/.exec(chosen) ?? [];
    const literals = chosen.replace(/\bif range != "[^"]+"/, "").match(RANGE) ?? [];
    const ranges = [...new Set(literals)].map((range) => `\`${range}\``);
    const inputs = facts.inputsIn(chosen).map((name) => inputWithValue(facts, name));
    const text = [...ranges, ...inputs].join(", ") + (excluded === undefined ? "" : `, without \`${excluded}\``);
    return { text, when: condition === "" ? [] : facts.inWords(condition) };
  });
  const certain = choices.find(({ when }) => when.length > 0 && when.every((phrase) => known.includes(phrase)));
  if (certain !== undefined) return certain.text;
  return choices.map(({ text, when }) => (when.length === 0 ? text : `${when.join(" and ")}: ${text}`)).join("; ");
}

const RANGE = /\d+[.]\d+[.]\d+[.]\d+\/\d+/g;

/** An input, with its value in this folder if it has one. */
function inputWithValue(facts: ConfigurationFacts, name: string): string {
  return isEmpty(facts.defaultOf(name) ?? null) ? `\`${name}\`` : facts.inputInWords(name);
}
