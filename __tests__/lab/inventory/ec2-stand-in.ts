import { type IncomingMessage, type ServerResponse } from "node:http";

import { LoopbackServer } from "../../support/loopback-server";

/** As many types as a large account uses. */
const TYPE_COUNT = 250;
const VOLUMES_PER_MACHINE = 2;

/** What happens to a request instead of its answer: a refusal, a page of a proxy, or a broken connection. */
export type Ec2Fault = { readonly status: number; readonly code: string } | { readonly page: string } | "reset";

interface Ec2Request {
  readonly action: string;
  readonly parameters: URLSearchParams;
  /** Id of the key that signed it. */
  readonly accessKeyId: string;
  readonly region: string;
}

/** The three calls of the EC2 query protocol that the inventory needs, with paging and its limits. */
export class Ec2StandIn {
  readonly requests: Ec2Request[] = [];
  /** Called before every answer; the fault that it returns takes the answer's place. */
  fault: (request: Ec2Request) => Ec2Fault | undefined = () => undefined;
  /** Maximum page size, whatever the client requests; types come by the hundred. */
  longestPage = 1000;
  private readonly server = new LoopbackServer((request, response) => void this.serve(request, response));

  constructor(private readonly machineCount: number) {}

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

  requestsTo(action: string): Ec2Request[] {
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
    if (fault === "reset") {
      incoming.socket.destroy();
      return;
    }
    const isRefusal = fault !== undefined && "status" in fault;
    const body = fault === undefined ? this.answer(request) : isRefusal ? refusal(fault.code) : fault.page;
    response.writeHead(isRefusal ? fault.status : 200, { "Content-Type": "text/xml;charset=UTF-8" }).end(body);
  }

  private answer({ action, parameters }: Ec2Request): string {
    switch (action) {
      case "DescribeInstances":
        return this.page(action, parameters, "reservationSet", this.machineCount, machineXml);
      case "DescribeVolumes":
        return this.page(action, parameters, "volumeSet", this.machineCount * VOLUMES_PER_MACHINE, volumeXml);
      default:
        return this.page(action, parameters, "instanceTypeSet", TYPE_COUNT, typeXml);
    }
  }

  private page(
    action: string,
    parameters: URLSearchParams,
    set: string,
    count: number,
    item: (index: number) => string,
  ): string {
    const start = Number(parameters.get("NextToken") ?? 0);
    const end = Math.min(start + (set === "instanceTypeSet" ? 100 : this.longestPage), count);
    const items = Array.from({ length: end - start }, (_, offset) => `<item>${item(start + offset)}</item>`).join("");
    return document(action, `<${set}>${items}</${set}>${end < count ? `<nextToken>${end}</nextToken>` : ""}`);
  }
}

function refusal(code: string): string {
  return `<Response><Errors><Error><Code>${code}</Code><Message>not yet</Message></Error></Errors></Response>`;
}

function document(action: string, content: string): string {
  return `<${action}Response xmlns="http://ec2.amazonaws.com/doc/2016-11-15/">${content}</${action}Response>`;
}

function typeXml(index: number): string {
  return `<instanceType>m.size${index}</instanceType><vCpuInfo><defaultVCpus>4</defaultVCpus></vCpuInfo><memoryInfo><sizeInMiB>16384</sizeInMiB></memoryInfo>`;
}

/** In no order. */
const machineId = (index: number): string => `i-${(Math.imul(index, 0x9e3779b1) >>> 0).toString(16).padStart(17, "0")}`;

/** About as long as a real answer is: what the tables do not need is what takes the time. */
function machineXml(index: number): string {
  const tags = ["Name", "owner", "cost-center", "environment", "aws:autoscaling:groupName", "description"].map(
    (key) => `<item><key>${key}</key><value>application ${index}, "${key}"</value></item>`,
  );
  const group =
    "<groupSet><item><groupId>sg-0123456789abcdef0</groupId><groupName>default</groupName></item></groupSet>";
  const card = `<item><networkInterfaceId>eni-0123456789abcdef0</networkInterfaceId>${group}<macAddress>02:00:00:00:00:01</macAddress><privateIpAddress>10.0.0.1</privateIpAddress><attachment><deviceIndex>0</deviceIndex><status>attached</status><networkCardIndex>0</networkCardIndex></attachment><association><publicIp>198.51.100.1</publicIp></association></item>`;
  const details = `<imageId>ami-0123456789abcdef0</imageId><placement><availabilityZone>us-east-1a</availabilityZone></placement><privateIpAddress>10.0.0.1</privateIpAddress>${group}<architecture>x86_64</architecture><rootDeviceName>/dev/sda1</rootDeviceName><blockDeviceMapping><item><deviceName>/dev/sda1</deviceName><ebs><volumeId>vol-${index}</volumeId><attachTime>2024-03-01T10:00:05.000Z</attachTime></ebs></item></blockDeviceMapping><metadataOptions><state>applied</state><httpTokens>required</httpTokens></metadataOptions><platformDetails>Linux/UNIX</platformDetails>`;
  return `<reservationId>r-${index}</reservationId><instancesSet><item><instanceId>${machineId(index)}</instanceId><instanceState><name>running</name></instanceState><instanceType>m.size${index % TYPE_COUNT}</instanceType><launchTime>2024-03-01T10:00:00.000Z</launchTime>${details}<tagSet>${tags.join("")}</tagSet><networkInterfaceSet>${card}</networkInterfaceSet></item></instancesSet>`;
}

function volumeXml(index: number): string {
  const machine = machineId(Math.floor(index / VOLUMES_PER_MACHINE));
  return `<volumeId>vol-${index}</volumeId><size>8</size><volumeType>gp3</volumeType><attachmentSet><item><instanceId>${machine}</instanceId><device>/dev/sd${index % VOLUMES_PER_MACHINE}</device><status>attached</status></item></attachmentSet>`;
}
