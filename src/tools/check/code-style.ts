import ts from "typescript";
import { parseFiles, type SourceFile } from "./source-files.ts";

/*
 * `bun src/tools/check/code-style.ts`: checks rules that the linter does not have. Module constants with plain values are UPPER_SNAKE, private
 * members are `#x`, and objects are written out rather than assembled from lists of names.
 */

const UPPER_SNAKE = /^[A-Z][A-Z0-9_]*$/;
/** Removes `as`, `satisfies` and parentheses. */
const withoutType = (node: ts.Expression): ts.Expression =>
  ts.isAsExpression(node) || ts.isSatisfiesExpression(node) || ts.isParenthesizedExpression(node)
    ? withoutType(node.expression)
    : node;

const isWord = ({ kind }: ts.Node): boolean =>
  [ts.SyntaxKind.TrueKeyword, ts.SyntaxKind.FalseKeyword, ts.SyntaxKind.NullKeyword].includes(kind);

const isNamed = (node: ts.Expression): boolean =>
  ts.isIdentifier(withoutType(node)) || ts.isPropertyAccessExpression(withoutType(node));

function isPlainItem(item: ts.Expression): boolean {
  if (ts.isSpreadElement(item)) return ts.isIdentifier(withoutType(item.expression));
  return isPlain(item) || (ts.isIdentifier(item) && UPPER_SNAKE.test(item.text));
}

const isCollection = (
  node: ts.Expression,
): node is ts.NewExpression & { arguments: ts.NodeArray<ts.Expression> } =>
  ts.isNewExpression(node) && /^(Set|Map)$/.test(node.expression.getText()) && node.arguments?.length === 1;

/** Returns whether an expression is a number, a text, a pattern, or a list or set of them. */
function isPlain(expression: ts.Expression): boolean {
  const node = withoutType(expression);
  if (ts.isLiteralExpression(node) || ts.isTemplateExpression(node) || isWord(node)) return true;
  if (ts.isPrefixUnaryExpression(node)) return isPlain(node.operand);
  if (ts.isArrayLiteralExpression(node)) return node.elements.length > 0 && node.elements.every(isPlainItem);
  if (ts.isBinaryExpression(node))
    return (
      !/[=]|&&|\|\|/.test(node.operatorToken.getText()) &&
      [node.left, node.right].every((side) => isPlain(side) || isNamed(side))
    );
  if (!isCollection(node)) return false;
  const [items] = node.arguments;
  return items !== undefined && ts.isArrayLiteralExpression(withoutType(items)) && isPlain(items);
}

function* constantsIn({ ast }: SourceFile): Generator<ts.Node> {
  for (const statement of ast.statements) {
    if (!ts.isVariableStatement(statement) || !(statement.declarationList.flags & ts.NodeFlags.Const))
      continue;
    for (const { name, initializer } of statement.declarationList.declarations)
      if (
        ts.isIdentifier(name) &&
        /^[a-z]/.test(name.text) &&
        initializer !== undefined &&
        isPlain(initializer)
      )
        yield name;
  }
}

const isPrivateMember = (node: ts.Node): boolean =>
  (ts.isPropertyDeclaration(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isAccessor(node) ||
    ts.isParameter(node)) &&
  node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword) === true;

const isSpreadLiteral = (node: ts.Node): boolean =>
  (ts.isSpreadAssignment(node) || ts.isJsxSpreadAttribute(node)) &&
  ts.isObjectLiteralExpression(node.expression);

function* othersIn(node: ts.Node): Generator<[ts.Node, string]> {
  if (isPrivateMember(node)) yield [node, "a private member is written #x"];
  if (isSpreadLiteral(node)) yield [node, "the fields of a literal are written out, not spread"];
  for (const child of node.getChildren()) yield* othersIn(child);
}

/** Lists violations of the style in a file. */
export function styleProblems(file: SourceFile): string[] {
  const lineOf = (node: ts.Node) => file.ast.getLineAndCharacterOfPosition(node.getStart()).line + 1;
  return [
    ...[...constantsIn(file)].map((name) => `${lineOf(name)}: ${name.getText()} is a constant: UPPER_SNAKE`),
    ...[...othersIn(file.ast)].map(([node, rule]) => `${lineOf(node)}: ${rule}`),
  ].map((problem) => `${file.path}:${problem}`);
}

if (import.meta.main) {
  const problems = parseFiles(process.cwd(), "src").flatMap(styleProblems);
  for (const problem of problems) console.log(problem);
  console.log(`${problems.length} problems of style`);
  process.exit(problems.length === 0 ? 0 : 1);
}
