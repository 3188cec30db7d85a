import { textAt, valueAt } from "../terraform-value";
import { FrontDoor } from "./front-door-fixture";
import { Project } from "./project-fixture";

let project: Project;
let door: FrontDoor;

beforeEach(() => {
  project = new Project();
  door = new FrontDoor(project);
});

describe("An authorization", () => {
  it("names a record below its domain, of its own for each authorization", () => {
    const records = [door.authorization("one.example.com"), door.authorization("two.example.com")].map((made) =>
      valueAt(made, "dns_resource_record.0"),
    );
    expect(records[0]).toMatchObject({ name: "_acme-challenge.one.example.com.", type: "CNAME" });
    expect(textAt(records[0], "data")).toMatch(/^\w+\.\d+\.authorize\.certificatemanager\.goog\.$/);
    expect(textAt(records[0], "data")).not.toBe(textAt(records[1], "data"));
  });

  it("has a record of its project's own on request", () => {
    const made = door.authorization("idp.example.com", { type: "PER_PROJECT_RECORD" });
    expect(textAt(made, "dns_resource_record.0.name")).toMatch(/^_acme-challenge_\w{16}\.idp\.example\.com\.$/);
  });

  it("is of a name, not of a wildcard", () => {
    expect(() => door.authorization("*.example.com", { name: "any" })).toThrow("covers its wildcard");
  });

  it("keeps its name, so that another domain needs another one", () => {
    door.authorization("one.example.com", { name: "door" });
    expect(() => door.authorization("two.example.com", { name: "door" })).toThrow("Error 409");
  });
});

describe("A certificate", () => {
  it("is of the domain of its authorization, or of that one's wildcard", () => {
    const authorization = door.authorization("example.com");
    expect(textAt(door.certificate("example.com", authorization), "managed.0.state")).toBe("PROVISIONING");
    expect(valueAt(door.certificate("*.example.com", authorization), "san_dnsnames")).toEqual(["*.example.com"]);
    expect(() => door.certificate("idp.example.com", authorization)).toThrow("an authorization of idp.example.com");
  });

  it("is in the location of its authorization", () => {
    const authorization = door.authorization("example.com", { location: "us-central1" });
    expect(() => door.certificate("example.com", authorization)).toThrow(
      "is not in the location global of the certificate",
    );
  });

  it("of a wildcard is not validated through a load balancer", () => {
    const managed = [{ domains: ["*.example.com"] }];
    expect(() => project.apply("google_certificate_manager_certificate", { name: "any", managed })).toThrow(
      "needs an authorization by DNS",
    );
    expect(() => project.apply("google_compute_managed_ssl_certificate", { name: "any", managed })).toThrow(
      "cannot be validated through a load balancer",
    );
  });

  it("keeps its authorization, and is kept by the entry that presents it", () => {
    const authorization = door.authorization("idp.example.com");
    const certificate = door.certificate("idp.example.com", authorization);
    const map = door.map();
    const entry = door.entry(certificate);
    const destroy = (type: string, made: typeof map) => () =>
      project.destroy(`google_certificate_manager_${type}`, made);
    expect(destroy("dns_authorization", authorization)).toThrow(
      "is still used by google_certificate_manager_certificate",
    );
    expect(destroy("certificate", certificate)).toThrow(
      "is still used by google_certificate_manager_certificate_map_entry",
    );
    expect(destroy("certificate_map", map)).toThrow(
      "is still used by google_certificate_manager_certificate_map_entry",
    );

    destroy("certificate_map_entry", entry)();
    destroy("certificate", certificate)();
    destroy("certificate_map", map)();
    destroy("dns_authorization", authorization)();
    expect(project.cloud.objects.size).toBe(0);
  });
});

describe("An entry of a map", () => {
  it("is the only one of its hostname", () => {
    const certificate = door.certificate("idp.example.com", door.authorization("idp.example.com"));
    door.map();
    door.entry(certificate);
    expect(() => door.entry(certificate, { name: "again" })).toThrow("the map has an entry of idp.example.com");
    expect(textAt(door.entry(certificate, { name: "other", hostname: "sso.example.com" }), "state")).toBe("ACTIVE");
  });

  it("names its map by the name alone", () => {
    const certificate = door.certificate("idp.example.com", door.authorization("idp.example.com"));
    const map = door.map();
    expect(() => door.entry(certificate, { map: textAt(map, "id") })).toThrow("needs what is not there");
  });

  it("takes another certificate in place, and another hostname by replacement", () => {
    const [one, two] = ["one.example.com", "two.example.com"].map((domain) =>
      door.certificate(domain, door.authorization(domain)),
    );
    door.map();
    const entry = door.entry(one ?? {});
    const args = { name: "door", map: "door", hostname: "idp.example.com", certificates: [textAt(two, "id")] };
    const type = "google_certificate_manager_certificate_map_entry";
    expect(project.replacedBy(type, args, entry)).toEqual([]);
    expect(project.replacedBy(type, { ...args, hostname: "sso.example.com" }, entry)).toEqual(["hostname"]);
  });
});

it("Names of more than 63 characters are refused", () => {
  expect(() => door.authorization("idp.example.com", { name: "a".repeat(64) })).toThrow("no name of at most 63");
});
