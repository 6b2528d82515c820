import type { JsonValue, Scope } from "../../lib/api-types.ts";
import { call, get, queryOf } from "../../platform/api.ts";

export interface AttributeChange {
  readonly changeId: number;
  readonly scope: Scope;
  readonly key: string;
  /** Left out where the attribute was deleted. */
  readonly value?: JsonValue;
  readonly at: string;
  readonly source: "USER" | "DEVICE" | "SYSTEM";
  readonly by: string | null;
}

export interface DesiredState {
  readonly key: string;
  readonly reported?: JsonValue;
  readonly state: "IN_SYNC" | "DIFFERENT" | "NOT_REPORTED";
}

const base = (id: string): string => `/api/devices/${encodeURIComponent(id)}/attributes`;

export const attributesApi = {
  async history(
    id: string,
    query: { scope?: Scope | undefined; key?: string | undefined; limit: number },
  ): Promise<{ rows: AttributeChange[]; total: number }> {
    const answer = await call<AttributeChange[]>("GET", `${base(id)}/history?${queryOf(query)}`);
    return { rows: answer.body, total: answer.total ?? answer.body.length };
  },
  desired: (id: string) => get<DesiredState[]>(`${base(id)}/desired?limit=10000`),
};
