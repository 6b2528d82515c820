import { innermostIssue, ruleOf, type SchemaIssue } from "../lib/core/schema-rule.ts";
import { pathExcerpt } from "../lib/strings/excerpt.ts";
import type { Text } from "../lib/texts/text.ts";

/** Returns the field and its violated rule, never its value. `whole` is the name of the checked value, for a mismatch without a path. */
export function describeIssue(issue: SchemaIssue, whole = "body"): { field: string; rule: Text } {
  const inner = innermostIssue(issue);
  return { field: pathExcerpt(inner.path) || whole, rule: ruleOf(inner) };
}
