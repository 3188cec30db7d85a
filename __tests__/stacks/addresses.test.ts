import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { TerraformData } from "../../lib/core/terraform-data";
import { bareStack, resourceAddresses, terraformOf, type Terraform } from "../support/synthesis";
import { KUBERNETES_STACK_NAME, kubernetesTerraform } from "./kubernetes-stack";
import { LAB_STACK_NAME, labTerraform } from "./lab-stack";
import { serverlessTerraform, STACK_NAME } from "./serverless-stack";

/**
 * Every address that a stack has ever had, by stack. `npm run update-goldens` adds new ones and removes none, because
 * existing states hold them.
 */
const FILE = join(__dirname, "addresses.json");

const STACKS = {
  [LAB_STACK_NAME]: labTerraform,
  [KUBERNETES_STACK_NAME]: kubernetesTerraform,
  [STACK_NAME]: serverlessTerraform,
};

const known = (): Readonly<Record<string, readonly string[]>> =>
  existsSync(FILE) ? (JSON.parse(readFileSync(FILE, "utf8")) as Record<string, string[]>) : {};

const union = (...lists: readonly (readonly string[])[]) => [...new Set(lists.flat())].sort();

/** What is wrong with addresses that are gone: nothing when a `moved` block leads from each to one that is there. */
function lostAddresses(kept: readonly string[], terraform: Terraform): string[] {
  const there = resourceAddresses(terraform);
  const { moved = [] } = terraform as Terraform & { moved?: readonly { from: string; to: string }[] };
  const isThere = (address: string | undefined): boolean =>
    address !== undefined && (there.includes(address) || isThere(moved.find(({ from }) => from === address)?.to));
  return kept
    .filter((address) => !isThere(address))
    .map(
      (address) =>
        `${address} is gone; an address must stay, because Terraform deletes what is at it and creates it anew elsewhere; keep the construct's id, or have the resource at the new address say .moveFromId("${address}")`,
    );
}

beforeAll(() => {
  if ((process.env.UPDATE_GOLDENS ?? "") === "") return;
  const kept = known();
  const all = Object.entries(STACKS).map(([name, terraform]): [string, string[]] => [
    name,
    union(kept[name] ?? [], resourceAddresses(terraform())),
  ]);
  writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`);
});

describe.each(Object.entries(STACKS))("The addresses of %s", (name, terraform) => {
  it("stay, or say where they have moved", () => {
    expect(lostAddresses(known()[name] ?? [], terraform())).toEqual([]);
  });

  it("are all known; npm run update-goldens adds new ones", () => {
    expect(resourceAddresses(terraform()).filter((address) => known()[name]?.includes(address) !== true)).toEqual([]);
  });
});

describe("An address that a stack has had", () => {
  const OLD = "terraform_data.old";
  const lostIn = (move: (resource: TerraformData) => void) => {
    const stack = bareStack();
    move(new TerraformData(stack, "New", {}));
    return lostAddresses([OLD, "terraform_data.new"], terraformOf(stack));
  };

  it("may not disappear", () => {
    expect(lostIn(() => undefined)).toEqual([
      'terraform_data.old is gone; an address must stay, because Terraform deletes what is at it and creates it anew elsewhere; keep the construct\'s id, or have the resource at the new address say .moveFromId("terraform_data.old")',
    ]);
  });

  it("may move to another with a moved block", () => {
    const lost = lostIn((resource) => {
      resource.moveFromId(OLD);
    });
    expect(lost).toEqual([]);
  });

  it("may move twice", () => {
    const terraform = {
      ...terraformOf(bareStack()),
      resource: { terraform_data: { new: {} } },
      moved: [
        { from: OLD, to: "terraform_data.middle" },
        { from: "terraform_data.middle", to: "terraform_data.new" },
      ],
    };
    expect(lostAddresses([OLD], terraform)).toEqual([]);
  });
});
