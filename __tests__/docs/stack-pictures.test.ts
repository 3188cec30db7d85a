import { readdirSync } from "node:fs";

import { packageFile } from "../../lib/core/package-file";
import { type Block, type Terraform } from "../support/synthesis";
import { pageOf } from "../tools/pages";
import { firstApplyPicture, partOfAddress } from "../tools/pictures/first-apply-picture";
import { goldenStacks } from "./golden-stacks";
import { mermaidPicture } from "../tools/pictures/mermaid-picture";
import { explainedResources, overviewPicture } from "../tools/pictures/overview-picture";
import { type Picture } from "../tools/pictures/picture";
import { stackPictures } from "../tools/pictures/stack-pictures";

const STACKS = goldenStacks();
const NAMES = Object.keys(STACKS);

const stackOf = (name: string): Terraform => {
  const found = STACKS[name];
  if (found === undefined) throw new Error(`no stack ${name}`);
  return found;
};

/** A configuration with one block changed, or without it. */
const changed = (terraform: Terraform, type: string, name: string, change?: (block: Block) => Block): Terraform => {
  const { [name]: block, ...others } = terraform.resource?.[type] ?? {};
  if (block === undefined) throw new Error(`there is no ${type}.${name}`);
  const named = change === undefined ? others : { ...others, [name]: change(block) };
  return { ...terraform, resource: { ...terraform.resource, [type]: named } };
};

/** A configuration in which an input has another default. */
const withDefault = (terraform: Terraform, input: string, value: unknown): Terraform => ({
  ...terraform,
  variable: { ...terraform.variable, [input]: { ...terraform.variable?.[input], default: value } },
});

/** Arrows in words: the first lines of both nodes, or the words of a frame. */
const arrowsOf = ({ arrows, frames, nodes }: Picture): string[] => {
  const named = (id: string): string =>
    nodes.find((node) => node.id === id)?.lines[0] ?? frames.find((frame) => frame.id === id)?.words ?? id;
  return arrows.map(({ from, to, words }) => `${named(from)} > ${named(to)}: ${words?.replaceAll("<br/>", " ") ?? ""}`);
};

const linesOf = (picture: Picture, first: string): readonly string[] =>
  picture.nodes.find(({ lines }) => lines[0] === first)?.lines ?? [];

describe.each(NAMES)("The overview of %s", (stack) => {
  it("draws every resource, explains why not, or names the input with which it comes", () => {
    const explained = explainedResources(stackOf(stack));
    const inputs = Object.keys(stackOf(stack).variable ?? {});
    expect(explained.size).toBeGreaterThan(20);
    for (const [address, why] of explained) {
      const [, input] = /^comes with (.*)$/.exec(why) ?? [];
      expect([address, why === "" || (input !== undefined && !inputs.includes(input))]).toEqual([address, false]);
    }
  });

  it("refuses an unknown resource", () => {
    const terraform = stackOf(stack);
    const other = { ...terraform, resource: { ...terraform.resource, google_new_thing: { thing: {} } } };
    expect(() => overviewPicture(stack, other)).toThrow("no overview shows or explains google_new_thing.thing");
    expect(() => firstApplyPicture(stack, other)).toThrow("google_new_thing.thing is in no part of a first apply");
  });

  it("has a node with words at both ends of each arrow, and no node alone", () => {
    const { arrows, frames, nodes } = overviewPicture(stack, stackOf(stack));
    const ends = arrows.flatMap(({ from, to }) => [from, to]);
    const all = [...nodes, ...frames].map(({ id }) => id);
    expect(ends.filter((id) => !all.includes(id))).toEqual([]);
    const framed = (id: string) => nodes.find((node) => node.id === id)?.frame ?? id;
    expect(nodes.filter(({ id }) => !ends.includes(id) && !ends.includes(framed(id)))).toEqual([]);
    expect(nodes.filter(({ lines }) => lines.includes(""))).toEqual([]);
    expect(nodes.length).toBeLessThanOrEqual(18);
  });
});

describe("The overview of idp-serverless", () => {
  const terraform = stackOf("idp-serverless");
  const arrows = (changes: Terraform) => arrowsOf(overviewPicture("idp-serverless", changes));

  it("shows who may read which secrets, use the bucket, and connect to the database", () => {
    expect(arrows(terraform)).toEqual(
      expect.arrayContaining([
        "Cloud Run service > bootstrap-password: reads",
        "Cloud Run job idp-…-db-init > database-administrator-password: reads",
        "Cloud Run service > bucket bkt-idp…-storage: reads and writes",
        "Cloud Run service > Cloud SQL: connects",
      ]),
    );
  });

  it("has no arrow without its grant", () => {
    const grants = [
      ["google_secret_manager_secret_iam_member", "secrets_secret_key_runtime", "secret-key: reads"],
      ["google_storage_bucket_iam_member", "media_bucket_runtime", "bucket bkt-idp…-storage: reads and writes"],
      ["google_project_iam_member", "runtime_connects_to_database", "Cloud SQL: connects"],
    ] as const;
    for (const [type, name, arrow] of grants) {
      const without = arrows(changed(terraform, type, name));
      expect([name, without.filter((each) => each === `Cloud Run service > ${arrow}`)]).toEqual([name, []]);
    }
  });

  it("shows a role that replaces another", () => {
    const other = changed(terraform, "google_storage_bucket_iam_member", "media_bucket_runtime", (block) => ({
      ...block,
      role: "roles/storage.objectViewer",
    }));
    expect(arrows(other)).toContain("Cloud Run service > bucket bkt-idp…-storage: reads");
  });

  it("shows what everybody may do, and refuses to omit a right of somebody who is not drawn", () => {
    const given = (member: string) =>
      changed(terraform, "google_storage_bucket_iam_member", "media_bucket_runtime", (block) => ({ ...block, member }));
    expect(arrows(given("allUsers"))).toContain("anyone > bucket bkt-idp…-storage: reads and writes");
    expect(() => arrows(given("user:someone@example.com"))).toThrow("as whom nothing acts");
  });

  it("says of a bucket that it is never public only when that is enforced", () => {
    const lines = (changes: Terraform) =>
      linesOf(overviewPicture("idp-serverless", changes), "bucket bkt-idp…-storage");
    expect(lines(terraform)).toContain("never public");
    const inherited = changed(terraform, "google_storage_bucket", "media_bucket", (block) => ({
      ...block,
      public_access_prevention: "inherited",
    }));
    expect(lines(inherited)).not.toContain("never public");
  });

  it("shows to whom the service is open", () => {
    expect(arrows(terraform)).toContain("anyone > Cloud Run service: HTTPS at *.run.app");
    expect(arrows(withDefault(terraform, "public_access", false))).toContain(
      "callers with > Cloud Run service: HTTPS at *.run.app",
    );
    const closed = arrows(withDefault(terraform, "close_default_address", true));
    expect(closed.filter((each) => each.includes("run.app"))).toEqual([]);
  });

  it("shows how the database can be reached", () => {
    const lines = (changes: Terraform) => linesOf(overviewPicture("idp-serverless", changes), "Cloud SQL");
    expect(lines(terraform)).toEqual(expect.arrayContaining(["public address", "open to authorized proxies only"]));
    expect(lines(withDefault(terraform, "network", "n"))).toContain("private address");
    const open = changed(terraform, "google_sql_database_instance", "database", (block) => ({
      ...block,
      settings: { ip_configuration: { authorized_networks: [{ value: "203.0.113.0/24" }] } },
    }));
    expect(arrows(open)).toContain("203.0.113.0/24 > Cloud SQL: tcp 5432");
  });
});

describe("The overview of idp-kubernetes", () => {
  const terraform = stackOf("idp-kubernetes");
  const arrows = (changes: Terraform) => arrowsOf(overviewPicture("idp-kubernetes", changes));

  it("shows who reaches the control plane", () => {
    expect(arrows(terraform)).toContain("anyone > GKE Autopilot: HTTPS, signed in, to the control plane");
    expect(arrows(withDefault(terraform, "authorized_networks", { office: "203.0.113.0/24" }))).toContain(
      "203.0.113.0/24 > GKE Autopilot: HTTPS, signed in, to the control plane",
    );
  });

  it("shows which secrets are copied into the cluster, and who reads them there", () => {
    expect(arrows(terraform)).toEqual(
      expect.arrayContaining([
        "Job > Secret idp-db-init: reads",
        "Secret idp-db-init > database-administrator-password: copied by the apply",
        "Secret idp > database-password: copied by the apply",
      ]),
    );
  });

  it("gives a right to pods only when their account may act as the one that has it", () => {
    expect(arrows(terraform)).toContain("Deployment > bucket bkt-idp…-storage: reads and writes");
    const alone = changed(terraform, "google_service_account_iam_member", "cluster_runtime");
    expect(() => arrows(alone)).toThrow("as whom nothing acts");
  });
});

describe("The overview of assessment-lab", () => {
  const terraform = stackOf("assessment-lab");
  const arrows = (changes: Terraform) => arrowsOf(overviewPicture("assessment-lab", changes));

  it("shows what the firewall opens to whom", () => {
    expect(arrows(terraform)).toContain("anyone > network assess-…-vpc: tcp 3389");
    const office = arrows(withDefault(terraform, "rdp_source_ranges", ["203.0.113.0/24"]));
    expect(office).toContain("203.0.113.0/24 > network assess-…-vpc: tcp 3389");
    expect(office.filter((each) => each.startsWith("anyone"))).toEqual([]);
    const closed = arrows(withDefault(terraform, "create_default_firewall_rules", false));
    expect(closed.filter((each) => each.includes("3389"))).toEqual([]);
  });

  it("shows where the key is", () => {
    expect(arrows(terraform)).toEqual(
      expect.arrayContaining([
        "bucket assess-…-keys > key pair RSA 4096: holds the private key",
        "3 × assess-…-linvm-… > key pair RSA 4096: accept the public key",
      ]),
    );
  });
});

describe.each(NAMES)("The first apply of %s", (stack) => {
  const picture = firstApplyPicture(stack, stackOf(stack));

  it("has every resource in a part, and at most fifteen parts", () => {
    const addresses = [...explainedResources(stackOf(stack)).keys()];
    expect(addresses.map((address) => partOfAddress(address)).filter((part) => part === "")).toEqual([]);
    expect(picture.nodes.length).toBeLessThanOrEqual(15);
  });

  it("shows each part ready before those that wait for it, and the slowest chain from start to end", () => {
    const [starts, ends] = [0, 1].map(
      (index) => (id: string) => seconds(picture.nodes.find((node) => node.id === id)?.lines[1]?.split(" – ")[index]),
    ) as [(id: string) => number, (id: string) => number];
    expect(picture.arrows.filter(({ from, to }) => ends(to) < starts(from))).toEqual([]);
    const slow = picture.arrows.filter(({ isMain }) => isMain === true);
    const whole = Math.max(...picture.nodes.map(({ id }) => ends(id)));
    const firsts = slow.filter(({ from }) => !slow.some(({ to }) => to === from));
    const lasts = slow.filter(({ to }) => !slow.some(({ from }) => from === to));
    expect(firsts.map(({ from }) => starts(from))).toEqual([0]);
    expect(lasts.map(({ to }) => ends(to))).toEqual([whole]);
    expect(new Set(slow.map(({ from }) => from)).size).toBe(slow.length);
  });
});

describe("The first apply of idp-serverless", () => {
  it("waits for the database, or for something else when nothing needs the database", () => {
    const terraform = stackOf("idp-serverless");
    const slow = (changes: Terraform) =>
      firstApplyPicture("idp-serverless", changes)
        .nodes.filter(({ kind }) => kind === "main-step")
        .map(({ lines: [part] }) => part);
    expect(slow(terraform)).toContain("database, first backup");
    expect(slow(changed(terraform, "google_sql_database_instance", "database"))).toContain("image: repository, build");
  });
});

describe("The pictures of the stacks", () => {
  it("are linked from the page of each, and no other file lies with them", () => {
    const paths = Object.keys(stackPictures(STACKS));
    for (const stack of NAMES)
      for (const path of paths.filter((each) => each.includes(`/${stack}-`)))
        expect(pageOf(`stacks/${stack}.md`).text).toContain(`](${path.replace("stacks/", "")})`);
    expect(
      readdirSync(packageFile("stacks/pictures"))
        .map((file) => `stacks/pictures/${file}`)
        .sort(),
    ).toEqual([...paths].sort());
  });

  it("say the same in Mermaid: every node, arrow and frame once", () => {
    for (const picture of Object.values(stackPictures(STACKS))) {
      const text = mermaidPicture(picture);
      const count = (pattern: RegExp) => [...text.matchAll(pattern)].length;
      expect(count(/ (-->|==>)/g)).toBe(picture.arrows.length);
      expect(count(/^ +subgraph /gm)).toBe(picture.frames.length);
      for (const { id, lines } of picture.nodes)
        expect(count(new RegExp(`^ +${id}\\W+"${escaped(lines.join("<br/>"))}"`, "gm"))).toBe(1);
    }
  });
});

function seconds(clock = ""): number {
  const [minutes = 0, rest = 0] = clock.split(":").map(Number);
  return minutes * 60 + rest;
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
