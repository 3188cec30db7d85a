import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { describeWith, programPath } from "../../support/programs";
import { temporaryFolder } from "../../support/temporary-folder";
import { METRIC_CASES, ruleOf } from "./alert-fixture";
import { type Example, EXAMPLES, type Series } from "./alert-series";

const folder = temporaryFolder();

interface Expectation extends Pick<Example, "afterMinutes" | "secondsBetween"> {
  readonly alert: string;
  readonly behaviour: string;
  readonly isRaised: boolean;
  readonly series: Series;
}

const exampleOf = (id: string, platform: string): Example | undefined =>
  EXAMPLES[`${id} on ${platform}`] ?? EXAMPLES[id];

/** What is the same on both platforms, once. */
const RULES = METRIC_CASES.filter(
  (each, index) => METRIC_CASES.findIndex((other) => ruleOf(other) === ruleOf(each)) === index,
);

const EXPECTATIONS = RULES.flatMap(({ alert, name, platform }): Expectation[] => {
  const example = exampleOf(alert.id, platform);
  if (example === undefined) return [];
  const { alsoRaises = {}, quiet, raises, ...times } = example;
  return Object.entries({ "what is wrong": raises, ...alsoRaises, ...quiet }).map(([behaviour, series]) => {
    return { ...times, alert: name, behaviour, isRaised: !Object.keys(quiet).includes(behaviour), series };
  });
});

/** Writes a file that promtool reads; JSON is YAML. */
function written(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify(content));
  return path;
}

/** Runs the rule of each expectation over its series, and returns what promtool says. */
function judge(expectations: readonly Expectation[]) {
  const concerned = RULES.filter(({ name }) => expectations.some(({ alert }) => alert === name));
  const files = concerned.map((each, index) => {
    const { alert, name } = each;
    const rule = { alert: name, expr: ruleOf(each), for: `${alert.limit?.durationSeconds}s` };
    const rules = written(`rules-${index}.json`, { groups: [{ name: "alerts", rules: [rule] }] });
    const ofAlert = expectations.filter((expectation) => expectation.alert === name);
    // A day of minutes takes seconds.
    const interval = ofAlert.some(({ afterMinutes = 0 }) => afterMinutes > 1000)
      ? "30m"
      : `${ofAlert[0]?.secondsBetween ?? 60}s`;
    return written(`tests-${index}.json`, {
      rule_files: [rules],
      evaluation_interval: interval,
      tests: ofAlert.map(({ afterMinutes = 40, behaviour, isRaised, series }) => ({
        name: `${name}: ${behaviour}`,
        interval,
        input_series: series.map(([selector, values]) => ({ series: selector, values })),
        promql_expr_test: [
          {
            expr: 'count(ALERTS{alertstate="firing"})',
            eval_time: `${afterMinutes}m`,
            exp_samples: isRaised ? [{ labels: "{}", value: 1 }] : [],
          },
        ],
      })),
    });
  });
  return spawnSync(programPath("promtool"), ["test", "rules", ...files], {
    encoding: "utf8",
    timeout: 50_000,
    // It makes hundreds of small databases, one after the other: neither more cores nor an eager collection helps.
    env: { ...process.env, GOGC: "400", GOMAXPROCS: "1" },
  });
}

describe("The made-up series", () => {
  it("are in alert-series.ts for each alert with a metric, with some that must not raise it", () => {
    const without = METRIC_CASES.filter(({ alert, platform }) => {
      const example = exampleOf(alert.id, platform);
      return example === undefined || Object.keys(example.quiet).length === 0;
    });
    expect(without.map(({ name }) => name)).toEqual([]);
  });
});

describeWith(["promtool"], "An alert with a metric", () => {
  it("is raised by what is wrong, and by nothing else", () => {
    const { status, stderr, stdout } = judge(EXPECTATIONS);
    expect([status, `${stdout}${stderr}`.replaceAll(/^.*(Unit Testing|SUCCESS).*\n|^\n/gm, "")]).toEqual([0, ""]);
  });
});
