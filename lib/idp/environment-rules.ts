import { type TerraformVariableValidationConfig } from "cdktf";

import {
  BOOTSTRAP_PASSWORD,
  DATABASE_VARIABLES,
  NEUTRAL_PREFIX,
  SECRET_KEY,
  SERVER_LISTENER,
  UPSTREAM_PREFIX,
} from "./contract";

/** Why a name must not be among the caller's variables, and where its value goes instead. */
interface ReservedName {
  readonly names: readonly string[];
  readonly reason: string;
}

const RESERVED_NAMES: readonly ReservedName[] = [
  {
    names: bothSpellings(SECRET_KEY.variable),
    reason: "it is a secret that is generated once and read from the secret store; leave it out",
  },
  {
    names: bothSpellings(BOOTSTRAP_PASSWORD.variable),
    reason: "it is a secret that is read from the secret store; give it as bootstrap_password",
  },
  {
    names: Object.values(DATABASE_VARIABLES),
    reason:
      "the platform sets it to the database it created; to use another one, set the matching IDP_POSTGRESQL__ variable",
  },
  {
    names: Object.keys(SERVER_LISTENER).flatMap(bothSpellings),
    reason: "the platform sends traffic and probes to its own port, so the server would never be ready; leave it out",
  },
  {
    names: ["K_CONFIGURATION", "K_REVISION", "K_SERVICE", "PORT"],
    reason: "the platform owns it; the container always listens on its own port",
  },
];

/** What the platforms and POSIX accept as the name of a variable. */
const NAME_PATTERN = "^[A-Za-z_][A-Za-z0-9_]*$";

/** A variable under our prefix and under the upstream's own, which would win over ours. */
function bothSpellings(variable: string): string[] {
  return [variable, `${UPSTREAM_PREFIX}${variable.slice(NEUTRAL_PREFIX.length)}`];
}

/** Every problem of a literal map of variables, one sentence each; values are not shown. */
export function environmentProblems(names: readonly string[]): string[] {
  const malformed = names.filter((name) => !new RegExp(NAME_PATTERN).test(name));
  const reserved = RESERVED_NAMES.flatMap(({ names: taken, reason }) =>
    names.filter((name) => taken.includes(name)).map((name) => `environment has ${name}; ${reason}`),
  );
  return [
    ...malformed.map(
      (name) =>
        `environment has ${JSON.stringify(name)}; a name is letters, digits and underscores and does not start with a digit, because shells drop others; rename it`,
    ),
    ...reserved,
  ];
}

/** The same rules for a map that only Terraform knows. */
export function environmentValidations(variable: string): TerraformVariableValidationConfig[] {
  return [
    {
      condition: `\${alltrue([for name in keys(var.${variable}) : can(regex("${NAME_PATTERN}", name))])}`,
      errorMessage: `${variable} has \${join(", ", [for name in keys(var.${variable}) : jsonencode(name) if !can(regex("${NAME_PATTERN}", name))])}; a name is letters, digits and underscores and does not start with a digit, because shells drop others; rename it.`,
    },
    ...RESERVED_NAMES.map(({ names, reason }) => ({
      condition: `\${length(setintersection(keys(var.${variable}), ${JSON.stringify(names)})) == 0}`,
      errorMessage: `${variable} has \${join(", ", setintersection(keys(var.${variable}), ${JSON.stringify(names)}))}; ${reason}.`,
    })),
  ];
}
