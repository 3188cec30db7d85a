import * as ts from "typescript";

import { packageFile } from "../../lib/core/package-file";

/** A member of a class or an interface, as its users see it. */
export interface Member {
  /** With the parameters, if it is a method. */
  readonly name: string;
  /** The words of its type, or of the result of a method, as they are declared. */
  readonly type: string;
  readonly text: string;
  readonly isOptional: boolean;
  /** Text of its `@default`. */
  readonly default: string | undefined;
}

/** A class, a function or a type of the library. */
export interface Declaration {
  readonly name: string;
  readonly kind: "class" | "function" | "type";
  readonly text: string;
  /** How it is created or called, or what another name of a type stands for. */
  readonly signature: string | undefined;
  readonly members: readonly Member[];
  /** Name of the interface of its props. */
  readonly props: string | undefined;
}

const LIBRARY = packageFile("lib/");
const FEATURES = ts.SymbolFlags.Class | ts.SymbolFlags.Function;
const NOT_PUBLIC = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;

/** Reads what modules of the library declare, with its comments. */
export class DeclaredApi {
  /** Everything read so far, by its symbol. */
  private readonly read = new Map<ts.Symbol, Declaration>();
  /** Types of the library that it names. */
  private readonly named = new Set<ts.Symbol>();
  private readonly checker: ts.TypeChecker;

  constructor(private readonly program: ts.Program) {
    this.checker = program.getTypeChecker();
  }

  /** What a module exports. */
  exportsOf(module: string): readonly Declaration[] {
    const source = this.program.getSourceFile(packageFile(module));
    const symbol = source && this.checker.getSymbolAtLocation(source);
    if (symbol === undefined) throw new Error(`${module} is not compiled`);
    return this.checker.getExportsOfModule(symbol).map((each) => {
      const isTypeOnly = each.declarations?.some((one) => ts.isExportSpecifier(one) && one.isTypeOnly) === true;
      return this.declaration(this.unaliased(each), isTypeOnly);
    });
  }

  /** Types that are named by what was read, and were not read themselves. */
  alsoNamed(): Declaration[] {
    const found: Declaration[] = [];
    // Reading one may name more, which a set goes on to.
    for (const symbol of this.named) if (!this.read.has(symbol)) found.push(this.declaration(symbol));
    return found;
  }

  private declaration(symbol: ts.Symbol, isTypeOnly = true): Declaration {
    const known = this.read.get(symbol);
    if (known !== undefined) return known;
    const { flags, name } = symbol;
    const kind = flags & ts.SymbolFlags.Class ? "class" : flags & ts.SymbolFlags.Function ? "function" : "type";
    const signature = isTypeOnly ? undefined : this.signatureOf(symbol);
    const parameters = signature?.parameters.map((each) => this.typeSymbolOf(each)) ?? [];
    const declaration: Declaration = {
      name,
      kind,
      text: this.textOf(symbol),
      signature: signature === undefined ? this.aliasText(symbol) : this.signatureText(symbol, signature),
      members: kind === "function" || flags & ts.SymbolFlags.TypeAlias ? [] : this.membersOf(symbol),
      props: parameters.find((each) => each?.name.endsWith("Props"))?.name,
    };
    this.read.set(symbol, declaration);
    return declaration;
  }

  /** How a function is called, or a class is created. */
  private signatureOf(symbol: ts.Symbol): ts.Signature | undefined {
    const { valueDeclaration } = symbol;
    if ((symbol.flags & FEATURES) === 0 || valueDeclaration === undefined) return undefined;
    const type = this.checker.getTypeOfSymbol(symbol);
    return [...type.getConstructSignatures(), ...type.getCallSignatures()][0];
  }

  private signatureText({ flags, name }: ts.Symbol, signature: ts.Signature): string {
    if (flags & ts.SymbolFlags.Class) return `new ${name}${this.parametersText(signature)}`;
    return `${name}${this.parametersText(signature)}: ${this.resultText(signature)}`;
  }

  private parametersText({ parameters }: ts.Signature): string {
    const texts = parameters.map((parameter) => {
      const declaration = parameter.valueDeclaration as ts.ParameterDeclaration;
      const isOptional = declaration.questionToken !== undefined || declaration.initializer !== undefined;
      return `${parameter.name.replace(/^__\d+$/, "props")}${isOptional ? "?" : ""}: ${this.typeText(declaration.type, parameter)}`;
    });
    return `(${texts.join(", ")})`;
  }

  private resultText(signature: ts.Signature): string {
    const node = signature.getDeclaration().type;
    if (node !== undefined) return this.wordsOf(node);
    return this.checker.typeToString(signature.getReturnType());
  }

  private typeSymbolOf(parameter: ts.Symbol): ts.Symbol | undefined {
    const { aliasSymbol, symbol } = this.checker.getTypeOfSymbol(parameter) as Partial<ts.Type>;
    return aliasSymbol ?? symbol;
  }

  /** What a name for a type stands for; values of the library are written out. */
  private aliasText(symbol: ts.Symbol): string | undefined {
    const alias = symbol.declarations?.find(ts.isTypeAliasDeclaration);
    if (alias === undefined) return undefined;
    const words = this.wordsOf(alias.type);
    if (!words.includes("typeof ")) return words;
    const type = this.checker.getDeclaredTypeOfSymbol(symbol);
    return this.checker.typeToString(type, undefined, ts.TypeFormatFlags.InTypeAlias);
  }

  private membersOf(symbol: ts.Symbol): Member[] {
    const type = this.checker.getDeclaredTypeOfSymbol(symbol);
    const ofFramework = this.frameworkMembers(type);
    return this.checker.getPropertiesOfType(type).flatMap((member) => {
      const declaration = member.declarations?.[0];
      if (declaration === undefined || ofFramework.has(member.name)) return [];
      if (ts.getCombinedModifierFlags(declaration) & NOT_PUBLIC) return [];
      const [method] = this.checker.getTypeOfSymbol(member).getCallSignatures();
      const isMethod = method !== undefined && (member.flags & ts.SymbolFlags.Method) !== 0;
      const node = (declaration as Partial<ts.PropertyDeclaration>).type;
      const tag = member.getJsDocTags(this.checker).find(({ name }) => name === "default");
      return {
        name: isMethod ? `${member.name}${this.parametersText(method)}` : member.name,
        type: isMethod ? this.resultText(method) : this.typeText(node, member),
        text: this.textOf(member),
        isOptional: (member.flags & ts.SymbolFlags.Optional) !== 0,
        default: tag && ts.displayPartsToString(tag.text),
      };
    });
  }

  /** Names of what comes from the framework, overridden or not. */
  private frameworkMembers(type: ts.Type): Set<string> {
    const bases = type.isClassOrInterface() ? this.checker.getBaseTypes(type) : [];
    const names = bases.flatMap((base) =>
      this.isOfLibrary(base.symbol)
        ? [...this.frameworkMembers(base)]
        : this.checker.getPropertiesOfType(base).map(({ name }) => name),
    );
    return new Set(names);
  }

  /** Inherited comments count. */
  private textOf(symbol: ts.Symbol): string {
    return ts.displayPartsToString(symbol.getDocumentationComment(this.checker));
  }

  private typeText(node: ts.TypeNode | undefined, symbol: ts.Symbol): string {
    if (node !== undefined) return this.wordsOf(node);
    const type = this.checker.getTypeOfSymbol(symbol);
    return this.checker.typeToString(type, symbol.valueDeclaration);
  }

  /** A type as it is written, and a note of the types of the library that it names. */
  private wordsOf(node: ts.TypeNode): string {
    const visit = (each: ts.Node): void => {
      const symbol = ts.isIdentifier(each) ? this.checker.getSymbolAtLocation(each) : undefined;
      const meant = symbol && this.unaliased(symbol);
      const isType = meant !== undefined && (meant.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias)) !== 0;
      if (isType && this.isOfLibrary(meant)) this.named.add(meant);
      ts.forEachChild(each, visit);
    };
    visit(node);
    return node.getText().replaceAll(/\s+/g, " ");
  }

  private unaliased(symbol: ts.Symbol): ts.Symbol {
    return symbol.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol;
  }

  private isOfLibrary({ declarations = [] }: ts.Symbol): boolean {
    return declarations.some((each) => each.getSourceFile().fileName.startsWith(LIBRARY));
  }
}
