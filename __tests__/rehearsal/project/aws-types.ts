import { createHash, randomBytes } from "node:crypto";

import { type ResourceTypes } from "./resource-type";
import { textAt } from "./terraform-value";

const ACCOUNT = "arn:aws:iam::123456789012";

/** Resource types of the aws provider. Users and policies have no region. */
export const AWS_TYPES: ResourceTypes = {
  aws_iam_user: {
    // Another name renames the user.
    id: (values) => textAt(values, "name"),
    computed: (_values, { id }) => ({ arn: `${ACCOUNT}:user/${id}` }),
  },
  aws_iam_policy: {
    id: `${ACCOUNT}:policy/{{name}}`,
    computed: (_values, { id }) => ({ arn: id, attachment_count: 0 }),
  },
  aws_iam_user_policy_attachment: {
    id: "{{user}}-{{policy_arn}}",
    refs: { user: "aws_iam_user", policy_arn: "aws_iam_policy" },
  },
  aws_iam_access_key: {
    id: (values) =>
      `AKIA${createHash("sha256").update(textAt(values, "user")).digest("hex").slice(0, 16).toUpperCase()}`,
    replacedBy: ["user"],
    refs: { user: "aws_iam_user" },
    // In the state, as with the real provider.
    computed: () => ({ secret: randomBytes(30).toString("base64"), status: "Active" }),
    afterCreate: ({ values }, cloud) => cloud.keptInState.add(textAt(values, "secret")),
  },
};
