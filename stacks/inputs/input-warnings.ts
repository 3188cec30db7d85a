import { type TerraformStack } from "cdktf";

import { expression } from "../../lib/core/expression";
import { CheckBlock } from "../../lib/core/warnings";
import { CERTIFICATE_VALIDATION_DEFAULTS } from "../../lib/platform/edge/edge-rules";
import { DEFAULT_REQUEST_TIMEOUT_SECONDS } from "../../lib/platform/instance-rules";

/** What must hold, and what to say where it does not. */
type InputWarning = readonly [condition: string, message: string];

const SHARED: readonly InputWarning[] = [
  [
    "length(var.alerts) == 0 || length(var.alert_emails) + length(var.notification_channels) > 0",
    "alerts is set, and nobody gets an alert; without alert_emails and notification_channels there are none; set one of them",
  ],
  [
    'var.dump_schedule == null ? true : can(regex("^[0-9]+ ", var.dump_schedule))',
    "dump_schedule dumps the whole database several times an hour; each dump reads it in full, and holds up migrations; begin with a fixed minute, such as 30 4 * * *",
  ],
];

const OF_VARIANT = {
  serverless: [
    [
      "coalesce(var.uptime_check, false) ? var.public_access : true",
      "uptime_check is true and public_access is false; the check has no permission to call the service, so it always fails; leave uptime_check out, or set public_access to true",
    ],
  ],
  kubernetes: [
    [
      `var.domain != null || var.request_timeout_seconds == ${DEFAULT_REQUEST_TIMEOUT_SECONDS}`,
      "request_timeout_seconds is set without domain; only the load balancer of a domain has such a limit; set domain, or leave it out",
    ],
  ],
} as const satisfies Record<string, readonly InputWarning[]>;

/** Warns, at every plan, of inputs that are valid and do nothing, or harm. */
export function warnOfInputs(stack: TerraformStack, variant: keyof typeof OF_VARIANT): void {
  const warnings: readonly InputWarning[] = [
    ...SHARED,
    [
      `var.domain != null || var.certificate_validation == "${CERTIFICATE_VALIDATION_DEFAULTS[variant]}"`,
      "certificate_validation is set without domain; only a domain has a certificate; set domain, or leave it out",
    ],
    ...OF_VARIANT[variant],
  ];
  new CheckBlock(
    stack,
    "InputsHaveEffect",
    warnings.map(([condition, message]) => ({ condition: expression(condition), errorMessage: `${message}.` })),
  );
}
