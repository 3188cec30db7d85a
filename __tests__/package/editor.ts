import { writeFileSync } from "node:fs";
import { join } from "node:path";

import * as ts from "typescript";

import { installPackage, PEERS } from "./installed-package";

/** How a project of ES modules is compiled that is itself a library: whatever it exports must have a name. */
const OPTIONS: ts.CompilerOptions = {
  declaration: true,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  skipLibCheck: true,
  strict: true,
  target: ts.ScriptTarget.ES2022,
  types: ["node"],
};

/** What can be imported, by the names under which the package offers it. */
export const ENTRIES = {
  index: "cdktf-idp-stacks",
  kubernetes: "cdktf-idp-stacks/kubernetes",
  lab: "cdktf-idp-stacks/lab",
};

const IMPORTS = Object.entries(ENTRIES)
  .map(([name, module]) => `import * as ${name} from ${JSON.stringify(module)};\n`)
  .join("");

/** An editor of one file, `main.mts`, in a project in which the packed library is installed. */
export class Editor {
  private readonly file: string;
  private readonly service: ts.LanguageService;
  private text = IMPORTS;
  private version = 0;
  private current: ts.Program | undefined;

  constructor(private readonly project: string) {
    installPackage(project, PEERS);
    this.file = join(project, "main.mts");
    writeFileSync(this.file, this.text);
    this.service = ts.createLanguageService({
      ...ts.sys,
      getCompilationSettings: () => OPTIONS,
      getCurrentDirectory: () => project,
      getDefaultLibFileName: ts.getDefaultLibFilePath,
      useCaseSensitiveFileNames: () => true,
      getScriptFileNames: () => [this.file],
      getScriptVersion: (name) => (name === this.file ? String(this.version) : "0"),
      getScriptSnapshot: (name) => {
        const text = name === this.file ? this.text : ts.sys.readFile(name);
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
      },
    });
  }

  /** Replaces what follows the imports of all entries. */
  write(text: string): void {
    this.text = IMPORTS + text;
    this.version += 1;
    this.current = undefined;
  }

  get checker(): ts.TypeChecker {
    return this.program.getTypeChecker();
  }

  /** Everything that an entry exports. */
  exportsOf(entry: keyof typeof ENTRIES): readonly ts.Symbol[] {
    const [statement] = this.source.statements.filter(
      (each): each is ts.ImportDeclaration =>
        ts.isImportDeclaration(each) && (each.moduleSpecifier as ts.StringLiteral).text === ENTRIES[entry],
    );
    const module = statement && this.checker.getSymbolAtLocation(statement.moduleSpecifier);
    return module === undefined ? [] : this.checker.getExportsOfModule(module).map((each) => this.aliased(each));
  }

  private aliased(symbol: ts.Symbol): ts.Symbol {
    return symbol.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol;
  }

  /** The type that an entry exports by a name. */
  typeOf(entry: keyof typeof ENTRIES, name: string): ts.Type {
    const found = this.exportsOf(entry).find((each) => each.name === name);
    if (found === undefined) throw new Error(`${ENTRIES[entry]} exports no ${name}`);
    return this.checker.getDeclaredTypeOfSymbol(found);
  }

  /** Whether the package declares something. */
  isOwn(symbol: ts.Symbol | undefined): boolean {
    return (symbol?.declarations ?? []).some((each) => each.getSourceFile().fileName.includes("/cdktf-idp-stacks/"));
  }

  /** What the compiler says of the file and of its declarations, a line each. */
  problems(): string[] {
    const found = [
      ...this.service.getSyntacticDiagnostics(this.file),
      ...this.service.getSemanticDiagnostics(this.file),
      ...this.program.getDeclarationDiagnostics(this.source),
    ];
    const lines = found.map(({ code, messageText, start = 0 }) => {
      const [, line = ""] = /^(.*)$/m.exec(this.text.slice(this.text.lastIndexOf("\n", start) + 1)) ?? [];
      return `${line}: TS${code}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`;
    });
    return [...new Set(lines)];
  }

  /** What the editor shows above the last character of each line, by the line. */
  shown(): [line: string, shown: string][] {
    const own = this.text.slice(IMPORTS.length).split("\n").filter(Boolean);
    let end = IMPORTS.length - 1;
    return own.map((line) => {
      end += line.length + 1;
      const { displayParts } = this.service.getQuickInfoAtPosition(this.file, end - 2) ?? {};
      return [line, ts.displayPartsToString(displayParts)];
    });
  }

  private get program(): ts.Program {
    // Asked once, because the service looks at all files each time.
    this.current ??= this.service.getProgram();
    if (this.current === undefined) throw new Error(`the editor has no program of ${this.project}`);
    return this.current;
  }

  private get source(): ts.SourceFile {
    const source = this.program.getSourceFile(this.file);
    if (source === undefined) throw new Error(`the editor does not have ${this.file}`);
    return source;
  }
}
