import { createHash, randomBytes } from "node:crypto";

import { needObject } from "./needs";
import { type ResourceTypes } from "./resource-type";
import { textAt } from "./terraform-value";

const ACCOUNT = "123456789012";

function idOf(prefix: string, ...parts: readonly string[]): string {
  const hash = createHash("sha256").update(parts.join(" ")).digest("hex").toUpperCase();
  return `${prefix}${hash.slice(0, 16)}`;
}

/** Resource types of the aws provider. Users and policies have no region. */
export const AWS_TYPES: ResourceTypes = {
  aws_iam_user: {
    replacedBy: [],
    source: "internal/service/iam/user.go",
    id: (values) => textAt(values, "name"),
    computed: (values) => ({
      arn: `arn:aws:iam::${ACCOUNT}:user/${textAt(values, "name")}`,
      unique_id: idOf("AIDA", textAt(values, "name")),
    }),
  },
  aws_iam_policy: {
    replacedBy: ["description", "name", "name_prefix", "path"],
    source: "internal/service/iam/policy.go",
    id: (values) => `arn:aws:iam::${ACCOUNT}:policy/${textAt(values, "name")}`,
    computed: (values, { id }) => ({ arn: id, policy_id: idOf("ANPA", textAt(values, "name")), attachment_count: 0 }),
  },
  aws_iam_user_policy_attachment: {
    replacedBy: ["policy_arn", "user"],
    source: "internal/service/iam/user_policy_attachment.go",
    id: (values) => `${textAt(values, "user")}-${idOf("", textAt(values, "policy_arn"))}`,
    needs: (values) => [
      needObject("aws_iam_user", textAt(values, "user")),
      needObject("aws_iam_policy", textAt(values, "policy_arn")),
    ],
  },
  aws_iam_access_key: {
    replacedBy: ["pgp_key", "user"],
    source: "internal/service/iam/access_key.go",
    id: (values) => idOf("AKIA", textAt(values, "user")),
    needs: (values) => [needObject("aws_iam_user", textAt(values, "user"))],
    // In the state, as with the real provider.
    computed: () => ({
      secret: randomBytes(30).toString("base64"),
      create_date: "2026-08-01T12:00:00Z",
      status: "Active",
    }),
    afterCreate: ({ values }, cloud) => cloud.keptInState.add(textAt(values, "secret")),
  },
};
