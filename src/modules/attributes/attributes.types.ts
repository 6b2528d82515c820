import type { JsonValue } from "../../lib/json.ts";

export const attributeScopes = ["SERVER", "SHARED", "CLIENT"] as const;
export type AttributeScope = (typeof attributeScopes)[number];

export interface AttributeEntry {
  readonly key: string;
  readonly value: JsonValue;
  readonly scope: AttributeScope;
  /** ISO 8601. */
  readonly updatedAt: string;
}
