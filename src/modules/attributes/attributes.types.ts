import type { JsonValue } from "../../lib/json/json.ts";

export const ATTRIBUTE_SCOPES = ["SERVER", "SHARED", "CLIENT"] as const;
export type AttributeScope = (typeof ATTRIBUTE_SCOPES)[number];

export interface AttributeEntry {
  readonly key: string;
  readonly value: JsonValue;
  readonly scope: AttributeScope;
  /** ISO 8601. */
  readonly updatedAt: string;
}

/** Author of an attribute change. `by`: the user's email address, or the name of the key or program. */
export interface ChangedBy {
  readonly source: "USER" | "DEVICE" | "SYSTEM";
  readonly by: string | null;
}

export interface AttributeChange extends ChangedBy {
  readonly changeId: number;
  readonly scope: AttributeScope;
  readonly key: string;
  /** Absent if the attribute was deleted. */
  readonly value?: JsonValue;
  /** Epoch ms. */
  readonly at: number;
}

/** SHARED attribute (desired state) compared with the CLIENT attribute of the same name (reported state). */
export interface DesiredState {
  readonly key: string;
  readonly desired: JsonValue;
  /** ISO 8601. */
  readonly desiredAt: string;
  readonly reported?: JsonValue;
  readonly reportedAt?: string;
  readonly state: "IN_SYNC" | "DIFFERENT" | "NOT_REPORTED";
}

/** Changes of a device's SHARED attributes. */
export interface SharedUpdate {
  /** Id of the newest included change. */
  readonly changeId: number;
  readonly values: ReadonlyMap<string, JsonValue>;
  readonly deleted: readonly string[];
}
