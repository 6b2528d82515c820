import type { Static, TObject, TSchema } from "@sinclair/typebox";
import { iso } from "../../lib/time/iso-time.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import {
  createResourceStore,
  type ResourceStore,
  type ResourceTable,
  type StoredRows,
} from "../../platform/database/resource-store.ts";
import type { RowList } from "../../platform/database/row-list.ts";
import { workShare } from "../../platform/load/fair-share.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { Permission } from "../identity/permissions.ts";
import type { OperationErrors } from "./operation-errors.ts";

/** Texts of an operation for the OpenAPI document. */
export interface OperationTexts {
  readonly summary: string;
  readonly description?: string;
  readonly errors?: OperationErrors;
  /** Default: the operation and the title of `schemas.item`, such as `listCodecs` and `updateCodec`. */
  readonly operationId?: string;
}

export interface ChangeTexts extends OperationTexts {
  /** Example of the request. */
  readonly example?: unknown;
  /** Second word of the action in the audit log; default: name of the operation. */
  readonly action?: string;
}

export interface ResourceSchemas {
  readonly item: TObject;
  /** Item of the list, without the other fields of `item`. */
  readonly listed?: TObject;
  /** Response of the route of one item, if it has more fields than `item`. */
  readonly detail?: TObject;
  /** Responses of creation and change with more fields than `item`, such as a secret that is shown once. */
  readonly created?: TObject;
  readonly updated?: TObject;
  readonly create: TSchema;
  readonly update: TSchema;
}

/** Part of a resource's definition needed by its routes. */
export interface ResourceApi<Api extends ResourceSchemas> {
  /** Target in the audit log, and the first word of its actions. */
  readonly name: string;
  /** Field with the id. */
  readonly key: string;
  readonly path: `/api/${string}`;
  /** Name of the id in the path, if it is not `key`. */
  readonly parameter?: string;
  /** Group in the OpenAPI document. */
  readonly tag: string;
  readonly permissions: { readonly read: Permission; readonly write: Permission };
  /** True if changes can require, by `If-Match`, that the item's `updatedAt` is unchanged. */
  readonly isVersioned?: boolean;
  readonly list: {
    /** Fields that the parameters `sort` and `search` accept. */
    readonly sort: readonly string[];
    readonly search: readonly string[];
    /** Schemas of additional parameters, which are passed to the service. */
    readonly filters?: Readonly<Record<string, TSchema>>;
  };
  readonly schemas: Api;
  /** Texts of the operations; without `get`, there is no route for a single item. */
  readonly operations: {
    readonly list: OperationTexts;
    readonly get?: OperationTexts;
    readonly create: ChangeTexts;
    readonly update: ChangeTexts;
    readonly delete: ChangeTexts;
  };
}

/**
 * Collection of items that users of a tenant create, read, change and delete.
 *
 * The definition is data. `createStore` returns reads and writes of the table, with the errors for a missing row, a taken name and too many
 * rows; `resourceRoutes` in `resource.routes.ts` returns the routes with permissions, audit log, list parameters and documentation. The resource's
 * service connects them: ordinary functions `list` (or `read`, for items that may be large), `get`, `create`, `update` and `delete` with the
 * resource's own rules.
 *
 * Rules in which resources differ:
 * - Tenants: the store never reads another tenant's row, so such ids are `not_found`.
 * - Order of checks: the route's permission, the service's checks in its own order (access to all devices before or after `get`), then in
 *   the store unique columns before the limit. A service that must check the limit first calls `ensureRoom`.
 * - Concurrency: `insert` and `update` check and write in one transaction; further writes join it within `transact`. After an `await`, a service
 *   calls `get` again, because the row may have been changed or deleted.
 * - Lost updates: for a resource with `isVersioned`, the route of a change compares `If-Match` with `updatedAt`, if the request has it.
 * - Partial updates: `update` writes only the given fields, so it keeps counters written meanwhile.
 * - Audit log: the compared fields are read through the service before and after a change, and contain no secrets.
 * - Caches and engines: the service notifies them after the write.
 * - Site files: a section takes id, path and schema from the definition (`objectsOf` in `cli/site/sections.ts`), if the site file has one.
 */
interface Resource<Row, Key extends keyof Row, Api extends ResourceSchemas> extends ResourceApi<Api> {
  /** Type of a row. */
  readonly $item: Row;
  readonly $store: ResourceStore<Row, Key>;
  /** Types of the request bodies that create and change an item. */
  readonly $create: Static<Api["create"]>;
  readonly $update: Static<Api["update"]>;
  createStore(
    database: Pick<MainDatabase, "orm" | "transact">,
    clock: Pick<Clock, "now">,
  ): ResourceStore<Row, Key>;
}

/** Properties with `$` exist only for the compiler. */
export const defineResource = <
  Table extends ResourceTable,
  Key extends keyof Table["$inferSelect"] & string,
  const Api extends ResourceSchemas,
>(
  definition: StoredRows<Table, Key> & ResourceApi<Api>,
) =>
  ({
    ...definition,
    createStore: (...on: Parameters<Resource<Table["$inferSelect"], Key, Api>["createStore"]>) =>
      createResourceStore(definition, ...on),
  }) as unknown as Resource<Table["$inferSelect"], Key, Api>; // the missing properties exist only as types

/** Omits the keys of hidden rows, so that they are not counted. */
export async function withoutHidden<Row, Key>({ keys, read }: RowList<Row, Key>): Promise<RowList<Row, Key>> {
  const shown: Key[] = [];
  for (const key of keys) {
    if (read(key) !== undefined) shown.push(key);
    await workShare.pause();
  }
  return { keys: shown, read };
}

/** Returns an item for clients: without its tenant, and with its times in ISO 8601. */
export const itemToWire = <Item extends { tenantId: string; createdAt: number; updatedAt: number }>({
  tenantId: _,
  createdAt,
  updatedAt,
  ...item
}: Item) => ({ ...item, createdAt: iso(createdAt), updatedAt: iso(updatedAt) });
