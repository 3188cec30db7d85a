import { type IResolvable } from "cdktf";

import { type Rule } from "../core/rules";
import { type EnvironmentOverrides } from "./container-spec";
import { BOOTSTRAP_TOKEN } from "./contract";
import { ONE_VALUE, SECRET_REFERENCE_RULES, SECRET_VARIABLE_RULES, type SecretReferences } from "./secret-references";
import { setOnce } from "./set-once";
import { type Smtp } from "./smtp";
import { SMTP_RULES } from "./smtp-rules";

/** Props for settings of the application that are more than plain variables. */
export interface SettingsProps {
  /**
   * Application settings under their `IDP_…` names whose values are versions of existing secrets. The identity that the
   * application runs as is granted access to each; on GKE, whoever applies must be allowed to read them.
   *
   * The application parses values as JSON where possible, so a value of digits alone becomes a number.
   *
   * @default - none
   */
  readonly secretEnvironmentVariables?: SecretReferences;

  /**
   * Mail server that takes the application's mail, for example for the recovery of passwords.
   *
   * @default - none; the application sends no mail
   */
  readonly smtp?: Smtp;
}

interface JudgedProps extends SettingsProps {
  readonly bootstrapToken?: boolean | IResolvable;
  readonly environmentVariables?: EnvironmentOverrides;
}

/** A token is either generated or given. */
export const TOKEN_SET_ONCE = setOnce<boolean | IResolvable>({
  variables: [BOOTSTRAP_TOKEN.variable],
  isOn: (bootstrapToken) => bootstrapToken !== false,
  isOff: (bootstrapToken) => `!${bootstrapToken}`,
  is: "true",
  remedy: (bootstrapToken) => `set ${bootstrapToken} to false`,
});

const TOKEN_MADE = ["bootstrapToken", ({ bootstrapToken = false }: JudgedProps) => bootstrapToken] as const;

/** Rules for these settings, under the names that the caller uses. */
export const SETTINGS_RULES: readonly Rule<JudgedProps>[] = [
  ...[...SECRET_VARIABLE_RULES, ...SECRET_REFERENCE_RULES].map((rule) =>
    rule.ruleOn<JudgedProps>(
      "secretEnvironmentVariables",
      // The rules access members by name.
      ({ secretEnvironmentVariables: given }) => given as Readonly<Record<string, Entry>> | IResolvable | undefined,
    ),
  ),
  ONE_VALUE.ruleOn({
    plain: ["environmentVariables", ({ environmentVariables = {} }) => environmentVariables],
    secret: ["secretEnvironmentVariables", ({ secretEnvironmentVariables = {} }) => secretEnvironmentVariables],
  }),
  TOKEN_SET_ONCE.ruleOn({
    setter: TOKEN_MADE,
    variables: ["environmentVariables", ({ environmentVariables = {} }) => environmentVariables],
  }),
  TOKEN_SET_ONCE.ruleOn({
    setter: TOKEN_MADE,
    variables: ["secretEnvironmentVariables", ({ secretEnvironmentVariables = {} }) => secretEnvironmentVariables],
  }),
  ...SMTP_RULES,
];

type Entry = Readonly<Record<string, unknown>>;
