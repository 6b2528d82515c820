import { innermostIssue, ruleOf, type SchemaIssue } from "../lib/core/schema-rule.ts";
import { pathExcerpt } from "../lib/strings/excerpt.ts";
import type { Text } from "../lib/texts/text.ts";

/** The field and the rule that it breaks, never its value. `whole` names what was checked, for a mismatch without a path. */
export function describeIssue(issue: SchemaIssue, whole = "body"): { field: string; rule: Text } {
  const inner = innermostIssue(issue);
  return { field: pathExcerpt(inner.path) || whole, rule: ruleOf(inner) };
}
