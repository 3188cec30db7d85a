import { type SecretReference } from "../../core/generated-secret";

/** An entry of a service's or a job's `env`, which are the same block under two types. */
interface SecretEntry {
  readonly name: string;
  readonly valueSource: { readonly secretKeyRef: { readonly secret: string; readonly version: string } };
}

/** Entries that read their values from the secret store when an instance starts, at exactly the given version. */
export function secretEntries(secretEnvironment: Readonly<Record<string, SecretReference>>): SecretEntry[] {
  return Object.entries(secretEnvironment).map(([name, { secretId, version }]) => ({
    name,
    valueSource: { secretKeyRef: { secret: secretId, version } },
  }));
}
