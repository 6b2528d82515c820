import { innermostIssue, ruleOf, type SchemaIssue } from "../lib/core/schema-rule.ts";
import { pathExcerpt } from "../lib/strings/excerpt.ts";
import type { Text } from "../lib/texts/text.ts";

/** The field and the rule that it breaks, never its value. `where` names the part of the request unless it is the body. */
export function describeIssue(issue: SchemaIssue, where = ""): { field: string; rule: Text } {
  const inner = innermostIssue(issue);
  const path = pathExcerpt(inner.path);
  const field = path === "" ? where || "body" : `${where === "" ? "" : `${where} `}${path}`;
  return { field, rule: ruleOf(inner) };
}
