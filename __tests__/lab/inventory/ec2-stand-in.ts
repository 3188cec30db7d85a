import { type IncomingMessage, type ServerResponse } from "node:http";

import { LoopbackServer } from "../../support/loopback-server";

/** A network interface of a machine. */
export interface StandInInterface {
  readonly deviceIndex: number;
  /** Absent in a network of IPv6 alone. */
  readonly privateAddress?: string;
  readonly macAddress: string;
  readonly ipv6?: readonly string[];
  readonly publicAddress?: string;
  /** Secondary private addresses. */
  readonly further?: readonly string[];
}

/** A machine as far as the tables depend on it; what is absent is absent from the answer, as with the real API. */
export interface StandInMachine {
  readonly id: string;
  readonly type: string;
  /** @default "running" */
  readonly state?: string;
  readonly tags?: readonly (readonly [key: string, value: string])[];
  readonly platform?: string;
  readonly platformDetails?: string;
  readonly cpu?: { readonly cores: number; readonly threads: number };
  readonly interfaces?: readonly StandInInterface[];
  readonly privateAddress?: string;
  readonly publicAddress?: string;
  /** @default "2024-03-01T10:00:00.000Z" */
  readonly launchTime?: string;
  readonly rootDevice?: string;
  readonly devices?: readonly { readonly name: string; readonly volumeId: string; readonly attachTime: string }[];
}

export interface StandInVolume {
  readonly id: string;
  readonly sizeGib: number;
  readonly type: string;
  readonly attachments: readonly { readonly machineId: string; readonly device: string; readonly state?: string }[];
}

export interface StandInType {
  readonly name: string;
  readonly cores: number;
  readonly mebibytes: number;
}

/** What an account has in a region; everything is asked for by its number, so that it need not exist at once. */
export interface Fleet {
  readonly machineCount: number;
  readonly machine: (index: number) => StandInMachine;
  readonly volumeCount: number;
  readonly volume: (index: number) => StandInVolume;
  readonly type: (name: string) => StandInType | undefined;
}

/** What happens to a request instead of its answer. */
export type Ec2Fault =
  | { readonly kind: "error"; readonly status: number; readonly code: string; readonly message: string }
  | { readonly kind: "reset" }
  | { readonly kind: "page"; readonly body: string };

export interface Ec2Request {
  readonly action: string;
  readonly parameters: URLSearchParams;
  /** Id of the key that signed it. */
  readonly accessKeyId: string;
  readonly region: string;
}

type Ec2Action = "DescribeInstances" | "DescribeInstanceTypes" | "DescribeVolumes";

/** The largest pages of the API, and its page where none is asked for. */
const LARGEST_PAGE = 1000;
const TYPES_PER_CALL = 100;

/** The three calls of the EC2 query protocol that the inventory needs, with paging and its limits. */
export class Ec2StandIn {
  readonly requests: Ec2Request[] = [];
  /** Called before every answer; the fault that it returns takes the answer's place. */
  fault: (request: Ec2Request) => Ec2Fault | undefined = () => undefined;
  private readonly server = new LoopbackServer((request, response) => void this.serve(request, response));

  constructor(private readonly fleet: Fleet) {}

  async start(): Promise<this> {
    await this.server.start();
    return this;
  }

  async stop(): Promise<void> {
    await this.server.stop();
  }

  get endpoint(): string {
    return `http://${this.server.host}`;
  }

  requestsTo(action: Ec2Action): Ec2Request[] {
    return this.requests.filter((request) => request.action === action);
  }

  private async serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const parameters = new URLSearchParams(Buffer.concat(chunks).toString());
    const [, accessKeyId = "", region = ""] =
      /Credential=([^/]+)\/\d+\/([^/]+)\/ec2\//.exec(incoming.headers.authorization ?? "") ?? [];
    const request = { action: parameters.get("Action") ?? "", parameters, accessKeyId, region };
    this.requests.push(request);

    const fault = this.fault(request);
    if (fault?.kind === "reset") {
      incoming.socket.destroy();
      return;
    }
    const { status, body } = fault === undefined ? this.answer(request) : answerOf(fault);
    response.writeHead(status, { "Content-Type": "text/xml;charset=UTF-8" }).end(body);
  }

  private answer({ action, parameters }: Ec2Request): { status: number; body: string } {
    switch (action) {
      case "DescribeInstances":
        return this.page(action, parameters, "reservationSet", this.fleet.machineCount, (index) =>
          reservationXml(this.fleet.machine(index)),
        );
      case "DescribeVolumes":
        return this.page(action, parameters, "volumeSet", this.fleet.volumeCount, (index) =>
          volumeXml(this.fleet.volume(index)),
        );
      case "DescribeInstanceTypes":
        return this.types(parameters);
      default:
        return refusal(403, "UnauthorizedOperation", `You are not authorized to perform: ec2:${action}`);
    }
  }

  private page(
    action: Ec2Action,
    parameters: URLSearchParams,
    set: string,
    count: number,
    item: (index: number) => string,
  ): { status: number; body: string } {
    const size = Number(parameters.get("MaxResults") ?? LARGEST_PAGE);
    if (size < 5 || size > LARGEST_PAGE) {
      return refusal(400, "InvalidParameterValue", `Value ( ${size} ) for parameter maxResults is invalid.`);
    }
    const start = Number(parameters.get("NextToken") ?? 0);
    const end = Math.min(start + size, count);
    const items = Array.from({ length: end - start }, (_, offset) => item(start + offset)).join("");
    const next = end < count ? `<nextToken>${end}</nextToken>` : "";
    return { status: 200, body: document(action, `<${set}>${items}</${set}>${next}`) };
  }

  private types(parameters: URLSearchParams): { status: number; body: string } {
    const names = [...parameters].filter(([name]) => name.startsWith("InstanceType.")).map(([, value]) => value);
    if (names.length > TYPES_PER_CALL) {
      return refusal(400, "InvalidParameterValue", `The number of instance types must not exceed ${TYPES_PER_CALL}.`);
    }
    const found = names.map((name) => this.fleet.type(name));
    const unknown = names.filter((_, index) => found[index] === undefined);
    if (unknown.length > 0) {
      const list = `[${unknown.join(", ")}]`;
      return refusal(400, "InvalidInstanceType", `The following supplied instance types do not exist: ${list}`);
    }
    const items = found.flatMap((type) => (type === undefined ? [] : [typeXml(type)])).join("");
    return { status: 200, body: document("DescribeInstanceTypes", `<instanceTypeSet>${items}</instanceTypeSet>`) };
  }
}

function answerOf(fault: Extract<Ec2Fault, { kind: "error" | "page" }>): { status: number; body: string } {
  return fault.kind === "page" ? { status: 200, body: fault.body } : refusal(fault.status, fault.code, fault.message);
}

function refusal(status: number, code: string, message: string): { status: number; body: string } {
  const error = `<Error><Code>${code}</Code><Message>${escaped(message)}</Message></Error>`;
  return { status, body: `<Response><Errors>${error}</Errors><RequestID>0-0</RequestID></Response>` };
}

function document(action: Ec2Action, content: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<${action}Response xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>0-0</requestId>${content}</${action}Response>`;
}

function element(name: string, value: string | number | undefined): string {
  return value === undefined ? "" : `<${name}>${escaped(String(value))}</${name}>`;
}

function escaped(text: string): string {
  return /[&<>\r]/.test(text)
    ? text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\r", "&#13;")
    : text;
}

function typeXml({ name, cores, mebibytes }: StandInType): string {
  return `<item>${element("instanceType", name)}<currentGeneration>true</currentGeneration><vCpuInfo>${element("defaultVCpus", cores)}</vCpuInfo><memoryInfo>${element("sizeInMiB", mebibytes)}</memoryInfo></item>`;
}

function volumeXml({ id, sizeGib, type, attachments }: StandInVolume): string {
  const items = attachments.map(
    ({ machineId, device, state = "attached" }) =>
      `<item>${element("volumeId", id)}${element("instanceId", machineId)}${element("device", device)}${element("status", state)}<attachTime>2024-03-01T10:00:05.000Z</attachTime><deleteOnTermination>true</deleteOnTermination></item>`,
  );
  return `<item>${element("volumeId", id)}${element("size", sizeGib)}<snapshotId>snap-0a1b2c3d4e5f60718</snapshotId><availabilityZone>us-east-1a</availabilityZone><status>in-use</status><createTime>2024-03-01T10:00:04.123Z</createTime><attachmentSet>${items.join("")}</attachmentSet>${element("volumeType", type)}<iops>3000</iops><encrypted>true</encrypted><multiAttachEnabled>false</multiAttachEnabled></item>`;
}

function reservationXml(machine: StandInMachine): string {
  return `<item><reservationId>r-${machine.id.slice(2)}</reservationId><ownerId>123456789012</ownerId><groupSet/><instancesSet>${machineXml(machine)}</instancesSet></item>`;
}

/** About as long as a real answer is: what the tables do not need is what takes the time. */
function machineXml(machine: StandInMachine): string {
  const { id, type, state = "running", tags = [], cpu, interfaces = [], devices = [] } = machine;
  const mappings = devices.map(
    ({ name, volumeId, attachTime }) =>
      `<item>${element("deviceName", name)}<ebs>${element("volumeId", volumeId)}<status>attached</status>${element("attachTime", attachTime)}<deleteOnTermination>true</deleteOnTermination></ebs></item>`,
  );
  const labels = tags.map(([key, value]) => `<item>${element("key", key)}${element("value", value)}</item>`);
  return `<item>${element("instanceId", id)}<imageId>ami-0123456789abcdef0</imageId><instanceState><code>16</code>${element("name", state)}</instanceState>${element("instanceType", type)}<reason/><amiLaunchIndex>0</amiLaunchIndex><productCodes/>${element("launchTime", machine.launchTime ?? "2024-03-01T10:00:00.000Z")}<placement><availabilityZone>us-east-1a</availabilityZone><groupName/><tenancy>default</tenancy></placement>${element("platform", machine.platform)}<monitoring><state>disabled</state></monitoring><subnetId>subnet-0123456789abcdef0</subnetId><vpcId>vpc-0123456789abcdef0</vpcId>${element("privateIpAddress", machine.privateAddress)}${element("ipAddress", machine.publicAddress)}<sourceDestCheck>true</sourceDestCheck><groupSet><item><groupId>sg-0123456789abcdef0</groupId><groupName>default</groupName></item></groupSet><architecture>x86_64</architecture><rootDeviceType>ebs</rootDeviceType>${element("rootDeviceName", machine.rootDevice)}<blockDeviceMapping>${mappings.join("")}</blockDeviceMapping><virtualizationType>hvm</virtualizationType><clientToken/>${labels.length === 0 ? "" : `<tagSet>${labels.join("")}</tagSet>`}<hypervisor>xen</hypervisor><networkInterfaceSet>${interfaces.map(interfaceXml).join("")}</networkInterfaceSet><ebsOptimized>true</ebsOptimized><enaSupport>true</enaSupport>${cpu === undefined ? "" : `<cpuOptions>${element("coreCount", cpu.cores)}${element("threadsPerCore", cpu.threads)}</cpuOptions>`}<capacityReservationSpecification><capacityReservationPreference>open</capacityReservationPreference></capacityReservationSpecification><hibernationOptions><configured>false</configured></hibernationOptions><metadataOptions><state>applied</state><httpTokens>required</httpTokens><httpPutResponseHopLimit>2</httpPutResponseHopLimit><httpEndpoint>enabled</httpEndpoint></metadataOptions><enclaveOptions><enabled>false</enabled></enclaveOptions>${element("platformDetails", machine.platformDetails)}<usageOperation>RunInstances</usageOperation><usageOperationUpdateTime>2024-03-01T10:00:00.000Z</usageOperationUpdateTime><currentInstanceBootMode>uefi</currentInstanceBootMode></item>`;
}

function interfaceXml({
  deviceIndex,
  privateAddress,
  macAddress,
  publicAddress,
  ipv6 = [],
  further = [],
}: StandInInterface): string {
  const association =
    publicAddress === undefined
      ? ""
      : `<association>${element("publicIp", publicAddress)}<publicDnsName/><ipOwnerId>amazon</ipOwnerId></association>`;
  const addresses = (privateAddress === undefined ? [] : [privateAddress, ...further]).map(
    (address, index) =>
      `<item>${element("privateIpAddress", address)}<primary>${index === 0}</primary>${index === 0 ? association : ""}</item>`,
  );
  return `<item><networkInterfaceId>eni-0123456789abcdef0</networkInterfaceId><subnetId>subnet-0123456789abcdef0</subnetId><vpcId>vpc-0123456789abcdef0</vpcId><description/><ownerId>123456789012</ownerId><status>in-use</status>${element("macAddress", macAddress)}${element("privateIpAddress", privateAddress)}<sourceDestCheck>true</sourceDestCheck><groupSet><item><groupId>sg-0123456789abcdef0</groupId><groupName>default</groupName></item></groupSet><attachment><attachmentId>eni-attach-0123456789abcdef0</attachmentId>${element("deviceIndex", deviceIndex)}<status>attached</status><attachTime>2024-03-01T10:00:00.000Z</attachTime><deleteOnTermination>true</deleteOnTermination><networkCardIndex>0</networkCardIndex></attachment>${association}<ipv6AddressesSet>${ipv6.map((address) => `<item>${element("ipv6Address", address)}</item>`).join("")}</ipv6AddressesSet><privateIpAddressesSet>${addresses.join("")}</privateIpAddressesSet><interfaceType>interface</interfaceType></item>`;
}
