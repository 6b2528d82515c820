import type { JsonValue } from "../../lib/json/json.ts";

export const ATTRIBUTE_SCOPES = ["SERVER", "SHARED", "CLIENT"] as const;
export type AttributeScope = (typeof ATTRIBUTE_SCOPES)[number];

/** Attribute without its value. */
export interface AttributeHead {
  readonly key: string;
  readonly scope: AttributeScope;
  /** ISO 8601. */
  readonly updatedAt: string;
}

export interface AttributeEntry extends AttributeHead {
  readonly value: JsonValue;
}

/** Attribute with the JSON of its value. */
export interface AttributeText extends AttributeHead {
  readonly text: string;
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

/** Last change of an attribute with the JSON of its value; null if it was deleted. */
export interface ChangeText {
  readonly changeId: number;
  readonly key: string;
  readonly text: string | null;
}

/** The same changes with values that are not parsed. */
export interface SharedTexts extends Omit<SharedUpdate, "values"> {
  readonly values: ReadonlyArray<Pick<AttributeText, "key" | "text">>;
}
