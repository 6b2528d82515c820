import { placeExcerpt } from "../lib/excerpt.ts";
import { ruleOf, type SchemaIssue } from "../lib/schema-rule.ts";
import type { Text } from "../lib/texts/text.ts";

/** The field and the rule that it breaks, never its value. `where` names the part of the request unless it is the body. */
export function describeIssue(issue: SchemaIssue, where = ""): { field: string; rule: Text } {
  const place = placeExcerpt(issue.path);
  const field = place === "" ? where || "body" : `${where === "" ? "" : `${where} `}${place}`;
  return { field, rule: ruleOf(issue) };
}
