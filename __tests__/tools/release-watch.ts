/** Releases of something, from a registry or from the file of facts. */
export interface Found {
  readonly releases: readonly string[];
  /** Where that was read. */
  readonly source: string;
  /** The day on which it was read. */
  readonly seen: string;
}

/** A release that is newer than what is known here. */
export interface News {
  readonly subject: string;
  /** What is known here; empty for nothing. */
  readonly here: string;
  readonly newest: string;
  readonly source: string;
  readonly seen: string;
  /** What would change, or is to be decided. */
  readonly changes: readonly string[];
}

/** A line of the application that gets fixes. */
export interface Line {
  readonly newest: string;
  readonly fixesEndWith: string;
}

/** A feature release that an upgrade must not skip. */
export interface Edge {
  readonly to: string;
  readonly from: string;
}

/** Whether one release is later than another, number by number. */
export function isLater(one: string, other: string): boolean {
  return one.localeCompare(other, "en", { numeric: true }) > 0;
}

/** The latest release without a suffix, because one with a suffix is a preview; empty for none. */
export function newestOf(releases: readonly string[]): string {
  const plain = releases.filter((release) => /^\d+(?:\.\d+)*$/.test(release));
  return plain.reduce((newest, each) => (newest === "" || isLater(each, newest) ? each : newest), "");
}

/** A release that is newer than the one here; nothing if none is. */
export function newsOf(subject: string, here: string, found: Found, changes: readonly string[]): News[] {
  const newest = newestOf(found.releases);
  if (newest === "" || (here !== "" && !isLater(newest, here))) return [];
  return [{ subject, here, newest, source: found.source, seen: found.seen, changes }];
}

/** `2026.8` of `2026.8.7`. */
export const lineOf = (release: string): string => release.split(".").slice(0, 2).join(".");

/**
 * What is new for the application: patches of the lines that get fixes, and lines that are not known.
 *
 * @param sources with patches of every line; of several, the newest counts
 */
export function newsOfApplication(lines: readonly Line[], edges: readonly Edge[], sources: readonly Found[]): News[] {
  const all = sources.flatMap(({ releases, seen, source }) => releases.map((release) => ({ release, seen, source })));
  const newestIn = (line: string): Found => {
    const own = all.filter(({ release }) => lineOf(release) === line);
    const newest = newestOf(own.map(({ release }) => release));
    const { seen = "", source = "" } = own.find(({ release }) => release === newest) ?? {};
    return { releases: [newest], seen, source };
  };
  const known = lines.map(({ newest }) => lineOf(newest));
  const last = newestOf(known);
  const added = [...new Set(all.map(({ release }) => lineOf(release)))].filter((line) => isLater(line, last)).sort();
  return [
    ...lines.flatMap(({ newest }) => {
      const line = lineOf(newest);
      const found = newestIn(line);
      const changes = edges
        .filter(({ from }) => from === newest)
        .map(({ to }) => `edge: to ${to}, a database must have been migrated by ${found.releases[0] ?? ""}`);
      return newsOf(`application ${line}`, newest, found, ["lib/idp/releases.ts, pages and examples", ...changes]);
    }),
    ...added.flatMap((line) => {
      const ended = lines.filter(({ fixesEndWith }) => !isLater(fixesEndWith, line)).map((each) => lineOf(each.newest));
      return newsOf(`application ${line}`, "", newestIn(line), [
        `another line in RELEASE_LINES, after its notes were read, and an edge from ${newestIn(last).releases[0] ?? ""}`,
        ...ended.map((each) => `fixes of ${each} end with it`),
      ]);
    }),
  ];
}

/** A text with a release in the place of another, wherever it stands for itself. */
export function renewed(text: string, former: string, newest: string): string {
  const escaped = former.replaceAll(".", "[.]");
  return text.replaceAll(new RegExp(`(?<![\\d.])${escaped}(?![\\d]|[.]\\d)`, "g"), newest);
}

/** A page that says from which day its table of releases is. */
export function redated(text: string, news: readonly News[]): string {
  const seen = dayOf(patchesIn(news));
  return seen === "" ? text : text.replaceAll(/\b(As of )\d{4}-\d{2}-\d{2}(?=,)/g, `$1${seen}`);
}

/** News of lines that are known here. */
const patchesIn = (news: readonly News[]): News[] => news.filter(({ here }) => here !== "");

/** The last day on which one of them was seen; empty for none. */
const dayOf = (news: readonly News[]): string =>
  news
    .map(({ seen }) => seen)
    .sort()
    .at(-1) ?? "";

/** The table of the application's releases, with the newest patches, and the day on which they were seen. */
export function renewedTable(source: string, news: readonly News[]): string {
  const patches = patchesIn(news);
  if (patches.length === 0) return source;
  const table = patches.reduce(
    (text, { here, newest }) => text.replace(`newest: "${here}"`, `newest: "${newest}"`),
    source,
  );
  return table.replace(/(RELEASES_KNOWN_ON = ")[^"]*/, `$1${dayOf(patches)}`);
}
