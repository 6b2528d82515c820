import type { AttributeEntry, JsonValue, Scope } from "../../lib/api-types.ts";
import { call, get, post, queryOf } from "../../platform/api-client.ts";

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
  list: (id: string, scope: Scope) => get<AttributeEntry[]>(`${base(id)}?scope=${scope}&limit=10000`),
  set: (id: string, scope: Scope, attributes: Record<string, JsonValue>) =>
    post<unknown>(`${base(id)}`, { scope, attributes }),
  delete: (id: string, scope: Scope, key: string) =>
    call<unknown>("DELETE", `${base(id)}/${scope}/${encodeURIComponent(key)}`),
  async history(
    id: string,
    query: { scope?: Scope | undefined; key?: string | undefined; limit: number },
  ): Promise<{ rows: AttributeChange[]; total: number }> {
    const answer = await call<AttributeChange[]>("GET", `${base(id)}/history?${queryOf(query)}`);
    return { rows: answer.body, total: answer.total ?? answer.body.length };
  },
  desired: (id: string) => get<DesiredState[]>(`${base(id)}/desired?limit=10000`),
};
