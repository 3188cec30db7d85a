import { execFileSync } from "node:child_process";
import { dirname, join } from "node:path";

import { problems } from "../../lib/core/inputs/rules";
import { ENVIRONMENT_RULES, IS_SENDER } from "../../lib/idp/environment-rules";
import { describeWith, programPath } from "../support/programs";

/** Senders as given, and as the library writes them to the server; null where it refuses them. */
const SENDERS: readonly (readonly [given: string, written: string | null])[] = [
  ["idp@example.com", "idp@example.com"],
  ["o'brien+idp@mail.example.com", "o'brien+idp@mail.example.com"],
  ["Example <idp@example.com>", "Example <idp@example.com>"],
  ["Example<idp@example.com>", "Example <idp@example.com>"],
  ["<idp@example.com>", "idp@example.com"],
  ["Acme Inc. <idp@example.com>", '"Acme Inc." <idp@example.com>'],
  ["O'Brien & Co <idp@example.com>", "O'Brien & Co <idp@example.com>"],
  ["Acme (Test) <idp@example.com>", "Acme <idp@example.com>"],
  ["M\u00fcller GmbH <idp@example.com>", "=?utf-8?q?M=C3=BCller_GmbH?= <idp@example.com>"],
  ['"Acme, Inc." <idp@example.com>', '"Acme, Inc." <idp@example.com>'],
  ['"Acme: [a] <b>; @c" <idp@example.com>', '"Acme: [a] <b>; @c" <idp@example.com>'],
  ['"Acme \\"Sign-in\\"" <idp@example.com>', '"Acme \\"Sign-in\\"" <idp@example.com>'],
  ["Acme, Inc. <idp@example.com>", null],
  ["Acme [Test] <idp@example.com>", null],
  ["Acme; Sign-in <idp@example.com>", null],
  ["Acme: Sign-in <idp@example.com>", null],
  ["Acme\\Sign-in <idp@example.com>", null],
  ["idp@acme <idp@example.com>", null],
  [".Acme <idp@example.com>", null],
  ["idp@example.com, other@example.com", null],
  ["a[b@example.com", null],
];

/** Senders that the library takes, and makes something else of, or that no server takes. */
const MANGLED = ['Acme" <idp@example.com>', "Acme ( Inc <idp@example.com>", "\u00e9@example.com", "idp@localhost"];

const accepted = (rule: Parameters<typeof problems>[0], value: unknown) => problems(rule, "x", value).length === 0;
const isAccepted = (sender: string) => accepted(IS_SENDER, sender);

const LIBRARY = `
import json, sys
from django.conf import settings
settings.configure()
from django.core.mail.message import sanitize_address
def written(sender):
    try:
        return sanitize_address(sender, "utf-8")
    except Exception:
        return None
print(json.dumps([written(sender) for sender in json.load(sys.stdin)]))
`;

describeWith(["django-admin"], "A sender of mail", () => {
  it("is accepted if the application's mail library sends with it, and refused if that refuses it", () => {
    const given = SENDERS.map(([sender]) => sender);
    const python = join(dirname(programPath("django-admin")), "python");
    const output = execFileSync(python, ["-c", LIBRARY], { input: JSON.stringify(given), encoding: "utf8" });
    expect(JSON.parse(output)).toEqual(SENDERS.map(([, written]) => written));
    const written = SENDERS.filter(([, text]) => text !== null).map(([sender]) => sender);
    expect(given.filter(isAccepted)).toEqual(written);
    expect(
      given.filter((sender) => ENVIRONMENT_RULES.every((rule) => accepted(rule, { IDP_EMAIL__FROM: sender }))),
    ).toEqual(written);
  });

  it("is refused if it would become another", () => {
    expect(MANGLED.filter(isAccepted)).toEqual([]);
  });
});
