import { literal } from "../../lib/core/expression";
import { type AssessmentLabProps } from "../../lib/lab";
import { ASSESSMENT_LAB_RULES } from "../../lib/lab/lab-rules";
import { describeWith } from "../support/programs";
import { fc } from "../support/seeded-cases";
import { resourceOf } from "../support/synthesis";
import { labTerraform, literalLab } from "./lab-stack";
import { evaluated, type Inputs } from "./terraform-run";

const PROJECT = { project_id: "demo-project" };

/** Names at the edges of the rule: lengths in code points, composed letters, and white space of all kinds. */
const NAMES = [
  ...["a", "a b", "a  b", " a", "a ", "a\tb", "a\nb", "a\n", "a\u0085b", "a\u00a0b", "\u00a0a", "a\u2003b", "a\u2028b"],
  ...[
    "a\u3000b",
    "a\u200bb",
    "a\ufeff",
    "a\u0000",
    "\u007f",
    "",
    " ",
    "Zürich",
    "e\u0301".repeat(63),
    "e\u0301".repeat(64),
  ],
  ...["👩‍👩‍👧", "👩‍👩‍👧".repeat(12), "👩‍👩‍👧".repeat(13), "😀".repeat(63), "😀".repeat(64), "c".repeat(63), "c".repeat(64)],
];

/** Characters of which the half of all short names made of them are legal. */
const UNITS = fc.oneof(
  { weight: 30, arbitrary: fc.stringMatching(/^[A-Za-z0-9"\\${}%_-]$/) },
  { weight: 2, arbitrary: fc.constant(" ") },
  { weight: 2, arbitrary: fc.string({ unit: "binary", minLength: 1, maxLength: 1 }) },
  { weight: 1, arbitrary: fc.constantFrom("\t", "\u00a0", "\u2009", "\u0300", "\u200d") },
);

/** Where a lab of literals has its hosts. */
const zoneOfHosts = (props: Partial<AssessmentLabProps>): unknown =>
  resourceOf(literalLab(props), "google_compute_instance", "lab_windows_vm").zone;

describeWith(["terraform"], "The inputs of the lab, judged by Terraform", () => {
  const variables = () => labTerraform().variable ?? {};

  it("take the same client names as the construct", () => {
    const names = [...NAMES, ...fc.sample(fc.string({ unit: UNITS, maxLength: 66 }), { numRuns: 300, seed: 63 })];
    const [rule] = variables().assess_discovery_client_name?.validation as { condition: string }[];
    const locals = names.flatMap((name, index): [string, string][] => [
      [`name_${index}`, literal(name)],
      [`taken_${index}`, String(rule?.condition).replaceAll("var.assess_discovery_client_name", `local.name_${index}`)],
    ]);
    const values = evaluated({ locals: Object.fromEntries(locals) });
    const isTaken = (assessDiscoveryClientName: string) =>
      ASSESSMENT_LAB_RULES.every((rule) => rule.holds({ projectId: PROJECT.project_id, assessDiscoveryClientName }));
    expect(names.map((name, index) => [name, values[`taken_${index}`]])).toEqual(
      names.map((name) => [name, isTaken(name)]),
    );
    // Neither all nor none, or nothing would have been compared.
    const taken = names.filter(isTaken).length;
    expect([taken > 50, names.length - taken > 50]).toEqual([true, true]);
  });

  it("have a zone that follows the region, as the construct has", () => {
    const zoneOf = (inputs: Inputs) =>
      String(labTerraform().locals?.lab_zone).replace(/var\.(\w+)/g, (_, name: string) =>
        JSON.stringify(inputs[name] ?? variables()[name]?.default),
      );
    const zones = evaluated({
      locals: {
        default: zoneOf({}),
        followed: zoneOf({ region: "europe-west1" }),
        given: zoneOf({ zone: "us-central1-f" }),
        given_both: zoneOf({ region: "europe-west1", zone: "europe-west1-d" }),
      },
    });
    expect(zones).toEqual({
      default: "us-central1-a",
      followed: "europe-west1-b",
      given: "us-central1-f",
      given_both: "europe-west1-d",
    });
    expect([undefined, "europe-west1"].map((region) => zoneOfHosts({ region }))).toEqual([
      zones.default,
      zones.followed,
    ]);
  });
});
