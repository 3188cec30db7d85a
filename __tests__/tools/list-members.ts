import { writeFileSync } from "node:fs";

import * as ts from "typescript";

const TYPE_FORMAT: ts.NodeBuilderFlags = ts.NodeBuilderFlags.NoTruncation | ts.NodeBuilderFlags.IgnoreErrors;

/**
 * Writes the members of each interface that extends a computed type, such as the props of a table of inputs, in its
 * declaration, as an editor shows them: the members are what can be used, and the tables are not.
 *
 * @param program of declarations, whose files are overwritten
 * @param folder of the declarations
 */
export function listMembers(program: ts.Program, folder: string): void {
  const checker = program.getTypeChecker();
  for (const source of program.getSourceFiles()) {
    if (!source.fileName.startsWith(folder)) continue;
    const parts: string[] = [];
    let end = 0;
    for (const statement of source.statements) {
      // The members of one with parameters depend on these.
      if (!ts.isInterfaceDeclaration(statement) || statement.typeParameters !== undefined) continue;
      if (!extendsComputed(statement, checker)) continue;
      parts.push(source.text.slice(end, statement.name.end), ` {\n${membersOf(statement, checker).join("")}}`);
      end = statement.end;
    }
    if (end > 0) writeFileSync(source.fileName, parts.join("") + source.text.slice(end));
  }
}

/** Whether it extends more than interfaces by their names. */
function extendsComputed(statement: ts.InterfaceDeclaration, checker: ts.TypeChecker): boolean {
  const types = (statement.heritageClauses ?? []).flatMap((clause) => clause.types);
  return types.some(
    (type) => type.typeArguments !== undefined || !checker.getTypeAtLocation(type).isClassOrInterface(),
  );
}

function membersOf(statement: ts.InterfaceDeclaration, checker: ts.TypeChecker): string[] {
  const properties = checker.getTypeAtLocation(statement).getProperties();
  return properties.map((property) => {
    const isOptional = (property.flags & ts.SymbolFlags.Optional) !== 0;
    const type = checker.getTypeOfSymbolAtLocation(property, statement);
    const comment = ts.displayPartsToString(property.getDocumentationComment(checker));
    return [
      comment === "" ? "" : `/** ${comment} */\n`,
      `readonly ${property.name}${isOptional ? "?" : ""}: ${written(type, isOptional, statement, checker)};\n`,
    ].join("");
  });
}

function written(type: ts.Type, isOptional: boolean, at: ts.InterfaceDeclaration, checker: ts.TypeChecker): string {
  const node = checker.typeToTypeNode(type, at, TYPE_FORMAT);
  if (node === undefined) throw new Error(`a type of ${at.name.text} cannot be written`);
  const printer = ts.createPrinter();
  const words = (ts.isUnionTypeNode(node) ? [...node.types] : [node]).map((each) =>
    printer
      .printNode(ts.EmitHint.Unspecified, each, at.getSourceFile())
      .replaceAll(/(?<=import\(")[^"]*\/node_modules\/([^"]+?)(?:\/lib\/index)?(?="\))/g, "$1"),
  );
  // Sorted, because the compiler's order depends on what else it has read.
  return words
    .filter((word) => !(isOptional && word === "undefined"))
    .sort()
    .join(" | ");
}
