import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import ts from "typescript";

export interface SourceFile {
  /** Relative to the checkout. */
  readonly path: string;
  readonly text: string;
  readonly ast: ts.SourceFile;
}

export interface Import {
  /** Relative to the checkout. */
  readonly target: string;
  readonly isTypeOnly: boolean;
}

export function listFiles(directory: string): string[] {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

export function parseFile(checkout: string, path: string): SourceFile {
  const text = readFileSync(join(checkout, path), "utf8");
  const kind = path.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  return { path, text, ast: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, kind) };
}

/** Parses all TypeScript files of a directory of a checkout. */
export function parseFiles(checkout: string, directory: string): SourceFile[] {
  return listFiles(join(checkout, directory))
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => parseFile(checkout, relative(checkout, file)));
}

/** Returns the files of the checkout that a file imports or re-exports. */
export function importsOf({ path, ast }: SourceFile): Import[] {
  return ast.statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return [];
    const target = statement.moduleSpecifier;
    if (target === undefined || !ts.isStringLiteral(target) || !target.text.startsWith(".")) return [];
    const clause = ts.isImportDeclaration(statement) ? statement.importClause : statement;
    const isTypeOnly = clause?.isTypeOnly ?? false;
    return [{ target: join(dirname(path), target.text), isTypeOnly }];
  });
}
