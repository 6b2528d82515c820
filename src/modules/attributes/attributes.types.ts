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

/** Source of a change of an attribute. `by` is the person's email address, or the name of the key or program. */
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

/** A SHARED attribute, which says how the device ought to be, against the CLIENT attribute of its name, which says how it is. */
export interface DesiredState {
  readonly key: string;
  readonly desired: JsonValue;
  /** ISO 8601. */
  readonly desiredAt: string;
  readonly reported?: JsonValue;
  readonly reportedAt?: string;
  readonly state: "IN_SYNC" | "DIFFERENT" | "NOT_REPORTED";
}

/** What has become of the SHARED attributes of a device. */
export interface SharedUpdate {
  /** The newest change in it. */
  readonly changeId: number;
  readonly values: ReadonlyMap<string, JsonValue>;
  readonly deleted: readonly string[];
}
