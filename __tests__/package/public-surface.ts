import { join, relative } from "node:path";

import ts from "typescript";

import { packageFile } from "../../lib/core/package-file";

/** Entries of the package, by the names of their reports. */
const ENTRIES = {
  index: "lib/index.ts",
  kubernetes: "lib/kubernetes.ts",
  lab: "lib/lab/index.ts",
} as const;

type EntryName = keyof typeof ENTRIES;

/** What can be imported from one entry of the package. */
export interface PublicSurface {
  /** Declarations without comments and private members, in the order of their names. */
  readonly report: string;

  /** Members of interfaces without a comment: `<interface>.<member>`. */
  readonly undocumented: readonly string[];
}

/** Declarations that the compiler makes of one module, by the names that they declare. */
type Declarations = ReadonlyMap<string, ts.Statement>;

/** What can be imported from each entry: what the compiler writes for whoever uses the package. */
export function publicSurfaces(): Readonly<Record<EntryName, PublicSurface>> {
  const program = ts.createProgram(Object.values(ENTRIES).map(packageFile), {
    ...{ target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.CommonJS, lib: ["lib.es2023.d.ts"], types: ["node"] },
    ...{ moduleResolution: ts.ModuleResolutionKind.Node10, rootDir: packageFile("."), declaration: true },
    // The compiler's own check has its own command.
    ...{ strict: true, esModuleInterop: true, skipLibCheck: true, noCheck: true, outDir: "/" },
  });
  const modules = declarationsOf(program);
  const exportsOf = (entry: string) => exportedBy(program, entry);
  const offered = new Set(Object.values(ENTRIES).flatMap((entry) => exportsOf(entry).map(([name]) => name)));
  return Object.fromEntries(
    Object.entries(ENTRIES).map(([name, entry]) => [name, surfaceOf(exportsOf(entry), modules, offered)]),
  ) as Record<EntryName, PublicSurface>;
}

function surfaceOf(
  exported: readonly (readonly [name: string, module: string])[],
  modules: ReadonlyMap<string, Declarations>,
  offered: ReadonlySet<string>,
): PublicSurface {
  const named = exported.map(([name, module]) => {
    const statement = modules.get(module)?.get(name);
    if (statement === undefined) throw new Error(`${name} of ${module} has no declaration`);
    return { name, statement, siblings: modules.get(module) ?? new Map<string, ts.Statement>() };
  });
  const declarations = named.map(({ statement }) => printed(statement));
  return {
    report: `${[...declarations, `// Named above and not offered: ${unoffered(named, offered, modules)}`].join("\n\n")}\n`,
    undocumented: named.flatMap(({ name, statement }) => undocumentedIn(name, statement)),
  };
}

/** Names of what an entry exports, each with the module that declares it. */
function exportedBy(program: ts.Program, entry: string): (readonly [name: string, module: string])[] {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(packageFile(entry));
  const module = source && checker.getSymbolAtLocation(source);
  if (module === undefined) throw new Error(`${entry} exports nothing`);
  return checker
    .getExportsOfModule(module)
    .map((symbol): readonly [string, string] => {
      const origin = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      return [symbol.name, origin.declarations?.[0]?.getSourceFile().fileName ?? ""];
    })
    .sort(([one], [other]) => (one < other ? -1 : 1));
}

function declarationsOf(program: ts.Program): ReadonlyMap<string, Declarations> {
  const modules = new Map<string, Declarations>();
  program.emit(
    undefined,
    (path, text) => {
      const file = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true);
      const named = file.statements.flatMap((statement) =>
        namesOf(statement).map((name): [string, ts.Statement] => [name, statement]),
      );
      modules.set(join(packageFile("."), relative("/", path)).replace(/\.d\.ts$/, ".ts"), new Map(named));
    },
    undefined,
    true,
  );
  return modules;
}

function namesOf(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  const { name } = statement as { name?: ts.Identifier };
  return name === undefined ? [] : [name.text];
}

const PRINTER = ts.createPrinter({ removeComments: true });

function printed(statement: ts.Statement): string {
  const open = ts.isClassDeclaration(statement)
    ? ts.factory.updateClassDeclaration(
        statement,
        statement.modifiers,
        statement.name,
        statement.typeParameters,
        statement.heritageClauses,
        statement.members.filter((member) => !(ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Private)),
      )
    : statement;
  return PRINTER.printNode(ts.EmitHint.Unspecified, open, statement.getSourceFile())
    .replace(/^export declare /, "export ")
    .trim();
}

function undocumentedIn(name: string, statement: ts.Statement): string[] {
  if (!ts.isInterfaceDeclaration(statement)) return [];
  return statement.members
    .filter((member) => ts.getJSDocCommentsAndTags(member).length === 0)
    .map((member) => `${name}.${member.name?.getText() ?? ""}`);
}

/** Types of the library that the declarations name and that no entry exports. */
function unoffered(
  named: readonly { readonly statement: ts.Statement }[],
  offered: ReadonlySet<string>,
  modules: ReadonlyMap<string, Declarations>,
): string {
  const own = new Set([...modules.values()].flatMap((declarations) => [...declarations.keys()]));
  const found = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.getCombinedModifierFlags(node as ts.Declaration) & ts.ModifierFlags.Private) return;
    const name =
      ts.isTypeReferenceNode(node) || ts.isExpressionWithTypeArguments(node) ? node.getChildAt(0).getText() : undefined;
    if (name !== undefined && own.has(name) && !offered.has(name)) found.add(name);
    ts.forEachChild(node, visit);
  };
  for (const { statement } of named) visit(statement);
  return found.size === 0 ? "nothing" : [...found].sort().join(", ");
}
