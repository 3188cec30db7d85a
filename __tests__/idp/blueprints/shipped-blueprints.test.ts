import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

import { parse } from "yaml";

import { BLUEPRINT_TAGS } from "../../../lib/idp/blueprint-rules";
import { SHIPPED_BLUEPRINTS, shippedBlueprintName, SIGN_IN_PROBE_BLUEPRINT } from "../../../lib/idp/blueprints";
import { BLUEPRINT_VARIABLE_PREFIX } from "../../../lib/idp/contract";
import { PINNED_VERSION } from "../../../lib/idp/releases";

/**
 * What release 2026.5.4 of the application takes in a blueprint, for the models of the shipped ones: the fields of a
 * request to create one, which a blueprint has too (and the password of a user and the key of a token, which are for
 * blueprints alone: authentik/core/api/users.py and tokens.py), and "*" after those that are required. From the
 * upstream's API client, `authentik_client/models/*_request.py`, and the first from
 * authentik/blueprints/v1/meta/apply_blueprint.py.
 */
const RELEASE = `
authentik_blueprints.metaapplyblueprint: identifiers* required
authentik_brands.brand: domain* default branding_title branding_logo branding_favicon branding_custom_css
  branding_default_flow_background flow_authentication flow_invalidation flow_recovery flow_unenrollment
  flow_user_settings flow_device_code flow_lockdown default_application web_certificate client_certificates
  attributes
authentik_stages_identification.identificationstage: name* user_fields password_stage captcha_stage
  case_insensitive_matching show_matched_user enrollment_flow recovery_flow passwordless_flow sources
  show_source_labels pretend_user_exists enable_remember_me webauthn_stage
authentik_providers_oauth2.oauth2provider: name* authentication_flow authorization_flow* invalidation_flow*
  property_mappings client_type grant_types client_id client_secret access_code_validity access_token_validity
  refresh_token_validity refresh_token_threshold include_claims_in_id_token signing_key encryption_key
  redirect_uris* logout_uri logout_method sub_mode issuer_mode jwt_federation_sources jwt_federation_providers
authentik_core.application: name* slug* provider backchannel_providers open_in_new_tab meta_launch_url meta_icon
  meta_description meta_publisher policy_engine_mode group meta_hide
authentik_policies_expression.expressionpolicy: name* execution_logging expression*
authentik_policies.policybinding: policy group user target* negate enabled order* timeout failure_result
authentik_core.user: username* name* is_active last_login groups roles email attributes path type password
authentik_providers_ldap.ldapprovider: name* authentication_flow authorization_flow* invalidation_flow* property_mappings
  base_dn certificate tls_server_name uid_start_number gid_start_number search_mode bind_mode mfa_support
authentik_providers_radius.radiusprovider: name* authentication_flow authorization_flow* invalidation_flow*
  property_mappings client_networks shared_secret mfa_support certificate
authentik_core.token: managed identifier* intent user description expires expiring key
authentik_outposts.outpost: name* type* providers* service_connection config* managed
authentik_outposts.kubernetesserviceconnection: name* local kubeconfig verify_ssl
authentik_flows.flow: name* slug* title* designation* background policy_engine_mode compatibility_mode layout
  denied_action authentication
`;

const MODELS = new Map(
  RELEASE.trim()
    .split(/\n(?! )/)
    .map((row): [string, string[]] => {
      const [model = "", ...fields] = row.split(/:?\s+/);
      return [model, fields];
    }),
);

interface Entry {
  readonly model: string;
  readonly id?: string;
  readonly state?: "created";
  readonly conditions?: readonly unknown[];
  readonly identifiers?: Readonly<Record<string, unknown>>;
  readonly attrs?: Readonly<Record<string, unknown>>;
  readonly permissions?: readonly { readonly permission: string }[];
}

const FOLDER = join(__dirname, "../../../image/blueprints");

/** A tag with its arguments, in the place of its value. */
class Tagged {
  constructor(
    readonly tag: string,
    readonly value: unknown,
  ) {}
}

const CUSTOM_TAGS = BLUEPRINT_TAGS.flatMap((name) => [
  { tag: `!${name}`, resolve: (text: string) => new Tagged(name, text) },
  {
    tag: `!${name}`,
    collection: "seq" as const,
    resolve: (node: unknown) => new Tagged(name, (node as { toJSON(): unknown }).toJSON()),
  },
]);

const blueprints = readdirSync(FOLDER).map((file) => {
  const text = readFileSync(join(FOLDER, file), "utf8");
  const content = parse(text, { customTags: CUSTOM_TAGS }) as {
    readonly version: number;
    readonly metadata: { readonly name: string };
    readonly entries: readonly Entry[];
  };
  return { name: basename(file, ".yaml"), text, content };
});

const entries = blueprints.flatMap(({ content, name }) => content.entries.map((entry) => ({ ...entry, of: name })));

const keyOf = ({ identifiers, model, of }: (typeof entries)[number]) => ({ identifiers, model, of });

const fieldsOf = ({ attrs = {}, identifiers = {} }: Entry) => ({ ...identifiers, ...attrs });

describe(`Shipped blueprints, by what release ${PINNED_VERSION} takes`, () => {
  it("are those that the input names and that of the sign-in probe, under the names that the application lists", () => {
    const names = [...Object.keys(SHIPPED_BLUEPRINTS), SIGN_IN_PROBE_BLUEPRINT];
    expect(blueprints.map(({ name }) => name).sort()).toEqual(names.sort());
    for (const { content, name } of blueprints) {
      expect(content).toMatchObject({ version: 1, metadata: { name: shippedBlueprintName(name).literal } });
    }
  });

  it("use existing models and their fields", () => {
    const unknown = entries.flatMap((entry) =>
      Object.keys(fieldsOf(entry))
        .filter((field) => ![field, `${field}*`].some((name) => MODELS.get(entry.model)?.includes(name)))
        .map((field) => `${entry.of}: ${entry.model}.${field}`),
    );
    expect(unknown).toEqual([]);
  });

  it("set every required field of a new object, unless it is one of the application's own", () => {
    const OWN_OBJECTS = ["default-authentication-identification", "default-source-enrollment"];
    const isMadeBefore = (entry: (typeof entries)[number]) =>
      entries.some(
        (each) =>
          each.state === "created" &&
          each.id !== entry.id &&
          JSON.stringify(keyOf(each)) === JSON.stringify(keyOf(entry)),
      );
    const lacking = entries
      .filter(({ identifiers = {} }) => !OWN_OBJECTS.some((name) => Object.values(identifiers).includes(name)))
      .filter((entry) => !isMadeBefore(entry))
      .flatMap((entry) =>
        (MODELS.get(entry.model) ?? [])
          .filter((field) => field.endsWith("*") && !(field.slice(0, -1) in fieldsOf(entry)))
          .map((field) => `${entry.of}: ${entry.model}.${field}`),
      );
    expect(lacking).toEqual([]);
  });

  it("make once what a person may change, and set again only what a stack generates or what a file is for", () => {
    const setAgain = entries
      .filter(({ model, state }) => state !== "created" && !model.endsWith(".metaapplyblueprint"))
      .map(({ attrs = {}, model, of }) => `${of}: ${model.split(".")[1] ?? ""} ${Object.keys(attrs).join(" ")}`);
    expect(setAgain).toEqual([
      "branding: brand branding_title branding_logo branding_favicon",
      "ldap: user name type path password",
      "ldap: token intent managed expiring user key",
      "no-sign-up: identificationstage user_fields sources enrollment_flow",
      "no-sign-up: expressionpolicy expression",
      "no-sign-up: flow policy_engine_mode",
      "no-sign-up: policybinding ",
      "oidc-client: oauth2provider client_secret",
      "password-recovery: brand flow_recovery",
      "password-recovery: identificationstage user_fields sources recovery_flow",
      "radius: radiusprovider shared_secret",
      "radius: token intent managed expiring user key",
      "sign-in-probe: user name email type path password",
    ]);
  });

  it("apply a default of the application only where it is not there", () => {
    const defaults = entries.filter(({ model }) => model.endsWith(".metaapplyblueprint"));
    expect(defaults.length).toBeGreaterThan(5);
    for (const { conditions = [] } of defaults) {
      const [condition] = taggedIn(conditions);
      const [mode, found] = condition?.value as readonly [string, Tagged];
      expect([conditions.length, condition?.tag, mode, found.tag]).toEqual([1, "Condition", "NAND", "Find"]);
    }
  });

  it("allow grants to the OpenID Connect client, without which releases from 2026.5 on refuse its every request", () => {
    const [client] = entries.filter(({ model, state }) => model.endsWith(".oauth2provider") && state === "created");
    expect(client?.attrs?.grant_types).toEqual(["authorization_code", "refresh_token"]);
  });

  it("name permissions with their application, without which releases from 2026.2 on refuse them", () => {
    const names = entries.flatMap(({ permissions = [] }) => permissions.map(({ permission }) => permission));
    expect(names).toEqual(["authentik_providers_ldap.search_full_directory"]);
  });

  it("leave private networks to a second provider of RADIUS", () => {
    const [, networks] = taggedIn(entries.map(fieldsOf))
      .map(({ value }) => value)
      .find((value) => Array.isArray(value) && value[0] === "IDP_BLUEPRINT_RADIUS_NETWORKS") as readonly [
      string,
      string,
    ];
    expect(networks).toBe("10.0.0.0/8");
  });

  it("refer only to entries of their own that precede", () => {
    for (const { content } of blueprints) {
      const known: string[] = [];
      for (const entry of content.entries) {
        for (const { tag, value } of taggedIn(fieldsOf(entry))) if (tag === "KeyOf") expect(known).toContain(value);
        if (entry.id !== undefined) known.push(entry.id);
      }
    }
  });

  it("wait for what they build on, and change nothing before that", () => {
    for (const { content } of blueprints) {
      const models = content.entries.map(({ model }) => model.endsWith(".metaapplyblueprint"));
      expect(models).toEqual([...models].sort((one, other) => Number(other) - Number(one)));
      const required = content.entries.filter(({ attrs }) => attrs?.required !== undefined);
      expect(required.map(({ attrs }) => attrs?.required)).toEqual(models.filter(Boolean).map(() => true));
    }
  });

  it("read variables that are meant for them alone, and name each in the header", () => {
    for (const { content, text } of blueprints) {
      const read = taggedIn(content).flatMap(({ tag, value }) => (tag === "Env" ? [[value].flat()[0] as string] : []));
      const [header = ""] = text.split("\nversion: 1");
      for (const variable of read) {
        expect(variable.startsWith(BLUEPRINT_VARIABLE_PREFIX)).toBe(true);
        expect(header).toContain(variable);
      }
    }
  });
});

function taggedIn(value: unknown): Tagged[] {
  if (value instanceof Tagged) return [value, ...taggedIn(value.value)];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap((inner) => taggedIn(inner)) : [];
}

type Row = Readonly<Record<string, unknown>>;

/** What the importer makes of a token's entry (authentik/blueprints/v1/{common,importer}.py, core/api/tokens.py). */
function imported({ attrs, identifiers }: Entry, outpost: Row, users: readonly Row[], tokens: readonly Row[]): Row {
  const resolved = (value: unknown): unknown => {
    if (!(value instanceof Tagged)) return value;
    const [first, ...others] = [value.value].flat() as [string, ...unknown[]];
    if (value.tag === "Env") return "generated";
    if (value.tag === "KeyOf") return first === outpost.id ? outpost.pk : undefined;
    if (value.tag === "Format") return first.replace("%s", String(resolved(others[0])));
    return users.find((user) => (others as [string, string][]).every(([key, wanted]) => user[key] === wanted))?.pk;
  };
  const rowOf = (fields: Row = {}): Row =>
    Object.fromEntries(Object.entries(fields).map(([name, each]) => [name, resolved(each)]));
  const found = tokens.find((token) => token.identifier === rowOf(identifiers).identifier);
  const token: Row = { ...found, ...rowOf(attrs), ...rowOf(identifiers) };
  if (token.user !== (found ?? token).user) throw new Error("User cannot be changed");
  return token;
}

it.each(["ldap", "radius"])("The token of the outpost %s is taken over or made, for its own account", (type) => {
  const entry = entries.find(({ model, of }) => of === type && model === "authentik_core.token") ?? { model: "" };
  const outpost = { id: "outpost", pk: "0b5ac3a5-9b0c-4e4c-8ac0-3f1d3b6f8e11" };
  const [name, identifier] = [`Outpost ${type} Service-Account`, `ak-outpost-${outpost.pk}-api`];
  // Somebody else took the name first.
  const users = ["internal", "internal_service_account"].map((type, pk) => ({ pk, name, type }));
  const managed = `goauthentik.io/outpost/${identifier}`;
  const made = { identifier, managed, intent: "api", expiring: false, user: 1, key: "generated" };
  const own = { identifier, user: 1, pk: 2, description: "by the application" };
  const other = { identifier: "ak-outpost-other-api", user: 0, pk: 1 };
  expect(imported(entry, outpost, users, [other, own])).toEqual({ ...own, ...made });
  expect(imported(entry, outpost, users, [other])).toEqual(made);
});
