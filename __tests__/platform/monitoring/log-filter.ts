/** An entry of Cloud Logging as its API has it. */
export interface LogEntry {
  readonly logName?: string;
  readonly severity?: string;
  readonly textPayload?: string;
  readonly resource?: { readonly type: string; readonly labels: Readonly<Record<string, string>> };
  readonly [field: string]: unknown;
}

/**
 * Whether a filter in Cloud Logging's query language selects an entry.
 *
 * Knows what filters here are made of: comparisons by `=`, `:` and `=~`, severities by `>=`, several values in
 * parentheses, `log_id`, `NOT`, `AND` (also unwritten), `OR`, which binds more tightly, and parentheses.
 *
 * @throws Error if the filter is no such filter
 */
export function isSelected(filter: string, entry: LogEntry): boolean {
  const reader = new Reader(filter);
  const holds = reader.all(entry);
  reader.end();
  return holds;
}

const TOKEN = /\s*("(?:[^"\\]|\\.)*"|=~|>=|[=:()]|[^\s"=:()>]+)/y;

class Reader {
  private readonly tokens: string[] = [];

  constructor(private readonly filter: string) {
    const text = filter.trim();
    TOKEN.lastIndex = 0;
    while (TOKEN.lastIndex < text.length) {
      const [, token] = TOKEN.exec(text) ?? [];
      if (token === undefined) throw this.wrong();
      this.tokens.push(token);
    }
  }

  end(): void {
    if (this.tokens.length > 0) throw this.wrong();
  }

  all(entry: LogEntry): boolean {
    let holds = this.any(entry);
    while (this.tokens.length > 0 && this.tokens[0] !== ")") {
      if (this.tokens[0] === "AND") this.next();
      // Read in any case, for its form.
      holds = this.any(entry) && holds;
    }
    return holds;
  }

  private any(entry: LogEntry): boolean {
    let holds = this.one(entry);
    while (this.tokens[0] === "OR") {
      this.next();
      holds = this.one(entry) || holds;
    }
    return holds;
  }

  private one(entry: LogEntry): boolean {
    const token = this.next();
    if (token === "NOT") return !this.one(entry);
    if (token === "(") {
      const holds = this.all(entry);
      this.expect(")");
      return holds;
    }
    if (token === "log_id") {
      this.expect("(");
      const name = this.value();
      this.expect(")");
      return decodeURIComponent(entry.logName ?? "").endsWith(`/logs/${name}`);
    }
    if (!/^[a-z][\w.]*$/i.test(token)) throw this.wrong();
    return this.comparison(fieldsOf(entry, token), this.next());
  }

  private comparison(fields: readonly unknown[], operator: string): boolean {
    const compare = COMPARISONS[operator];
    if (compare === undefined) throw this.wrong();
    const values = this.values();
    const texts = fields.map((field) => (typeof field === "string" ? field : JSON.stringify(field)));
    return texts.some((text) => values.some((value) => compare(text, value)));
  }

  private values(): string[] {
    const [first] = this.tokens;
    if (first !== "(") return [this.value()];
    const values: string[] = [];
    do {
      this.next();
      values.push(this.value());
    } while (this.tokens[0] === "OR");
    this.expect(")");
    return values;
  }

  private value(): string {
    const token = this.next();
    if (token.startsWith('"')) return JSON.parse(token) as string;
    if (!/^[\w.%-]+$/.test(token)) throw this.wrong();
    return token;
  }

  private expect(token: string): void {
    if (this.next() !== token) throw this.wrong();
  }

  private next(): string {
    const token = this.tokens.shift();
    if (token === undefined) throw this.wrong();
    return token;
  }

  private wrong(): Error {
    return new Error(`no filter that is known: ${this.filter}`);
  }
}

const COMPARISONS: Readonly<Record<string, (text: string, value: string) => boolean>> = {
  "=": (text, value) => text === value,
  ":": (text, value) => text.toLowerCase().includes(value.toLowerCase()),
  "=~": (text, value) => new RegExp(value).test(text),
  ">=": (text, value) => SEVERITIES.indexOf(text) >= SEVERITIES.indexOf(value),
};

const SEVERITIES = ["DEFAULT", "DEBUG", "INFO", "NOTICE", "WARNING", "ERROR", "CRITICAL", "ALERT", "EMERGENCY"];

/** The values at a path; of a list, those of all its elements, one of which must fulfil a comparison. */
function fieldsOf(entry: LogEntry, path: string): unknown[] {
  return path
    .split(".")
    .reduce<unknown[]>(
      (values, name) =>
        values
          .filter((value) => typeof value === "object" && value !== null)
          .flatMap((value) => (value as Readonly<Record<string, unknown>>)[name] ?? []),
      [entry],
    );
}
