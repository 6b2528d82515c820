import type { TObject, TSchema } from "@sinclair/typebox";
import { Elysia, t } from "elysia";
import { omit } from "../../lib/core/omit.ts";
import { iso } from "../../lib/time/iso-time.ts";
import { wholeList } from "../api/lists.ts";
import { ALL_DEVICES_ONLY } from "../api/operation-errors.ts";
import { type ChangeTexts, itemToWire, type OperationTexts } from "../api/resource.ts";
import { successBody } from "../api/wire.schemas.ts";
import type { AuditContext } from "../audit/audit.types.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { EntryMap } from "./entry-map.ts";
import type { FieldKind } from "./field.protocol.ts";
import type { mapBody } from "./field.schemas.ts";
import {
  CONNECTION_ENTRIES_MAX,
  type FieldService,
  type ShownConnection,
  type ShownUnit,
  UNITS_MAX,
} from "./field.service.ts";

export const connectionToWire = <Kind extends FieldKind>({
  connection,
  units,
  state,
}: ShownConnection<Kind>) => {
  const { status, since, problem, nextAttemptAt } = state;
  return {
    ...itemToWire(connection as Kind["connection"]),
    units,
    state: { status, since: iso(since), problem, nextAttemptAt: iso(nextAttemptAt) },
  };
};

interface UnitApi<Kind extends FieldKind> {
  readonly path: `/api/${string}/units`;
  /** Path parameter with the connection's id. */
  readonly connection: string;
  readonly tag: string;
  /** Field with the unit's id, and target type in the audit log. */
  readonly key: string;
  readonly name: string;
  readonly sort: readonly string[];
  readonly schemas: { readonly item: TObject; readonly create: TSchema; readonly update: TSchema };
  /** Converts a refused entry for responses. */
  readonly refusedToWire: (key: string, code: number) => object;
  /** True if units count the entries whose changes are reported. */
  readonly hasReports?: boolean;
  readonly operations: {
    readonly list: OperationTexts;
    readonly create: ChangeTexts;
    readonly update: ChangeTexts;
    readonly delete: ChangeTexts;
  };
  readonly service: FieldService<Kind>;
  readonly auth: AuthPlugin;
}

/** Returns the OpenAPI texts of the unit routes. `entry` is the protocol's term, such as `tag`. */
export const unitOperations = ({
  connection,
  entry,
  examples,
}: {
  /** Name with its article, such as `an S7 connection`. */
  readonly connection: string;
  readonly entry: string;
  readonly examples: { readonly create: object; readonly update: object };
}): UnitApi<FieldKind>["operations"] => {
  const tooMany = `more than ${CONNECTION_ENTRIES_MAX.toLocaleString("en")} ${entry}s together`;
  return {
    list: {
      summary: `List the units of ${connection}`,
      description: `Lists what the connection reads for each device: ${entry}s, newest values and health.`,
      errors: { ...ALL_DEVICES_ONLY, 404: "The connection is unknown." },
    },
    create: {
      summary: `Add a unit to ${connection}`,
      description: `The values of its ${entry}s become telemetry of the device, and commands to the device write its writable ${entry}s.`,
      errors: {
        ...ALL_DEVICES_ONLY,
        400: `One of the ${entry}s is invalid; the message names it.`,
        404: "The connection or the device is unknown.",
        409: `Another unit has the device, there are already ${UNITS_MAX} units, or the units of the connection would have ${tooMany}.`,
      },
      example: { deviceId: "01996d2e-5a3c-7b10-9c0e-3f1d2a4b5c6d", ...examples.create },
    },
    update: {
      summary: `Change a unit of ${connection}`,
      description: `A list of ${entry}s replaces the previous one.`,
      errors: {
        ...ALL_DEVICES_ONLY,
        400: `One of the ${entry}s is invalid; the message names it.`,
        404: "The connection or the unit is unknown.",
        409: `The units of the connection would have ${tooMany}.`,
      },
      example: examples.update,
    },
    delete: {
      summary: `Delete a unit of ${connection}`,
      description: "The device and its values stay.",
      errors: { ...ALL_DEVICES_ONLY, 404: "The connection or the unit is unknown." },
    },
  };
};

/** Creates the routes of a protocol's units. */
export function fieldUnitRoutes<Kind extends FieldKind>(api: UnitApi<Kind>) {
  const { service, connection, key, name, operations, refusedToWire } = api;
  const schemas: { item: TSchema; create: TSchema; update: TSchema } = api.schemas;
  const { title } = api.schemas.item;
  const units = wholeList({ sort: api.sort, search: ["deviceName"] });
  const toWire = ({ unit, deviceName, health }: ShownUnit<Kind>) => {
    const { values, refused, notes, reported, lastReadAt, lastErrorAt, ...counts } = health;
    return {
      ...unit,
      deviceName,
      health: {
        ...counts,
        lastReadAt: iso(lastReadAt),
        lastErrorAt: iso(lastErrorAt),
        values: [...values].map(([of, value]) => ({ key: of, value })),
        refused: [...refused].map(([of, code]) => refusedToWire(of, code)),
        ...(api.hasReports === true && { reported }),
        notes: [...notes].map(([of, note]) => ({ key: of, note })),
      },
      createdAt: iso(unit.createdAt),
      updatedAt: iso(unit.updatedAt),
    };
  };
  // The compiler does not know the fields of the protocol's schemas, nor the name of the id in the path.
  const idsOf = (params: unknown) => {
    const ids = params as Record<string, string>;
    return { connectionId: ids[connection] ?? "", unitId: ids[key] ?? "" };
  };
  const read = ({ principal, params }: AuditContext, id: string) =>
    omit(toWire(service.unit(principal, params[connection] ?? "", id)), "health");
  const changing = (operation: string, texts: ChangeTexts, created?: string) => ({
    auth: "integrations:write" as const,
    audit: { action: `${name}.${operation}`, target: name, ...(created !== undefined && { created }), read },
    detail: { operationId: `${operation}${title}`, ...texts },
  });

  const routes = new Elysia({ prefix: api.path, tags: [api.tag] }).use(api.auth);
  routes.get(
    "",
    ({ principal, params, query, request, set }) =>
      units.page(
        { query, request, set },
        service.units(principal, idsOf(params).connectionId).map((unit) => toWire(unit)),
      ),
    {
      auth: "integrations:read",
      query: t.Object(units.fields),
      response: { 200: t.Array(schemas.item) },
      detail: { operationId: `list${title}s`, ...operations.list },
    },
  );
  routes.post(
    "",
    ({ principal, params, body, set }) => {
      set.status = 201;
      return toWire(service.createUnit(principal, idsOf(params).connectionId, body as Kind["createUnit"]));
    },
    {
      ...changing("create", operations.create, key),
      body: schemas.create,
      response: { 201: schemas.item },
    },
  );
  routes.patch(
    `/:${key}`,
    ({ principal, params, body }) =>
      toWire(service.updateUnit(principal, idsOf(params), body as Kind["updateUnit"])),
    { ...changing("update", operations.update), body: schemas.update, response: { 200: schemas.item } },
  );
  routes.delete(
    `/:${key}`,
    ({ principal, params }) => {
      const { connectionId, unitId } = idsOf(params);
      service.deleteUnit(principal, connectionId, unitId);
      return { success: true };
    },
    { ...changing("delete", operations.delete), response: { 200: successBody } },
  );
  return routes;
}

interface MapApi {
  readonly path: `/api/${string}`;
  readonly tag: string;
  /** Last path segment of the route that reads a map. */
  readonly maps: string;
  /** Response field with the entries. */
  readonly entries: string;
  readonly readMap: (csv: string) => Promise<EntryMap<object>>;
  readonly schemas: { readonly body: ReturnType<typeof mapBody>; readonly map: TObject };
  readonly operation: ChangeTexts;
  /** Templates of maps, if the protocol has any. */
  readonly templates?: {
    readonly list: () => readonly object[];
    readonly schema: TObject;
    readonly operation: OperationTexts;
  };
  readonly auth: AuthPlugin;
}

/** Creates the routes of a protocol's maps: templates and uploaded tables. */
export function fieldMapRoutes({ path, tag, maps, entries, readMap, templates, ...api }: MapApi) {
  const { map }: { map: TSchema } = api.schemas;
  const routes = new Elysia({ prefix: path, tags: [tag] }).use(api.auth);
  if (templates !== undefined) {
    const { list, operation } = templates;
    const schema: TSchema = templates.schema;
    const page = wholeList({ sort: ["name", "vendor", "kind"], search: ["name", "vendor"] });
    routes.get("/templates", ({ query, request, set }) => page.page({ query, request, set }, [...list()]), {
      auth: "integrations:read",
      query: t.Object(page.fields),
      response: { 200: t.Array(schema) },
      detail: operation,
    });
  }
  return routes.post(
    `/${maps}`,
    async ({ body: { csv } }) => {
      const read = await readMap(csv);
      return { [entries]: [...read.entries], problems: [...read.problems] };
    },
    {
      auth: "integrations:read",
      body: api.schemas.body,
      response: { 200: map },
      detail: api.operation,
    },
  );
}
