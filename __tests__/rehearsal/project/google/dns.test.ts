import { Project } from "./project-fixture";

const ZONE = "projects/my-project/managedZones/example";
const RECORD = { managed_zone: "example", name: "idp.example.com.", type: "A", ttl: 300, rrdatas: ["203.0.113.30"] };
const ID = `${ZONE}/rrsets/idp.example.com./A`;

let project: Project;

beforeEach(() => {
  project = new Project();
  project.cloud.zones.set(ZONE, "example.com.");
});

const record = (args: object = {}) => project.apply("google_dns_record_set", { ...RECORD, ...args });

describe("A record set", () => {
  it("silently overwrites an existing one, and leaves nothing behind", () => {
    project.cloud.zoneRecords.set(ID, ["198.51.100.1"]);

    const made = record();
    expect(project.cloud.zoneRecords.get(ID)).toEqual(["203.0.113.30"]);

    project.apply("google_dns_record_set", { ...RECORD, rrdatas: ["203.0.113.31"] }, made);
    expect(project.cloud.zoneRecords.get(ID)).toEqual(["203.0.113.31"]);

    project.destroy("google_dns_record_set", made);
    expect(project.cloud.zoneRecords.has(ID)).toBe(false);
  });

  it("is in a zone that exists and serves its name", () => {
    expect(() => record({ managed_zone: "other" })).toThrow("the DNS zone projects/my-project/managedZones/other");
    expect(() => record({ managed_zone: ZONE })).toThrow(`the DNS zone projects/my-project/managedZones/${ZONE}`);
    expect(() => record({ name: "idp.example.org." })).toThrow("idp.example.org. is not in the zone of example.com.");
    expect(() => record({ name: "badexample.com." })).toThrow("is not in the zone");
    expect(record({ name: "example.com." }).id).toBe(`${ZONE}/rrsets/example.com./A`);
  });

  it("is in a zone of another project", () => {
    project.cloud.zones.set("projects/names/managedZones/example", "example.com.");
    expect(record({ project: "names" }).id).toBe("projects/names/managedZones/example/rrsets/idp.example.com./A");
  });

  it("has a name with a dot at its end", () => {
    expect(project.problems("google_dns_record_set", { ...RECORD, name: "idp.example.com" })).toEqual([
      "name must end with a dot: idp.example.com",
    ]);
  });

  it.each([
    ["beside another record", { name: "idp.example.com." }, "a CNAME stands alone"],
    ["for the zone itself", { name: "example.com." }, "so it cannot be a CNAME"],
    ["of two names", { name: "a.example.com.", rrdatas: ["b.example.com.", "c.example.com."] }, "a CNAME has one name"],
    ["without a dot", { name: "a.example.com.", rrdatas: ["b.example.com"] }, "with a dot at its end"],
  ])("is no CNAME %s", (_what, args, refusal) => {
    record();
    expect(() => record({ type: "CNAME", rrdatas: ["other.example.com."], ...args })).toThrow(refusal);
  });
});
