import { Token } from "cdktf";

import { CheckedRelation } from "../core/checked-relation";
import { matching } from "../core/checked-value";
import { secretPresence, type Rule } from "../core/rules";
import { type AwsCredentials } from "./assessment-lab-props";
import { AWS_REGION_PATTERN } from "./contract";

export const AWS_REGION = matching(AWS_REGION_PATTERN, {
  must: "be the name of an AWS region such as us-east-1",
  remedy: "correct it",
});

/** Checks only whether they are given, and shows neither. */
export const AWS_ACCESS_KEY = new CheckedRelation<{ accessKeyId: string; secretAccessKey: string }>({
  accepts: ({ accessKeyId, secretAccessKey }) => (accessKeyId === "") === (secretAccessKey === ""),
  condition: ({ accessKeyId, secretAccessKey }) => `(${accessKeyId} == "") == (${secretAccessKey} == "")`,
  problem: (names) =>
    `only one of ${names.accessKeyId} and ${names.secretAccessKey} is given; a request is signed with both; set both, or neither`,
});

const USER_KEY = "^AKIA[A-Z0-9]+$";
const ANY_KEY = "^A[KS]IA[A-Z0-9]{16}$";

/** Checks the kind of both, and shows neither. */
export const AWS_KEY_OF_USER = new CheckedRelation<{ accessKeyId: string; secretAccessKey: string }>({
  accepts: ({ accessKeyId: id, secretAccessKey: secret }) =>
    id === "" || (new RegExp(USER_KEY).test(id) && !new RegExp(ANY_KEY).test(secret)),
  condition: ({ accessKeyId: id, secretAccessKey: secret }) =>
    `${id} == "" || (can(regex("${USER_KEY}", ${id})) && !can(regex("${ANY_KEY}", ${secret})))`,
  problem: (names) =>
    `${names.accessKeyId} or ${names.secretAccessKey} is of another kind; the first must be the access key of a user, which begins with AKIA, and the second its secret, because a temporary key (ASIA) also needs a session token, which the lab does not take; create an access key of a user for the lab`,
});

/** Rules for the bootstrap credentials, for each construct that takes them. */
export const AWS_RULES: readonly Rule<{ readonly aws?: AwsCredentials }>[] = [
  ...(["accessKeyId", "secretAccessKey"] as const).map((name): Rule<{ readonly aws?: AwsCredentials }> => ({
    holds: ({ aws }) => aws === undefined || aws[name] === "" || Token.isUnresolved(aws[name]),
    message: () =>
      `aws.${name} is a literal; it must be an input, because a literal can be read in the synthesized folder; pass a sensitive input, or an empty string for no AWS`,
  })),
  AWS_ACCESS_KEY.ruleOn({
    accessKeyId: ["aws.accessKeyId", ({ aws }) => presence(aws?.accessKeyId)],
    secretAccessKey: ["aws.secretAccessKey", ({ aws }) => presence(aws?.secretAccessKey)],
  }),
  AWS_REGION.ruleOn("aws.region", ({ aws }) => aws?.region),
];

/** Whether a secret is given, as a string; one known only to Terraform counts as given. */
function presence(secret: string | undefined): string {
  return secretPresence(secret) === "given" ? "given" : "";
}
