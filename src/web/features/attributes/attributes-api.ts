import type { attributeChangeBody, desiredBody } from "../../../modules/attributes/attributes.schemas.ts";
import type { AttributeEntry, Scope } from "../../lib/api-types.ts";
import type { JsonValue, Wire } from "../../lib/wire.ts";
import { get, getPage, post, queryOf, remove } from "../../platform/api-client.ts";

export type AttributeChange = Wire<typeof attributeChangeBody>;
export type DesiredState = Wire<typeof desiredBody>;

const base = (id: string): string => `/api/devices/${encodeURIComponent(id)}/attributes`;

export const attributesApi = {
  /** Returns the attributes, by default of all scopes. */
  list: (id: string, scope?: Scope) =>
    get<AttributeEntry[]>(`${base(id)}?${queryOf({ scope, limit: 10_000 })}`),
  set: (id: string, scope: Scope, attributes: Record<string, JsonValue>) =>
    post<unknown>(`${base(id)}`, { scope, attributes }),
  delete: (id: string, scope: Scope, key: string) =>
    remove(`${base(id)}/${scope}/${encodeURIComponent(key)}`),
  history: (id: string, query: { scope?: Scope | undefined; key?: string | undefined; limit: number }) =>
    getPage<AttributeChange>(`${base(id)}/history`, query),
  desired: (id: string) => get<DesiredState[]>(`${base(id)}/desired?limit=10000`),
};
