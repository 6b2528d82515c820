import ts from "typescript";
import { createRandom } from "../../lib/data/random.ts";

/** Small change of a program that its tests should detect. */
export interface Mutant {
  /** Start of the replaced characters. */
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

/** Changes of a node; the text is that of the file. */
type Operator = (node: ts.Node, ast: ts.SourceFile) => Mutant[];

const { SyntaxKind } = ts;

/** Replacements by token: bounds of comparisons, equality, arithmetic and logic. */
const SWAPPED_TOKENS = new Map<ts.SyntaxKind, string>([
  [SyntaxKind.LessThanToken, "<="],
  [SyntaxKind.LessThanEqualsToken, "<"],
  [SyntaxKind.GreaterThanToken, ">="],
  [SyntaxKind.GreaterThanEqualsToken, ">"],
  [SyntaxKind.EqualsEqualsEqualsToken, "!=="],
  [SyntaxKind.ExclamationEqualsEqualsToken, "==="],
  [SyntaxKind.EqualsEqualsToken, "!="],
  [SyntaxKind.ExclamationEqualsToken, "=="],
  [SyntaxKind.PlusToken, "-"],
  [SyntaxKind.MinusToken, "+"],
  [SyntaxKind.AsteriskToken, "/"],
  [SyntaxKind.SlashToken, "*"],
  [SyntaxKind.PercentToken, "*"],
  [SyntaxKind.PlusEqualsToken, "-="],
  [SyntaxKind.MinusEqualsToken, "+="],
  [SyntaxKind.AmpersandAmpersandToken, "||"],
  [SyntaxKind.BarBarToken, "&&"],
  [SyntaxKind.QuestionQuestionToken, "&&"],
]);

const replace = (node: ts.Node, ast: ts.SourceFile, replacement: string): Mutant => ({
  start: node.getStart(ast),
  end: node.end,
  replacement,
});

const swapTokens: Operator = (node, ast) => {
  if (!ts.isBinaryExpression(node)) return [];
  const swapped = SWAPPED_TOKENS.get(node.operatorToken.kind);
  return swapped === undefined ? [] : [replace(node.operatorToken, ast, swapped)];
};

/** Replaces `!a` and `-a` by `a`, and `a++` by `a--`. */
const changeUnary: Operator = (node, ast) => {
  if (!ts.isPrefixUnaryExpression(node) && !ts.isPostfixUnaryExpression(node)) return [];
  const operand = node.operand.getText(ast);
  if (node.operator === SyntaxKind.ExclamationToken || node.operator === SyntaxKind.MinusToken)
    return [replace(node, ast, operand)];
  const opposites = new Map([
    [SyntaxKind.PlusPlusToken, "--"],
    [SyntaxKind.MinusMinusToken, "++"],
  ]);
  const opposite = opposites.get(node.operator);
  if (opposite === undefined) return [];
  return [replace(node, ast, ts.isPrefixUnaryExpression(node) ? opposite + operand : operand + opposite)];
};

/** Makes conditions always or never hold. Loops never begin, because only the timeout would detect an endless loop. */
const fixConditions: Operator = (node, ast) => {
  if (ts.isIfStatement(node)) return ["true", "false"].map((fixed) => replace(node.expression, ast, fixed));
  if (ts.isWhileStatement(node)) return [replace(node.expression, ast, "false")];
  if (ts.isForStatement(node) && node.condition !== undefined) return [replace(node.condition, ast, "false")];
  return [];
};

const swapBranches: Operator = (node, ast) => {
  if (!ts.isConditionalExpression(node)) return [];
  const [condition, whenTrue, whenFalse] = [node.condition, node.whenTrue, node.whenFalse].map((part) =>
    part.getText(ast),
  );
  return [replace(node, ast, `${condition} ? ${whenFalse} : ${whenTrue}`)];
};

/** Inverts booleans and decrements numbers; 0 becomes 1. */
const changeLiterals: Operator = (node, ast) => {
  if (node.kind === SyntaxKind.TrueKeyword) return [replace(node, ast, "false")];
  if (node.kind === SyntaxKind.FalseKeyword) return [replace(node, ast, "true")];
  if (!ts.isNumericLiteral(node) || ("name" in node.parent && node.parent.name === node)) return [];
  const value = Number(node.text);
  return [replace(node, ast, value === 0 ? "1" : String(value - 1))];
};

const removeStatements: Operator = (node, ast) =>
  ts.isExpressionStatement(node) || ts.isContinueStatement(node) || ts.isBreakStatement(node)
    ? [replace(node, ast, ";")]
    : [];

/** Makes functions return nothing. Returned booleans are inverted instead. */
const returnNothing: Operator = (node, ast) => {
  const returned = ts.isReturnStatement(node)
    ? node.expression
    : ts.isArrowFunction(node)
      ? node.body
      : undefined;
  if (returned === undefined || ts.isBlock(returned)) return [];
  const isPlain =
    returned.kind === SyntaxKind.TrueKeyword ||
    returned.kind === SyntaxKind.FalseKeyword ||
    returned.getText(ast) === "undefined";
  return isPlain ? [] : [replace(returned, ast, "undefined")];
};

const operators: readonly Operator[] = [
  swapTokens,
  changeUnary,
  fixConditions,
  swapBranches,
  changeLiterals,
  removeStatements,
  returnNothing,
];

/** Returns whether a node has no effect at run time, like types and imports. */
const isInert = (node: ts.Node): boolean =>
  ts.isTypeNode(node) ||
  ts.isInterfaceDeclaration(node) ||
  ts.isTypeAliasDeclaration(node) ||
  ts.isImportDeclaration(node) ||
  ts.isExportDeclaration(node);

/** Returns all mutants of a file, in the order of the file. */
export function mutantsOf(ast: ts.SourceFile): Mutant[] {
  const mutants: Mutant[] = [];
  const visit = (node: ts.Node): void => {
    if (isInert(node)) return;
    for (const operator of operators) mutants.push(...operator(node, ast));
    ts.forEachChild(node, visit);
  };
  visit(ast);
  return mutants.sort((a, b) => a.start - b.start || a.end - b.end);
}

/** Returns a random sample of at most `count` mutants in the order of the file. Equal seeds select equal mutants. */
export function sampleMutants(
  mutants: readonly Mutant[],
  { count, seed }: { readonly count: number; readonly seed: number },
): Mutant[] {
  const random = createRandom(seed);
  return mutants
    .map((mutant) => ({ mutant, place: random() }))
    .sort((a, b) => a.place - b.place)
    .slice(0, count)
    .map(({ mutant }) => mutant)
    .sort((a, b) => a.start - b.start || a.end - b.end);
}

/** Returns the changed text of the file. */
export const applyMutant = (text: string, { start, end, replacement }: Mutant): string =>
  text.slice(0, start) + replacement + text.slice(end);
