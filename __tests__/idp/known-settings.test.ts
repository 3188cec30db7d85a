import { ref, TerraformLocal, Token } from "cdktf";

import { InputVariable } from "../../lib/core/input-variable";
import { addWarnings } from "../../lib/core/warnings";
import { BASELINE_ENVIRONMENT, BASE_URL_VARIABLE, DATABASE_TARGETS, PINNED_VERSION } from "../../lib/idp/contract";
import { trustedProxies } from "../../lib/idp/identity-provider-container";
import {
  KNOWN_SETTINGS_FILE,
  initialSettingsRisk,
  knownSettings,
  unknownSettings,
  unknownSettingsRisks,
} from "../../lib/idp/known-settings";
import { evaluated } from "../stacks/terraform-run";
import { describeWith } from "../support/programs";
import { bareStack, type Terraform, terraformOf, warningsOf } from "../support/synthesis";

/** What operators write, each with the setting that they mean; empty for what is right or not for the application. */
const WRITTEN: Readonly<Record<string, string>> = {
  IDP_EMIAL__HOST: "IDP_EMAIL__HOST",
  IDP_EMAIL_HOST: "IDP_EMAIL__HOST",
  IDP_EMAIL__FORM: "IDP_EMAIL__FROM",
  IDP_LOGLEVEL: "IDP_LOG_LEVEL",
  IDP_ERROR_REPORTING_ENABLED: "IDP_ERROR_REPORTING__ENABLED",
  IDP_COOKIES_DOMAIN: "IDP_COOKIE_DOMAIN",
  IDP_WORKER__PROCESES: "IDP_WORKER__PROCESSES",
  IDP_POSTGRES__CONN_MAX_AGE: "IDP_POSTGRESQL__CONN_MAX_AGE",
  IDP_POSTGRESQL__READ_REPLICAS__0__HOSTS: "IDP_POSTGRESQL__READ_REPLICAS__*__HOST",
  AUTHENTIK_EMIAL__HOST: "IDP_EMAIL__HOST",
  IPD_EMAIL__HOST: "IDP_EMAIL__HOST",
  EMAIL__HOST: "IDP_EMAIL__HOST",
  idp_email__host: "IDP_EMAIL__HOST",
  IDP_EMAIL__HOST: "",
  IDP_email__host: "",
  AUTHENTIK_EMAIL__HOST: "",
  IDP_POSTGRESQL__READ_REPLICAS__12__SSLMODE: "",
  IDP_LOG__RUST_LOG__h2: "",
  IDP_STORAGE__MEDIA__S3__BUCKET_NAME: "",
  IDP_BOOTSTRAP_PASSWORD_HASH: "",
  IDP_BLUEPRINT_BRANDING_TITLE: "",
  TZ: "",
  HTTPS_PROXY: "",
  OIDC_CLIENT_ID: "",
};
const UNKNOWN = Object.fromEntries(Object.entries(WRITTEN).filter(([, meant]) => meant !== ""));
const ADVICE = `release ${PINNED_VERSION} has no setting of that name and ignores it; compare the spelling`;

const stackWith = (maps: Parameters<typeof unknownSettingsRisks>[1], stack = bareStack()) => {
  addWarnings(stack, "SettingsAreKnown", unknownSettingsRisks(stack, maps));
  return stack;
};

describe("The names of settings", () => {
  it("include all that this library sets, and are sorted", () => {
    const own = [...Object.keys({ ...BASELINE_ENVIRONMENT, ...trustedProxies([]) }), BASE_URL_VARIABLE];
    expect(knownSettings()).toEqual(expect.arrayContaining([...own, ...Object.values(DATABASE_TARGETS)]));
    expect(knownSettings()).toEqual([...knownSettings()].sort());
  });

  it.each(Object.entries(WRITTEN))(
    "are compared with those that the application knows: %s is probably %j",
    (name, meant) => {
      expect(unknownSettings([name])).toEqual(meant === "" ? {} : { [name]: meant });
    },
  );

  it("cause a warning at synth, with the most similar known one, if the map is a literal", () => {
    const environmentVariables = { IDP_EMIAL__HOST: "a", IDP_EMAIL__PORT: "587", IDP_LOGLEVEL: "b" };
    const secretEnvironmentVariables = { IDP_EMIAL__PASSWORD: { secretId: "mail", version: 1 } };
    expect(warningsOf(stackWith({ environmentVariables, secretEnvironmentVariables }))).toEqual([
      `environmentVariables has IDP_EMIAL__HOST (IDP_EMAIL__HOST?), IDP_LOGLEVEL (IDP_LOG_LEVEL?); ${ADVICE}`,
      `secretEnvironmentVariables has IDP_EMIAL__PASSWORD (IDP_EMAIL__PASSWORD?); ${ADVICE}`,
    ]);
    expect(warningsOf(stackWith({ environmentVariables: { IDP_EMAIL__PORT: "587" } }))).toEqual([]);
  });
});

const INITIAL = { AUTHENTIK_GDPR_COMPLIANCE: "false", idp_avatars: "initials" };
const INITIAL_ADVICE =
  "that counts at the first start only, after which the application keeps it itself; change it there, at System > Settings";

describe("Settings that count at the first start only", () => {
  it("cause a warning", () => {
    const warned = (variables: Record<string, string>) => {
      const stack = bareStack();
      addWarnings(stack, "SettingsCount", [initialSettingsRisk(stack, variables)]);
      return warningsOf(stack);
    };
    expect(warned({ ...INITIAL, IDP_AVATARS_URL: "x", AVATARS: "x" })).toEqual([
      `environmentVariables has AUTHENTIK_GDPR_COMPLIANCE, idp_avatars; ${INITIAL_ADVICE}`,
    ]);
    expect(warned({ IDP_LOG_LEVEL: "debug" })).toEqual([]);
  });
});

describeWith(["terraform"], "The names of settings in an input", () => {
  /** Names that differ from a known one as mistakes do: swapped, left out, doubled, and with a word of another. */
  const mistakes = knownSettings().flatMap((name, index, all) => {
    if (index % 24 !== 0) return [];
    const at = 4 + ((index * 7) % (name.length - 5));
    const swapped = `${name.slice(0, at)}${name.charAt(at + 1)}${name.charAt(at)}${name.slice(at + 2)}`;
    const shortened = `${name.slice(0, at)}${name.slice(at + 1)}`;
    const mixed = `${name}_${all[(index * 31) % all.length]?.slice(4) ?? ""}`;
    return [[swapped, shortened, mixed][index % 3] ?? "", ...(index % 5 === 0 ? [name] : [])];
  });

  it("are judged by Terraform as in TypeScript", () => {
    const stack = bareStack();
    const names = [
      ...new Set([...Object.keys({ ...WRITTEN, ...INITIAL }), ...mistakes.map((name) => name.replace("*", "0"))]),
    ];
    const variable = new InputVariable(stack, "environment_variables", {
      type: "map(string)",
      default: Object.fromEntries(names.map((name) => [name, "x"])),
      description: "Text.",
    });
    const secrets = new InputVariable(stack, "secret_environment_variables", {
      type: "map(object({ secret_id = string }))",
      default: { IDP_EMIAL__PASSWORD: { secret_id: "mail" }, IDP_EMAIL__PASSWORD: { secret_id: "mail" } },
      description: "Text.",
    });
    stackWith({ environmentVariables: ref(variable.fqn), secretEnvironmentVariables: ref(secrets.fqn) }, stack);
    new TerraformLocal(stack, "message", initialSettingsRisk(stack, ref(variable.fqn)).message);
    expect(Token.isUnresolved(ref(variable.fqn))).toBe(true);
    const inFolder = JSON.stringify(terraformOf(stack));
    const here = inFolder.replaceAll("${path.module}/settings/known-settings.txt", KNOWN_SETTINGS_FILE);
    const found = evaluated(JSON.parse(here) as Terraform);
    expect(found.unknown_environment_variables).toEqual(unknownSettings(names));
    expect(found.message).toBe(
      `environment_variables has AUTHENTIK_GDPR_COMPLIANCE, IDP_AVATARS, idp_avatars; ${INITIAL_ADVICE}`,
    );
    expect(found.unknown_secret_environment_variables).toEqual({ IDP_EMIAL__PASSWORD: "IDP_EMAIL__PASSWORD" });
    expect(Object.keys(unknownSettings(names)).length).toBeGreaterThan(mistakes.length / 2);
    expect(unknownSettings(names)).toMatchObject(UNKNOWN);
  });
});
