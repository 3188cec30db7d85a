import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { type BlockSchema } from "../../stacks/provider-schema/provider-schema";
import { Cloud, Refusal } from "../project/cloud";
import { needObject } from "../project/needs";
import { GOOGLE_TYPES } from "../project/google/google-types";
import { ResourceProvider } from "./resource-provider";
import { configurationProblems } from "./schema-rules";
import { SecretScan } from "../deployment/secret-scan";
import { messageFromValue, textAt, UNKNOWN, valueFromMessage } from "../project/terraform-value";
import { imageNeed } from "../project/google/workload-needs";
import { temporaryFolder } from "../../support/temporary-folder";

const surroundings = { enabledApis: new Set<string>(), hasImage: () => false, hasAnswered: () => false };

describe("The rules of a schema", () => {
  const block: BlockSchema = {
    attributes: { name: { type: "string", required: true }, id: { type: "string", computed: true } },
    block_types: {
      part: {
        nesting_mode: "list",
        max_items: 1,
        min_items: 1,
        block: { attributes: { size: { type: "number", optional: true } } },
      },
    },
  };

  it.each([
    ["nothing that is right", { name: "a", id: null, part: [{ size: 1 }] }, []],
    ["nothing that is not known yet", { name: UNKNOWN, id: null, part: UNKNOWN }, []],
    ["a missing argument", { name: null, id: null, part: [{ size: 1 }] }, ["name is required and missing"]],
    ["what is computed", { name: "a", id: "b", part: [{ size: 1 }] }, ["id is the provider's to set"]],
    ["another type", { name: 1, id: null, part: [{ size: 1 }] }, ['name has not the type "string"']],
    ["an unknown argument", { name: "a", id: null, part: [{ width: 1 }] }, ["part.0.width does not exist"]],
    ["too few blocks", { name: "a", id: null, part: [] }, ["part is given 0 times, at least 1 are required"]],
    ["too many blocks", { name: "a", id: null, part: [{}, {}] }, ["part is given 2 times, at most 1 are allowed"]],
  ])("refuse %s", (_what, config, problems) => {
    expect(configurationProblems(config, block)).toEqual(problems);
  });
});

it("A value survives the way to Terraform and back, unknown parts included", () => {
  const value = { text: "a", none: null, later: UNKNOWN, list: [1, true, { deep: UNKNOWN }], project: 123456789012 };
  expect(valueFromMessage(messageFromValue(value))).toEqual(value);
});

it.each([
  ["alone", [0xd4, 0, 0]],
  ["with what is known of it", [0xc7, 2, 12, 0x81, 0x01]],
])("A value that Terraform does not know yet is one whether it comes %s", (_how, bytes) => {
  expect(valueFromMessage({ msgpack: Uint8Array.from(bytes) })).toBe(UNKNOWN);
});

const object = (id: string, ...needs: string[]) => ({
  ...{ type: "thing", id, values: {}, writeOnly: {} },
  needs: needs.map((need) => needObject("thing", need)),
});

function cloudWith(...ids: string[]): Cloud {
  const cloud = new Cloud(surroundings);
  for (const id of ids) cloud.create(object(id));
  return cloud;
}

describe("The stand-in project", () => {
  it("creates nothing twice, nothing without what it needs, and deletes nothing that is needed", () => {
    const cloud = new Cloud(surroundings);
    expect(() => cloud.create(object("user", "base"))).toThrow(
      new Refusal("Error 400: thing user needs what is not there: thing base"),
    );
    const base = object("base");
    cloud.create(base);
    cloud.create(object("user", "base"));
    expect(() => cloud.create(object("user", "base"))).toThrow("thing user already exists");
    expect(() => cloud.destroy(base)).toThrow(new Refusal("Error 400: thing base is still used by thing user"));
    expect(cloud.find("thing", "base")).toBe(base);
  });
});

it("An image goes with its repository, and is back when it is pushed to a new one", () => {
  const cloud = new Cloud({ ...surroundings, hasImage: () => true });
  const image = "us-central1-docker.pkg.dev/my-project/idp-demo/idp:1";
  const isThere = () => imageNeed("my-project", image).every(({ isMet }) => isMet(cloud));
  const kind = GOOGLE_TYPES.google_artifact_registry_repository;
  const repository = {
    ...object("projects/my-project/locations/us-central1/repositories/idp-demo"),
    values: { registry_uri: "us-central1-docker.pkg.dev/my-project/idp-demo" },
  };

  expect(isThere()).toBe(true);
  kind?.afterDestroy?.(repository, cloud);
  expect(isThere()).toBe(false);
  expect(cloud.copy(surroundings).deletedRepositories).toEqual(cloud.deletedRepositories);
  kind?.afterCreate?.(repository, cloud);
  expect(isThere()).toBe(true);
});

describe("A data source of the stand-in", () => {
  const provider = new ResourceProvider(
    {
      provider: { version: 0, block: {} },
      data_source_schemas: {
        thing: {
          version: 0,
          block: {
            attributes: {
              name: { type: "string", required: true },
              id: { type: "string", computed: true },
              size: { type: "number", computed: true },
            },
          },
        },
      },
    },
    {
      resources: {},
      ephemeral: {},
      dataSources: {
        thing: {
          read: (config, cloud) => {
            const found = cloud.find("thing", textAt(config, "name"));
            if (found === undefined) throw new Refusal(`Error 404: thing ${textAt(config, "name")} was not found`);
            return { id: found.id };
          },
        },
      },
    },
    cloudWith("base"),
  );

  it("finds what exists and types what it knows nothing of", () => {
    expect(provider.look("thing", { name: "base", id: null, size: null })).toEqual({
      name: "base",
      id: "base",
      size: 0,
    });
  });

  it("refuses what is not there, and arguments that its schema does not have", () => {
    expect(() => provider.look("thing", { name: "gone", id: null, size: null })).toThrow(
      new Refusal("Error 404: thing gone was not found"),
    );
    expect(provider.problems("thing", { name: null, id: null, size: 2 }, "data")).toEqual([
      "name is required and missing",
      "size is the provider's to set",
    ]);
  });
});

/** Contains every kind of character that some encoding escapes. */
const SECRET = 'geheim+und <lang>/genug & "so" (weiter)!\u2028*';

/** As Go writes JSON. */
const terraformJson = (secret: string): string =>
  JSON.stringify({ secret })
    .replace(/</g, "\\u003c")
    .replace(/>/g, "\\u003e")
    .replace(/&/g, "\\u0026")
    .replace(/\u2028/g, "\\u2028");

const percentEncoded = (secret: string): string =>
  [...Buffer.from(secret)]
    .map((byte) => (/\w/.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : hexadecimal(byte)))
    .join("");

const hexadecimal = (byte: number): string => `%${byte.toString(16).padStart(2, "0").toUpperCase()}`;

describe("The look for secrets", () => {
  let folder: string;

  beforeEach(() => {
    folder = temporaryFolder();
  });

  it.each([
    ["as it is", (secret: string) => `"value": "${secret}"`],
    ["in Base64 of its own", (secret: string) => Buffer.from(secret).toString("base64")],
    ["somewhere in Base64 of more", (secret: string) => Buffer.from(`x=${secret};`).toString("base64")],
    ["in JSON", (secret: string) => JSON.stringify({ secret })],
    ["in Terraform's JSON", terraformJson],
    ["in Terraform's JSON in Terraform's JSON", (secret: string) => terraformJson(terraformJson(secret))],
    ["in an address", (secret: string) => `?q=${encodeURIComponent(secret)}`],
    ["in an address that has nothing but letters and digits", (secret: string) => `?q=${percentEncoded(secret)}`],
  ])("finds one %s", (_how, written) => {
    const cloud = new Cloud(surroundings);
    cloud.payloads.push({ name: "projects/1/secrets/s/versions/1", payload: SECRET });
    writeFileSync(join(folder, "terraform.tfstate"), written(SECRET));

    expect(new SecretScan().leaks({ folder, cloud, texts: { log: "nothing" } })).toEqual([
      "the payload of projects/1/secrets/s/versions/1 is in terraform.tfstate",
    ]);
    writeFileSync(join(folder, "terraform.tfstate"), "{}");
    expect(new SecretScan().leaks({ folder, cloud, texts: { log: "nothing" } })).toEqual([]);
  });

  it("lets a key stay where its provider keeps it, and be printed nowhere", () => {
    const cloud = new Cloud(surroundings);
    cloud.keptInState.add("geheim+und lang/genug");
    const state = JSON.stringify({ secret: "geheim+und lang/genug" });
    writeFileSync(join(folder, "terraform.tfstate"), state);

    expect(
      new SecretScan().leaks({ folder, cloud, texts: { log: state, shown: state }, stateViews: ["shown"] }),
    ).toEqual(["a key of the state is in log"]);
  });

  it("looks for a new one also in what was written before", () => {
    const cloud = new Cloud(surroundings);
    const scan = new SecretScan();
    const log = `${SECRET} ${"x".repeat(5000)}`;
    expect(scan.leaks({ folder, cloud, texts: { log } })).toEqual([]);

    cloud.payloads.push({ name: "projects/1/secrets/s/versions/1", payload: SECRET });
    expect(scan.leaks({ folder, cloud, texts: { log } })).toEqual([
      "the payload of projects/1/secrets/s/versions/1 is in log",
    ]);
    expect(scan.leaks({ folder, cloud, texts: { log } })).toEqual([]);
  });

  it.each([
    ["an ephemeral one nowhere", true, ["state", "plans"]],
    ["one that is only marked in plans, where Terraform keeps it", false, ["state"]],
  ])("accepts a secret input: %s", (_what, isEphemeral, places) => {
    const cloud = new Cloud(surroundings);
    const inputs = [{ name: "key", value: SECRET, isEphemeral }];
    const texts = { state: SECRET, plans: SECRET };

    expect(
      new SecretScan().leaks({ folder, cloud, texts, stateViews: ["state"], planViews: ["plans"], inputs }),
    ).toEqual(places.map((place) => `the input key is in ${place}`));
  });
});
