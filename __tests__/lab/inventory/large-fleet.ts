import { type Fleet } from "./ec2-stand-in";

/** As many types as a large account uses. */
const TYPE_COUNT = 250;

function typeName(index: number): string {
  return `m${(index % 7) + 1}.size${index % TYPE_COUNT}`;
}

/** A fleet of any size that needs no room: two volumes and six tags per machine, ids in no order. */
export function largeFleet(machineCount: number): Fleet {
  // Odd, so that multiplying by it visits every number of 32 bits once.
  const id = (index: number) => `i-0${(Math.imul(index, 0x9e3779b1) >>> 0).toString(16).padStart(16, "0")}`;
  return {
    machineCount,
    volumeCount: machineCount * 2,
    machine: (index) => ({
      id: id(index),
      type: typeName(index % TYPE_COUNT),
      platformDetails: "Linux/UNIX",
      cpu: { cores: 2, threads: 2 },
      privateAddress: `10.0.${(index >> 8) % 256}.${index % 256}`,
      interfaces: [
        {
          deviceIndex: 0,
          privateAddress: `10.0.${(index >> 8) % 256}.${index % 256}`,
          macAddress: "02:00:00:00:00:01",
          publicAddress: `198.51.100.${index % 256}`,
        },
      ],
      rootDevice: "/dev/sda1",
      devices: ["/dev/sda1", "/dev/sdb"].map((name, place) => ({
        name,
        volumeId: `vol-${index * 2 + place}`,
        attachTime: "2024-03-01T10:00:05.000Z",
      })),
      tags: [
        ["Name", `application-${index}`],
        ["owner", "a team, and its people"],
        ["cost-center", String(index % 100)],
        ["environment", "production"],
        ["aws:autoscaling:groupName", `group-${index % 500}`],
        ["description", 'says "hello"'],
      ],
    }),
    volume: (index) => ({
      id: `vol-${index}`,
      sizeGib: 8 + (index % 50),
      type: "gp3",
      attachments: [{ machineId: id(index >> 1), device: index % 2 === 0 ? "/dev/sda1" : "/dev/sdb" }],
    }),
    type: (name) => ({ name, cores: 4, mebibytes: 16_384 }),
  };
}
