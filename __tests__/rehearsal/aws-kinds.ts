import { createHash } from "node:crypto";

import { needObject } from "./cloud";
import { type ResourceKind } from "./resource-kind";
import { textAt, type ValueObject } from "./terraform-value";

const ACCOUNT = "123456789012";

const arn = (kind: string, values: ValueObject): string =>
  `arn:aws:iam::${ACCOUNT}:${kind}${textAt(values, "path") || "/"}${textAt(values, "name")}`;

/** Twenty capitals and digits, always the same for the same text. */
const identifier = (prefix: string, seed: string): string =>
  `${prefix}${createHash("sha256").update(seed).digest("hex").toUpperCase()}`.slice(0, 20);

/** What is known of the aws provider's resource types. The secret of a key is in the state, as with the real one. */
export const AWS_KINDS: Readonly<Record<string, ResourceKind>> = {
  aws_iam_access_key: {
    replacedBy: ["user", "pgp_key"],
    source: "internal/service/iam/access_key.go",
    id: (values) => identifier("AKIA", `key of ${textAt(values, "user")}`),
    computed: (values) => ({
      secret: createHash("sha256")
        .update(`secret of ${textAt(values, "user")}`)
        .digest("base64")
        .slice(0, 40),
    }),
    needs: (values) => [needObject("aws_iam_user", textAt(values, "user"))],
  },

  aws_iam_policy: {
    replacedBy: ["name", "name_prefix", "path", "description"],
    source: "internal/service/iam/policy.go",
    id: (values) => arn("policy", values),
    computed: (values, { id }) => ({ arn: id, policy_id: identifier("ANPA", textAt(values, "name")) }),
  },

  aws_iam_user: {
    replacedBy: [],
    source: "internal/service/iam/user.go",
    id: (values) => textAt(values, "name"),
    computed: (values) => ({ arn: arn("user", values), unique_id: identifier("AIDA", textAt(values, "name")) }),
  },

  aws_iam_user_policy_attachment: {
    replacedBy: ["user", "policy_arn"],
    source: "internal/service/iam/user_policy_attachment.go",
    id: (values) => `${textAt(values, "user")}-${textAt(values, "policy_arn")}`,
    needs: (values) => [
      needObject("aws_iam_user", textAt(values, "user")),
      needObject("aws_iam_policy", textAt(values, "policy_arn")),
    ],
  },
};
