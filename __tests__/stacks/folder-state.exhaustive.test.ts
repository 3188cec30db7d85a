import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { App } from "cdktf";

import { Deployment } from "../rehearsal/deployment/deployment";
import { requireActions } from "../rehearsal/deployment/steps";
import { keysByAddress } from "../rehearsal/deployment/terraform-json";
import { LoopbackServer } from "../support/loopback-server";
import { describeWith, findProgram } from "../support/programs";
import { synthesizeInto, type SynthesizedFolder, type Terraform } from "../support/synthesis";
import { KUBERNETES_STACK_NAME, kubernetesStack } from "./kubernetes-stack";
import { LAB_STACK_NAME, labStack } from "./lab-stack";
import { serverlessStack, STACK_NAME } from "./serverless-stack";
import { refusalsOfFile } from "./terraform-run";

const FOLDERS: Readonly<Record<string, () => SynthesizedFolder>> = {
  [STACK_NAME]: () => synthesizeInto(App.of(serverlessStack()), STACK_NAME),
  [KUBERNETES_STACK_NAME]: () => synthesizeInto(App.of(kubernetesStack()), KUBERNETES_STACK_NAME),
  [LAB_STACK_NAME]: () => synthesizeInto(App.of(labStack()), LAB_STACK_NAME),
};

const PROGRAM = findProgram("terraform") ?? "";
const PROJECT = { project_id: "demo-project" };

/** A place for a state that is not a file, as the backend `http` has it. */
class StateServer extends LoopbackServer {
  state = "";

  constructor() {
    super((request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (text: string) => (body += text));
      request.on("end", () => {
        if (request.method === "POST") this.state = body;
        response.writeHead(request.method === "GET" && this.state === "" ? 404 : 200).end(this.state);
      });
    });
  }
}

/** The way that the page of a folder tells: the file, and the command behind it. */
function overrideOf(page: string): { readonly file: string; readonly text: string; readonly command: string[] } {
  const [, file = "", text = "", command = ""] = /^cat > (\S+) <<'END'\n(.*)\nEND\nterraform (.*)$/m.exec(page) ?? [];
  return { file, text, command: command.split(" ") };
}

describeWith(["terraform", "curl", "jq"], "The state of a handed-over folder", () => {
  const server = new StateServer();
  beforeAll(() => server.start());
  afterAll(() => server.stop());

  it("moves to another backend, and back, with the file described on the page and without a synthesis", async () => {
    const folder = FOLDERS[LAB_STACK_NAME]?.();
    if (folder === undefined) throw new Error("there is no lab");
    const deployment = await Deployment.start({ source: folder.path, inputs: PROJECT, program: PROGRAM });
    try {
      // The rehearsal's own file of this kind would be read later.
      rmSync(join(deployment.folder, "rehearsal_override.tf.json"));
      await deployment.init();
      await deployment.applyAtOnce();
      const addresses = deployment.stateAddresses();
      expect(addresses.length).toBeGreaterThan(20);
      const configuration = deployment.read("cdk.tf.json");

      const { command, file, text } = overrideOf(folder.read("guides/state-and-pipelines.md"));
      expect(JSON.parse(text)).toEqual({
        terraform: { backend: { gcs: { bucket: "my-states", prefix: "sign-in" } } },
      });
      expect(command).toEqual(["init", "-migrate-state"]);
      const backend = { http: { address: `http://${server.host}/${LAB_STACK_NAME}` } };
      writeFileSync(join(deployment.folder, file), JSON.stringify({ terraform: { backend } }));
      // Nobody is there to answer the question.
      const moved = await deployment.terraform([...command, "-force-copy"]);
      expect(moved.output).toMatch(/Successfully configured the backend "http"/);
      expect([...keysByAddress(JSON.parse(server.state)).keys()]).toEqual(addresses);
      requireActions("the plan after the move", await deployment.plan(), {});

      rmSync(join(deployment.folder, file));
      rmSync(join(deployment.folder, "terraform.tfstate"));
      const back = await deployment.terraform([...command, "-force-copy"]);
      expect([back.exitCode, deployment.stateAddresses()]).toEqual([0, addresses]);
      requireActions("the plan after the way back", await deployment.plan(), {});
      expect(deployment.read("cdk.tf.json")).toBe(configuration);
    } finally {
      await deployment.stop();
    }
  });
});

describeWith(["terraform"], "The example of inputs in a folder", () => {
  it.each(Object.keys(FOLDERS))("is read by Terraform as it is, and with every comment that is a value: %s", (name) => {
    const folder = FOLDERS[name]?.();
    const { variable = {} } = JSON.parse(folder?.read("cdk.tf.json") ?? "{}") as Pick<Terraform, "variable">;
    const example = folder?.read("terraform.tfvars.example") ?? "";
    const everything = example.replaceAll(/^#(?=\S)/gm, "");
    expect(everything.match(/^\w+ = /gm)).toHaveLength(Object.keys(variable).length);
    for (const text of [example, everything]) expect(refusalsOfFile(variable, text)).toEqual([]);
    expect(refusalsOfFile(variable, example.replace("my-project", "My Project"))).toEqual([
      expect.stringContaining('project_id is "My Project"'),
    ]);
  });
});
