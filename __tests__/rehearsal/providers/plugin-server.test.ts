import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { trimmedSchema } from "../../stacks/provider-schema/provider-schema";
import { describeWith, findProgram } from "../../support/programs";
import { temporaryFolder } from "../../support/temporary-folder";
import { Cloud } from "../project/cloud";
import { Deployment } from "../deployment/deployment";
import { PluginServer } from "./plugin-server";
import { RANDOM_EPHEMERAL_TYPES, RANDOM_TYPES } from "../project/random-types";
import { ResourceProvider } from "./resource-provider";

it("A provider is announced to Terraform and to OpenTofu, which look for it at hosts of their own", async () => {
  const cloud = new Cloud({ enabledApis: new Set(), hasImage: () => false, hasAnswered: () => false });
  const schema = trimmedSchema("random");
  if (schema === undefined) throw new Error("there is no schema of random");
  const plugins = new PluginServer();
  try {
    await plugins.add(
      "random",
      new ResourceProvider(schema, { resources: RANDOM_TYPES, ephemeral: RANDOM_EPHEMERAL_TYPES }, cloud),
    );
    const announced = JSON.parse(plugins.environment.TF_REATTACH_PROVIDERS ?? "{}") as Record<string, object>;

    expect(Object.keys(announced)).toEqual([
      "registry.terraform.io/hashicorp/random",
      "registry.opentofu.org/hashicorp/random",
    ]);
    for (const place of Object.values(announced))
      expect(place).toMatchObject({ Protocol: "grpc", ProtocolVersion: 5, Addr: { Network: "unix" } });
  } finally {
    plugins.stop();
  }
});

describeWith(["terraform"], "A provider of the stand-in, asked by Terraform", () => {
  let source: string;
  let deployment: Deployment;

  const begin = async (configuration: object) => {
    source = temporaryFolder();
    writeFileSync(join(source, "cdk.tf.json"), JSON.stringify(configuration));
    deployment = await Deployment.start({ source, inputs: {}, program: findProgram("terraform") ?? "" });
    await deployment.init();
  };

  afterEach(async () => {
    await deployment.stop();
  });

  it("imports nothing, and says so", async () => {
    await begin({
      resource: { random_id: { one: { byte_length: 4 } } },
      import: [{ to: "random_id.one", id: "AAAAAA" }],
    });

    const { output } = await deployment.refuse("import", ["plan", "-input=false"]);

    expect(output).toContain("the stand-in imports nothing, so no random_id either");
  });

  it("reads a state of another release: without what its schema has since got, and with what it has lost", async () => {
    await begin({ resource: { random_id: { one: { byte_length: 4 } } } });
    await deployment.applyAtOnce();
    const file = join(deployment.folder, "terraform.tfstate");
    const state = JSON.parse(readFileSync(file, "utf8")) as {
      resources: [{ instances: [{ attributes: Record<string, unknown> }] }];
    };
    const [{ instances }] = state.resources;
    const { prefix, keepers, ...attributes } = instances[0].attributes;
    expect([prefix, keepers]).toEqual([null, null]);
    instances[0].attributes = { ...attributes, seed: "of old" };
    writeFileSync(file, JSON.stringify(state));

    expect(await deployment.isSettled()).toBe(true);
  });
});
