import { type IResolvable } from "cdktf";

import { CheckedValue, wholeNumber } from "../../core/checked-value";
import { isOn } from "../../core/conditional";
import { type Rule } from "../../core/rules";
import { SECRET_NAME, SECRET_VERSION, type SecretReference } from "../../idp/secret-references";

/** Databases that tell the application where a client's address is, downloaded with an account at MaxMind. */
export interface Geoip {
  /** Number of the account. */
  readonly accountId: number | string;

  /** Secret with a licence key of the account. Another version starts new pods. */
  readonly licenseKeySecret: SecretReference;

  /**
   * Whether there are any.
   *
   * @default true
   */
  readonly enabled?: boolean | IResolvable;

  /**
   * Hours between updates: 1 to 168.
   *
   * @default 8
   */
  readonly updateHours?: number;
}

export const DEFAULT_GEOIP_UPDATE_HOURS = 8;

const ACCOUNT = "^[1-9][0-9]*$";

export const GEOIP_ACCOUNT = new CheckedValue<number | string>({
  accepts: (account) => new RegExp(ACCOUNT).test(String(account)),
  condition: (account) => `can(regex("${ACCOUNT}", ${account}))`,
  must: "be the number of an account at MaxMind",
  remedy: "copy it from the page of its licence keys",
  schema: { pattern: ACCOUNT },
});

export const GEOIP_UPDATE_HOURS = wholeNumber(
  { from: 1, to: 168 },
  { reason: "the databases change several times a week", remedy: `use ${DEFAULT_GEOIP_UPDATE_HOURS}` },
);

/** Whether there are databases, as a string: `true`, `false` or a boolean expression. */
export function hasGeoip({ enabled = true }: Geoip): string {
  return isOn(enabled);
}

export const GEOIP_RULES: readonly Rule<{ readonly geoip?: Geoip }>[] = [
  GEOIP_ACCOUNT.ruleOn("geoip.accountId", ({ geoip }) => geoip?.accountId),
  SECRET_NAME.ruleOn("geoip.licenseKeySecret.secretId", ({ geoip }) => geoip?.licenseKeySecret.secretId),
  SECRET_VERSION.ruleOn("geoip.licenseKeySecret.version", ({ geoip }) => geoip?.licenseKeySecret.version),
  GEOIP_UPDATE_HOURS.ruleOn("geoip.updateHours", ({ geoip }) => geoip?.updateHours),
];
