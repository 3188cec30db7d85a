import { AUTO_MODE_RANGE, EVERYWHERE, IDENTITY_AWARE_PROXY_RANGE } from "../../lib/lab/contract";
import { ConfigurationGraph, valueAt } from "../stacks/configuration-graph";
import { type Block, type Terraform } from "../support/synthesis";

/**
 * A picture of a lab in the language of Mermaid: its VMs on their network, who may reach what, and where the key is.
 *
 * Everything in it is read from the synthesized configuration.
 */
export function labPicture(terraform: Terraform): string {
  return ["```mermaid", "flowchart LR", ...new LabPicture(terraform).lines().map((line) => `  ${line}`), "```"].join(
    "\n",
  );
}

type Element = readonly [address: string, block: Block];

class LabPicture {
  private readonly graph: ConfigurationGraph;

  constructor(private readonly terraform: Terraform) {
    this.graph = new ConfigurationGraph(terraform);
  }

  lines(): string[] {
    return [...this.network(), ...this.rules(), ...this.keys()];
  }

  private elements(type: string): Element[] {
    return Object.entries(this.terraform.resource?.[type] ?? {}).map(([name, block]) => [`${type}.${name}`, block]);
  }

  private network(): string[] {
    return this.elements("google_compute_network").flatMap(([network, block]) => [
      `subgraph ${idOf(network)}["network ${this.shown(block.name)}"]`,
      ...this.hosts()
        .filter(([host]) => this.graph.startsAfter(host).includes(network))
        .map(([host, hostBlock]) => `  ${idOf(host)}["${this.descriptionOf(hostBlock)}"]`),
      "end",
    ]);
  }

  private hosts(): Element[] {
    return this.elements("google_compute_instance");
  }

  private descriptionOf(host: Block): string {
    const image = String(valueAt(host, "boot_disk.initialize_params.image"));
    const address =
      valueAt(host, "network_interface.0.access_config") === undefined ? "no public address" : "public address";
    return [this.shown(host.name), image, address].join("<br/>");
  }

  /** Each rule as an arrow from its sources to the hosts that it names, or to the network. */
  private rules(): string[] {
    const [network = ""] = this.elements("google_compute_network").map(([address]) => address);
    return this.elements("google_compute_firewall").flatMap(([, rule]) => {
      const tags = (rule.target_tags ?? []) as string[];
      const tagged = this.hosts().filter(([, { tags: own = [] }]) =>
        (own as string[]).some((tag) => tags.includes(tag)),
      );
      const targets = tags.length === 0 ? [network] : tagged.map(([host]) => host);
      // A list, or the name of an input that holds one.
      const ranges = [rule.source_ranges].flat().flatMap((range) => this.shown(range).split(","));
      return ranges.flatMap((range) =>
        targets.map((target) => `${sourceNode(range)} -->|"${this.allowed(rule)}"| ${idOf(target)}`),
      );
    });
  }

  private allowed(rule: Block): string {
    const name = this.shown(rule.name).replace(/^assess-‹id›-/, "");
    const protocols = (rule.allow as { protocol: string; ports?: string[] }[]).map(({ protocol, ports = [] }) =>
      [protocol, ...(ports.length === 0 ? [] : [ports.join(", ")])].join(" "),
    );
    return `${name}: ${protocols.join("; ")}`;
  }

  /** From the key pair to everything that is made from it, and from the bucket to what lies in it. */
  private keys(): string[] {
    const [key = ""] = this.elements("tls_private_key").map(([address]) => address);
    const file = this.elements("google_storage_bucket_object").flatMap(([address, block]) =>
      this.elements("google_storage_bucket").map(
        ([, bucket]) => `${idOf(address)}[("bucket ${this.shown(bucket.name)}<br/>${this.shown(block.name)}")]`,
      ),
    );
    const [pair] = this.elements("tls_private_key").map(
      ([, { algorithm, rsa_bits: bits }]) => `${idOf(key)}(["key pair ${String(algorithm)} ${String(bits)}"])`,
    );
    const users = [...this.hosts(), ...this.elements("google_storage_bucket_object")].filter(([address]) =>
      this.graph.startsAfter(address).includes(key),
    );
    const part = (block: Block) => (JSON.stringify(block).includes(".private_key_pem") ? "private key" : "public key");
    return [
      ...(pair === undefined ? [] : [pair]),
      ...file,
      ...users.map(([address, block]) => `${idOf(key)} -->|"${part(block)}"| ${idOf(address)}`),
    ];
  }

  /** A text as a reader sees it before an apply: defaults of inputs, and words for what is not known yet. */
  private shown(text: unknown): string {
    return String(text)
      .replaceAll("${local.lab_deployment_id}", "‹id›")
      .replaceAll("${count.index + 1}", "1…N")
      .replaceAll(/\$\{var\.(\w+)\}/g, (_whole, name: string) => String(this.terraform.variable?.[name]?.default));
  }
}

function idOf(address: string): string {
  return address.replace(/^.*\.lab_/, "");
}

/** What people call a range of addresses. */
const SOURCES: Readonly<Record<string, string>> = {
  [EVERYWHERE]: "everywhere",
  [AUTO_MODE_RANGE]: "VMs of the network",
  [IDENTITY_AWARE_PROXY_RANGE]: "identity-aware proxy",
};

function sourceNode(range: string): string {
  const words = SOURCES[range] === undefined ? [range] : [SOURCES[range], range];
  return `from_${range.replaceAll(/[./]/g, "_")}(("${words.join("<br/>")}"))`;
}
