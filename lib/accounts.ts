/** Names and descriptions of the service accounts, and the members of `existingServiceAccounts` that replace them. */
export const ACCOUNTS = {
  Initializer: ["idp-init", "Runs the database initialization of the identity provider", "job"],
  Runtime: ["idp-run", "Runs the identity provider", "service"],
  Dumper: ["idp-dump", "Dumps the database of the identity provider", "dump"],
  Checker: ["idp-check", "Asks the database of the identity provider what stands still", "checkUp"],
} as const;
