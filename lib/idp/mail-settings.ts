import { ref, Token } from "cdktf";

import { allOf, isOn, isWord, listIf } from "../core/conditional";
import { expression, literal, numberText, quoted } from "../core/expression";
import { type EnvironmentSpec } from "./container-spec";
import { type SecretReferences } from "./secret-references";
import { conditionalReference } from "./secret-settings";
import { IMPLICIT_TLS, MAIL_VARIABLES, SMTP_DEFAULTS, STARTTLS, type Smtp } from "./smtp";

/** What a mail server adds to the application and to its platform. */
export interface MailSettings {
  /** Whether there is one, as a string: `true`, `false` or a boolean expression. */
  readonly isOn: string;

  /** The application's settings, apart from the password. */
  readonly environment: Required<Pick<EnvironmentSpec, "baseline" | "optional">>;

  /** The variable with the password; undefined if there can be none. */
  readonly password: SecretReferences | undefined;

  /** TCP ports that must be open, as a list or a Terraform expression of one. */
  readonly ports: readonly number[] | string;
}

/** Settings of the application for its mail server. */
export function mailSettings(smtp: Smtp | undefined): MailSettings {
  if (smtp === undefined) {
    return { isOn: "false", environment: { baseline: {}, optional: {} }, password: undefined, ports: [] };
  }
  const { enabled = true, encryption = SMTP_DEFAULTS.encryption, port = SMTP_DEFAULTS.port } = smtp;
  const { from, host, timeout = SMTP_DEFAULTS.timeout, username } = smtp;
  const condition = isOn(enabled);
  const values: Readonly<Record<string, string | undefined>> = {
    [MAIL_VARIABLES.host]: host,
    [MAIL_VARIABLES.port]: numberText(port),
    [MAIL_VARIABLES.username]: username === undefined ? undefined : textForJson(username),
    [MAIL_VARIABLES.startsTls]: isWord(encryption, STARTTLS),
    [MAIL_VARIABLES.encryptsAtOnce]: isWord(encryption, IMPLICIT_TLS),
    [MAIL_VARIABLES.timeout]: numberText(timeout),
    [MAIL_VARIABLES.from]: from,
  };
  return {
    isOn: condition,
    environment: environmentOf(values, condition),
    password: passwordOf(smtp, condition),
    ports: portsOf(port, condition),
  };
}

/** A command that exists only with a mail server: undefined without, null if there is none at plan. */
export function ifMail({ isOn: condition }: MailSettings, command: string): string | undefined {
  if (condition === "false") return undefined;
  return condition === "true" ? command : expression(`(${condition} ? ${quoted(command)} : null)`);
}

/** The parts known at synth and those known only at plan. */
function environmentOf(values: Readonly<Record<string, string | undefined>>, condition: string) {
  const baseline: Record<string, string> = {};
  const optional: Record<string, string> = {};
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || condition === "false") continue;
    if (condition === "true" && !Token.isUnresolved(value)) baseline[name] = value;
    // An expression for each, because members of an object that is null have defaults.
    else optional[name] = expression(`(${condition} ? tostring(${asOperand(value)}) : null)`);
  }
  return { baseline, optional };
}

/** As part of an expression. */
function asOperand(value: string): string {
  return Token.isUnresolved(value) ? value : JSON.stringify(literal(value));
}

/** The application parses its environment as JSON where possible, so a user name of digits would become a number. */
function textForJson(text: string): string {
  if (Token.isUnresolved(text)) return expression(`(can(jsondecode(${text})) ? jsonencode(${text}) : ${text})`);
  try {
    JSON.parse(text);
    return JSON.stringify(text);
  } catch {
    return text;
  }
}

function passwordOf({ passwordSecret }: Smtp, condition: string): SecretReferences | undefined {
  if (passwordSecret === undefined) return undefined;
  const { enabled = true, secretId, version } = passwordSecret;
  const hasPassword = allOf(condition, isOn(enabled));
  if (hasPassword === "false") return undefined;
  if (hasPassword === "true") return { [MAIL_VARIABLES.password]: { secretId, version } };
  const text = typeof version === "string" ? version : numberText(version);
  const operands = { secretId: asOperand(secretId), version: asOperand(text) };
  return ref(conditionalReference(MAIL_VARIABLES.password, operands, hasPassword));
}

function portsOf(port: number, condition: string): readonly number[] | string {
  if (condition === "false") return [];
  if (condition === "true" && !Token.isUnresolved(port)) return [port];
  return listIf(condition, numberText(port));
}
