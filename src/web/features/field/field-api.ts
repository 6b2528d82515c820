import type { Text } from "../../../lib/texts/text.ts";
import { get, getPage, patch, post, remove } from "../../platform/api-client.ts";

/** Common fields of connections of all protocols. */
export interface FieldConnection {
  readonly connectionId: string;
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly units: number;
  readonly state: {
    readonly status: "off" | "connecting" | "connected" | "waiting";
    readonly since: string;
    readonly problem: Text | null;
    readonly nextAttemptAt: string | null;
  };
}

/** Common fields of units of all protocols. */
export interface FieldUnit {
  readonly connectionId: string;
  readonly deviceId: string;
  readonly deviceName: string;
  readonly intervalMs: number;
  readonly health: {
    readonly lastReadAt: string | null;
    readonly lastError: Text | null;
    readonly lastErrorAt: string | null;
    readonly answered: number;
    readonly failed: number;
    readonly values: readonly { readonly key: string; readonly value: number | string | boolean }[];
    readonly refused: readonly { readonly key: string }[];
    /** Messages of the device about entries that it reads. */
    readonly notes: readonly { readonly key: string; readonly note: Text }[];
  };
}

/** Types of one protocol. */
export interface FieldKind {
  readonly connection: FieldConnection;
  readonly unit: FieldUnit;
  /** Bodies of requests. */
  readonly create: object;
  readonly update: object;
  readonly createUnit: object;
  readonly updateUnit: object;
}

/** More than the max. units of a connection. */
const UNITS_LISTED = 1_000;

/** Returns the requests for the connections of a protocol. `base` is the path of its API. */
export function fieldApi<Kind extends FieldKind>(base: `/api/${string}`) {
  const connections = `${base}/connections`;
  const pathOf = (id: string) => `${connections}/${encodeURIComponent(id)}`;
  const unitsPath = (id: string) => `${pathOf(id)}/units`;
  const unitPath = (id: string, unit: string) => `${unitsPath(id)}/${encodeURIComponent(unit)}`;
  return {
    list: (search: string) => getPage<Kind["connection"]>(connections, { search }),
    get: (id: string) => get<Kind["connection"]>(pathOf(id)),
    create: (body: Kind["create"]) => post<Kind["connection"]>(connections, body),
    update: (id: string, body: Kind["update"]) => patch<Kind["connection"]>(pathOf(id), body),
    delete: (id: string) => remove(pathOf(id)),
    units: async (id: string) => (await getPage<Kind["unit"]>(unitsPath(id), { limit: UNITS_LISTED })).rows,
    createUnit: (id: string, body: Kind["createUnit"]) => post<Kind["unit"]>(unitsPath(id), body),
    updateUnit: (id: string, unit: string, body: Kind["updateUnit"]) =>
      patch<Kind["unit"]>(unitPath(id, unit), body),
    deleteUnit: (id: string, unit: string) => remove(unitPath(id, unit)),
    read: <Result>(id: string, body: object) => post<Result>(`${pathOf(id)}/read`, body),
    templates: async <Template>() => (await getPage<Template>(`${base}/templates`, { limit: 1_000 })).rows,
  };
}
