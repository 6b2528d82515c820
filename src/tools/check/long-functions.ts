import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import ts from "typescript";

/** Max. lines of a function. Nested functions count separately. */
export const FUNCTION_LINES_MAX = 70;

interface LongFunction {
  /** The name, or that of the variable or property that holds it; `(anonymous)` for the others. */
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
 * Returns the functions of any kind with more lines than the limit. A nested function counts as one line of the enclosing function, and so does
 * an object without functions: what a route says of itself and what a part is created with is data.
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

/** Long functions of `src` with their lines, by `path name`. */
function measure(root: string): Map<string, number> {
  const measured = new Map<string, number>();
  for (const entry of readdirSync(join(root, "src"), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.tsx?$/.test(entry.name)) continue;
    const file = join(entry.parentPath, entry.name);
    const kind = file.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
    const ast = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true, kind);
    for (const { name, lines } of longFunctionsOf(ast))
      measured.set(`${relative(root, file)} ${name}`, lines);
  }
  return measured;
}

/*
 * `bun src/tools/check/long-functions.ts`: fails on a function above the limit that is not listed, or is longer than listed. The list holds those
 * that were there when the limit came, and only shrinks: `--update` takes out and lowers, it adds nothing.
 */
if (import.meta.main) {
  const root = join(import.meta.dir, "..", "..", "..");
  const listFile = join(import.meta.dir, "long-functions.json");
  const listed: Record<string, number> = JSON.parse(readFileSync(listFile, "utf8")); // our own file
  const measured = measure(root);
  const problems: string[] = [];
  const kept: Record<string, number> = {};
  for (const [name, lines] of measured) {
    const most = listed[name];
    if (most === undefined)
      problems.push(`${name} has ${lines} lines; a function has ${FUNCTION_LINES_MAX} at most`);
    else {
      if (lines > most) problems.push(`${name} has grown from ${most} to ${lines} lines; split it`);
      kept[name] = Math.min(lines, most);
    }
  }
  if (process.argv.includes("--update")) {
    const sorted = Object.fromEntries(Object.entries(kept).sort(([a], [b]) => (a < b ? -1 : 1)));
    await Bun.write(listFile, `${JSON.stringify(sorted, null, 2)}\n`);
  } else
    for (const [name, most] of Object.entries(listed))
      if (kept[name] !== most && (measured.get(name) ?? 0) <= most)
        problems.push(`${name} is shorter than listed: run bun src/tools/check/long-functions.ts --update`);
  console.log(`${measured.size} functions above ${FUNCTION_LINES_MAX} lines`);
  for (const problem of problems) console.log(problem);
  process.exit(problems.length === 0 ? 0 : 1);
}
