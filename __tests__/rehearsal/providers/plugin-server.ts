import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import {
  type GrpcObject,
  type handleUnaryCall,
  loadPackageDefinition,
  Server,
  ServerCredentials,
  type ServiceClientConstructor,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";

import { type ProviderSchema } from "../../stacks/provider-schema/provider-schema";
import { Refusal } from "../project/cloud";
import { messageFromValue, valueFromMessage } from "../project/terraform-value";
import { BrokenCreation, recordedAfterFailure, type ResourceProvider } from "./resource-provider";
import { schemaMessage } from "./schema-rules";

interface Message {
  readonly msgpack: Uint8Array;
}

/** Fields of all requests; a call has only its own. */
interface Question {
  readonly type_name: string;
  readonly config: Message;
  readonly prior_state: Message;
  readonly new_state: Message;
  readonly raw_state: { readonly json: Uint8Array };
}

/** The protocol's severity of an error. */
const SEVERITY_ERROR = 1;

/** Providers for Terraform to attach to, each on its own Unix socket, all in this process. */
export class PluginServer {
  private readonly folder = mkdtempSync(join(tmpdir(), "providers-"));
  private readonly servers: Server[] = [];

  /** Sockets by provider name, for `environment`. */
  private readonly sockets = new Map<string, string>();

  async add(name: string, provider: ResourceProvider): Promise<void> {
    const server = new Server();
    server.addService(providerService(), handlers(provider));
    const socket = join(this.folder, name);
    await new Promise<void>((resolve, reject) => {
      server.bindAsync(`unix:${socket}`, ServerCredentials.createInsecure(), (error) => {
        if (error === null) resolve();
        else reject(error);
      });
    });
    this.servers.push(server);
    this.sockets.set(name, socket);
  }

  /** Tells Terraform and OpenTofu, which resolve short names to different registries, where the providers are. */
  get environment(): Readonly<Record<string, string>> {
    const announced = [...this.sockets].flatMap(([name, socket]) =>
      ["registry.terraform.io", "registry.opentofu.org"].map((host) => [
        `${host}/hashicorp/${name}`,
        {
          Protocol: "grpc",
          ProtocolVersion: 5,
          Pid: process.pid,
          Test: true,
          Addr: { Network: "unix", String: socket },
        },
      ]),
    );
    return { TF_REATTACH_PROVIDERS: JSON.stringify(Object.fromEntries(announced)) };
  }

  stop(): void {
    for (const server of this.servers) server.forceShutdown();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const DEFINITION = loadSync(join(__dirname, "plugin-protocol.proto"), {
  keepCase: true,
  longs: Number,
  defaults: true,
});
const { Provider } = loadPackageDefinition(DEFINITION).tfplugin5 as GrpcObject;

/** Serialized schemas, kept because they are large, constant and requested by every run. */
const SCHEMA_ANSWERS = new WeakMap<ProviderSchema, Buffer>();

/** The provider service, whose schema is answered from what is kept. */
function providerService(): ServiceClientConstructor["service"] {
  const { service } = Provider as ServiceClientConstructor;
  const { GetSchema: method } = service;
  if (method === undefined) throw new Error("the protocol has no schema");
  const responseSerialize = (schema: ProviderSchema): Buffer => {
    const bytes = SCHEMA_ANSWERS.get(schema) ?? method.responseSerialize(schemaAnswer(schema));
    SCHEMA_ANSWERS.set(schema, bytes);
    return bytes;
  };
  return { ...service, GetSchema: { ...method, responseSerialize } };
}

function schemaAnswer(schema: ProviderSchema): object {
  const messages = (schemas: ProviderSchema["resource_schemas"] = {}) =>
    Object.fromEntries(Object.entries(schemas).map(([type, element]) => [type, schemaMessage(element)]));
  return {
    provider: schemaMessage(schema.provider),
    // As in the real providers: Terraform then requests the schema once per run, not once per use of the provider.
    server_capabilities: { get_provider_schema_optional: true },
    resource_schemas: messages(schema.resource_schemas),
    data_source_schemas: messages(schema.data_source_schemas),
    ephemeral_resource_schemas: messages(schema.ephemeral_resource_schemas),
  };
}

function handlers(provider: ResourceProvider): UntypedServiceImplementation {
  const answers: Readonly<Record<string, (question: Question) => object>> = {
    GetSchema: () => provider.schema,
    PrepareProviderConfig: ({ config }) => ({ value: config }),
    Configure: ({ config }) => {
      provider.configure(valueFromMessage(config));
      return {};
    },
    // Terraform itself checks a configuration by the schema.
    ValidateResourceTypeConfig: () => ({}),
    ValidateEphemeralResourceConfig: () => ({}),
    ValidateDataSourceConfig: () => ({}),
    ReadDataSource: ({ type_name: type, config }) => ({
      value: messageFromValue(provider.look(type, valueFromMessage(config))),
    }),
    UpgradeResourceState: ({ type_name: type, raw_state: { json } }) => ({
      value: messageFromValue(provider.upgraded(type, Buffer.from(json).toString())),
    }),
    ReadResource: ({ type_name: type, prior_state: state }) => ({
      value: messageFromValue(provider.read(type, valueFromMessage(state))),
    }),
    PlanResourceChange: ({ type_name: type, prior_state: prior, new_state: proposed, config }) => {
      const { planned, replacedBy } = provider.plan(type, {
        prior: valueFromMessage(prior),
        planned: valueFromMessage(proposed),
        config: valueFromMessage(config),
      });
      return {
        planned_state: messageFromValue(planned),
        requires_replace: replacedBy.map(attributePath),
        legacy_type_system: provider.fillsBlocks(type),
      };
    },
    ApplyResourceChange: ({ type_name: type, prior_state: priorMessage, new_state: planned, config }) => {
      const prior = valueFromMessage(priorMessage);
      const change = { prior, planned: valueFromMessage(planned), config: valueFromMessage(config) };
      try {
        return {
          new_state: messageFromValue(provider.apply(type, change)),
          legacy_type_system: provider.fillsBlocks(type),
        };
      } catch (error) {
        const state = error instanceof BrokenCreation ? error.state : recordedAfterFailure(change);
        return { new_state: messageFromValue(state), ...problem(error) };
      }
    },
    OpenEphemeralResource: ({ type_name: type, config }) => ({
      result: messageFromValue(provider.open(type, valueFromMessage(config))),
    }),
    CloseEphemeralResource: () => ({}),
    Stop: () => ({}),
  };
  return Object.fromEntries(Object.entries(answers).map(([name, answer]) => [name, unary(answer)]));
}

/** Turns an error of the stand-in into a provider diagnostic: Terraform shows it and stops. */
function unary(answer: (question: Question) => object): handleUnaryCall<Question, object> {
  return (call, callback) => {
    try {
      callback(null, answer(call.request));
    } catch (error) {
      callback(null, problem(error));
    }
  };
}

function problem(error: unknown): object {
  const isRefusal = error instanceof Refusal || error instanceof BrokenCreation;
  const summary = isRefusal ? error.message : `the stand-in failed: ${(error as Error).stack ?? String(error)}`;
  return { diagnostics: [{ severity: SEVERITY_ERROR, summary }] };
}

function attributePath(path: string): object {
  const steps = path
    .split(".")
    .map((step) => (/^\d+$/.test(step) ? { element_key_int: Number(step) } : { attribute_name: step }));
  return { steps };
}
