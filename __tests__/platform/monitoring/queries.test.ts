import { parser } from "@prometheus-io/lezer-promql";

import { ALERTS } from "../../../lib/platform/monitoring/alerts";
import { FACTS, METRIC_CASES, ruleOf } from "./alert-fixture";

const strict = parser.configure({ strict: true });

/** The selectors of an expression, each with its labels. */
function selectorsOf(query: string): { readonly labels: readonly string[]; readonly text: string }[] {
  const found: { labels: string[]; text: string }[] = [];
  strict.parse(query).iterate({
    enter: ({ from, name, to }) => {
      const text = query.slice(from, to);
      if (name === "VectorSelector") found.push({ labels: [], text });
      if (name === "LabelName") found.at(-1)?.labels.push(text);
    },
  });
  return found;
}

describe("The query of each alert", () => {
  it.each(METRIC_CASES)("is PromQL: $name", (each) => {
    expect(() => strict.parse(ruleOf(each))).not.toThrow();
  });

  it.each(METRIC_CASES)(
    "selects a resource type and the deployment, wherever it reads a metric: $name",
    ({ query }) => {
      const selectors = selectorsOf(query);
      expect(selectors).not.toEqual([]);
      for (const { labels, text } of selectors) {
        const own = Object.values(FACTS).filter((name) =>
          [`"${name}"`, `:${name}"`, `"${name}|`].some((quoted) => text.includes(quoted)),
        );
        expect(own.length).toBeGreaterThan(0);
        expect(labels).toContain("monitored_resource");
      }
    },
  );
});

describe("The table of alerts", () => {
  it("has each id once, in alphabetical order, as Terraform lists them", () => {
    const ids = ALERTS.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].sort());
  });
});
