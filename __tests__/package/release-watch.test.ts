import { readFileSync } from "node:fs";

import { packageFile } from "../../lib/core/package-file";
import { isLater, newestOf, newsOf, newsOfApplication, redated, renewed, renewedTable } from "../tools/release-watch";

const LINES = [
  { newest: "2026.5.9", fixesEndWith: "2026.11" },
  { newest: "2026.8.6", fixesEndWith: "2027.2" },
];
const EDGES = [
  { to: "2026.2", from: "2025.12.6" },
  { to: "2026.8", from: "2026.5.9" },
];
const found = (...releases: readonly string[]) => ({ releases, source: "somewhere", seen: "2026-11-28" });
const newsOfLines = (...releases: readonly string[]) =>
  newsOfApplication(LINES, EDGES, [found(...releases)]).map(({ changes, here, newest, subject }) => [
    subject,
    here,
    newest,
    ...changes,
  ]);

describe("A release", () => {
  it("is later by its numbers, and counts only without a suffix", () => {
    expect([isLater("1.10.0", "1.9.3"), isLater("1.9.3", "1.10.0"), isLater("1.9", "1.9")]).toEqual([
      true,
      false,
      false,
    ]);
    expect(newestOf(["1.9.3", "1.10.0", "2.0.0-rc1", "2025.6.4.post1755003778"])).toBe("1.10.0");
    expect(newestOf([])).toBe("");
  });

  it("is news if it is later than the one that is known", () => {
    expect(newsOf("terraform", "1.16.4", found("1.16.5", "1.16.3"), ["try it"])).toEqual([
      {
        subject: "terraform",
        here: "1.16.4",
        newest: "1.16.5",
        source: "somewhere",
        seen: "2026-11-28",
        changes: ["try it"],
      },
    ]);
    expect(newsOf("terraform", "1.16.5", found("1.16.5"), [])).toEqual([]);
    expect(newsOf("terraform", "1.16.5", found("2.0.0-beta"), [])).toEqual([]);
  });
});

describe("A release of the application", () => {
  it("is no news if it is known, or of a line without fixes", () => {
    expect(newsOfLines("2026.5.9", "2026.8.6", "2026.2.9", "2025.12.7")).toEqual([]);
  });

  it("is looked for in all sources", () => {
    const news = newsOfApplication(LINES, EDGES, [
      found("2026.8.7"),
      { releases: ["2026.8.8"], source: "another", seen: "2026-11-29" },
    ]);
    expect(news).toMatchObject([{ newest: "2026.8.8", source: "another", seen: "2026-11-29" }]);
  });

  it("changes the edge that begins with its line", () => {
    expect(newsOfLines("2026.5.10", "2026.8.7")).toEqual([
      [
        "application 2026.5",
        "2026.5.9",
        "2026.5.10",
        "lib/idp/releases.ts, pages and examples",
        "edge: to 2026.8, a database must have been migrated by 2026.5.10",
      ],
      ["application 2026.8", "2026.8.6", "2026.8.7", "lib/idp/releases.ts, pages and examples"],
    ]);
  });

  it("of a line that is not known needs a decision about its edge, and ends the fixes of another", () => {
    expect(newsOfLines("2026.8.7", "2026.11.0")).toContainEqual([
      "application 2026.11",
      "",
      "2026.11.0",
      "another line in RELEASE_LINES, after its notes were read, and an edge from 2026.8.7",
      "fixes of 2026.5 end with it",
    ]);
  });
});

describe("The change of the releases", () => {
  it("renews the day of the guide's table, if a patch is newer", () => {
    const news = newsOf("application 2026.8", "2026.8.6", found("2026.8.7"), []);
    expect(redated("As of 2026-11-26, these", news)).toBe("As of 2026-11-28, these");
    expect(redated("As of 2026-11-26, these", [])).toBe("As of 2026-11-26, these");
  });

  it("renews a release where it stands for itself", () => {
    expect(renewed('"2026.5.9", 2026.5.90 and 12026.5.9, 2026.5.9.', "2026.5.9", "2026.5.10")).toBe(
      '"2026.5.10", 2026.5.90 and 12026.5.9, 2026.5.10.',
    );
  });

  it("renews the newest patch and the day in the table, and nothing else", () => {
    const table = readFileSync(packageFile("lib/idp/releases.ts"), "utf8");
    const [, here = ""] = /newest: "(\d{4}[.]8[.]\d+)"/.exec(table) ?? [];
    const news = newsOf("application 2026.8", here, { ...found("2026.8.99"), seen: "2027-01-01" }, []);
    const now = renewedTable(table, news);
    const changed = now.split("\n").filter((line) => !table.split("\n").includes(line));
    expect(changed).toEqual([
      'export const RELEASES_KNOWN_ON = "2027-01-01";',
      expect.stringContaining('{ newest: "2026.8.99", leastSafe: '),
    ]);
    expect(renewedTable(table, newsOf("application 2026.11", "", found("2026.11.0"), []))).toBe(table);
  });
});
