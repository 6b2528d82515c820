import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import ts from "typescript";

/** Max. lines of a function. Nested functions count separately. */
export const FUNCTION_LINES_MAX = 70;

interface LongFunction {
  /** Name of the function, or of the variable or property with it; `(anonymous)` for others. */
  readonly name: string;
  readonly lines: number;
}

const nameOf = (node: ts.Node): string => {
  const named = node as { readonly name?: ts.Node };
  if (named.name !== undefined) return named.name.getText();
  const { parent } = node;
  return ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent)
    ? parent.name.getText()
    : "(anonymous)";
};

const linesOf = (ast: ts.SourceFile, node: ts.Node): number =>
  ast.getLineAndCharacterOfPosition(node.end).line -
  ast.getLineAndCharacterOfPosition(node.getStart()).line +
  1;

const hasFunction = (node: ts.Node): boolean =>
  ts.forEachChild(node, (child) => ts.isFunctionLike(child) || hasFunction(child)) ?? false;

/**
 * Returns all functions with more lines than the limit. A nested function counts as one line of the enclosing function, and so does an object
 * without functions: the description of a route and the arguments of a part are data.
 */
export function longFunctionsOf(ast: ts.SourceFile): LongFunction[] {
  const found: LongFunction[] = [];
  /** Returns the number of lines below `node` that only belong to functions and data. */
  const visit = (node: ts.Node): number => {
    let inner = 0;
    ts.forEachChild(node, (child) => {
      inner += visit(child);
    });
    if (ts.isObjectLiteralExpression(node) && !hasFunction(node)) return linesOf(ast, node) - 1;
    if (!ts.isFunctionLike(node) || !("body" in node) || node.body === undefined) return inner;
    const all = linesOf(ast, node);
    if (all - inner > FUNCTION_LINES_MAX) found.push({ name: nameOf(node), lines: all - inner });
    return all - 1;
  };
  visit(ast);
  return found;
}

/** Returns the long functions of `src`, each as a sentence. */
function problemsIn(root: string): string[] {
  const problems: string[] = [];
  for (const entry of readdirSync(join(root, "src"), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.tsx?$/.test(entry.name)) continue;
    const file = join(entry.parentPath, entry.name);
    const kind = file.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
    const ast = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true, kind);
    for (const { name, lines } of longFunctionsOf(ast))
      problems.push(
        `${relative(root, file)} ${name} has ${lines} lines; a function has at most ${FUNCTION_LINES_MAX}`,
      );
  }
  return problems;
}

/** `bun src/tools/check/long-functions.ts`: fails if a function is longer than the limit. */
if (import.meta.main) {
  const problems = problemsIn(join(import.meta.dir, "..", "..", ".."));
  console.log(`${problems.length} functions above ${FUNCTION_LINES_MAX} lines`);
  for (const problem of problems) console.log(problem);
  process.exit(problems.length === 0 ? 0 : 1);
}
