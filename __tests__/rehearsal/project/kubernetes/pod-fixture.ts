import { isValueObject, type Value, type ValueObject } from "../terraform-value";

export const size = { cpu: "500m", memory: "1Gi", "ephemeral-storage": "1Gi" };

export const hardened = { allow_privilege_escalation: false, capabilities: [{ add: null, drop: ["ALL", "NET_RAW"] }] };

/** A pod template that already has everything that admission would add. */
export const template: ValueObject = {
  metadata: [{ annotations: null }],
  spec: [
    {
      toleration: [
        {
          key: "kubernetes.io/arch",
          operator: "Equal",
          value: "amd64",
          effect: "NoSchedule",
          toleration_seconds: null,
        },
      ],
      security_context: [
        { run_as_user: "1000", seccomp_profile: [{ type: "RuntimeDefault", localhost_profile: null }] },
      ],
      container: [{ name: "server", resources: [{ requests: size, limits: size }], security_context: [hardened] }],
      init_container: [],
    },
  ],
};

/** The same with the value at a path replaced. */
export function having(path: string, value: Value, given: Value = template): Value {
  const [step = "", ...rest] = path.split(".");
  if (Array.isArray(given))
    return (given as Value[]).map((item, index) => (String(index) === step ? inner(item) : item));
  if (!isValueObject(given)) throw new Error(`there is no ${path}`);
  return { ...given, [step]: inner(given[step] ?? null) };

  function inner(item: Value): Value {
    return rest.length === 0 ? value : having(rest.join("."), value, item);
  }
}
