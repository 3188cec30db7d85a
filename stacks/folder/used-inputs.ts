/** Terraform JSON of a root module. */
type Configuration = Readonly<Record<string, unknown>>;

/** What a folder uses of its inputs: by Terraform names, those of members such as `smtp.password_secret` too. */
export interface UsedInputs {
  /** Those that decide which parts exist: they stand in a `count`. */
  readonly deciding: ReadonlySet<string>;

  /** Those to which a part or an output refers, or the validation of such an input, without members. */
  readonly used: ReadonlySet<string>;
}

/** Blocks that make something of an input; a check warns of it, and another variable is validated with it. */
const USING = ["provider", "data", "ephemeral", "resource", "module", "output"];

/** Finds out what the configuration of a folder uses, also through its locals. */
export function usedInputs(configuration: Configuration): UsedInputs {
  const locals = (configuration.locals ?? {}) as Configuration;
  const counts = ["data", "ephemeral", "resource"].flatMap((kind) =>
    Object.values((configuration[kind] ?? {}) as Configuration).flatMap((elements) =>
      Object.values(elements as Configuration).flatMap((each) => (each as Configuration).count ?? []),
    ),
  );
  const used = rootsOf(
    inputsIn(
      USING.map((block) => configuration[block]),
      locals,
    ),
  );
  // What is used may depend on another input by its validation.
  const variables = (configuration.variable ?? {}) as Configuration;
  for (const name of used) {
    const { validation } = (variables[name] ?? {}) as { readonly validation?: readonly Configuration[] };
    const conditions = (validation ?? []).map(({ condition }) => condition);
    for (const other of rootsOf(inputsIn(conditions, locals))) used.add(other);
  }
  return { deciding: inputsIn(counts, locals), used };
}

/** Names of inputs without members. */
function rootsOf(paths: ReadonlySet<string>): Set<string> {
  return new Set([...paths].map((path) => path.replace(/[.].*/, "")));
}

const REFERENCE = /\b(var|local)[.]([\w-]+(?:[.][a-z_]\w*)*)/g;

/** Inputs in a value, and in the locals to which it refers. */
function inputsIn(value: unknown, locals: Configuration): Set<string> {
  const inputs = new Set<string>();
  const seen = new Set<string>();
  const search = (each: unknown) => {
    for (const [, kind, path = ""] of JSON.stringify(each ?? null).matchAll(REFERENCE)) {
      if (kind === "var") inputs.add(path);
      const [local = ""] = path.split(".");
      if (kind === "var" || seen.has(local)) continue;
      seen.add(local);
      search(locals[local]);
    }
  };
  search(value);
  return inputs;
}
