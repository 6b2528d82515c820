import { ALL_DEVICES_ONLY } from "../api/operation-errors.ts";
import { resourceRoutes } from "../api/resource.routes.ts";
import { itemToWire } from "../api/resource.ts";
import { connectionToWire, fieldMapRoutes, fieldUnitRoutes, unitOperations } from "../field/field.routes.ts";
import type { FieldService } from "../field/field.service.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { readAddress, type S7Kind } from "./s7.protocol.ts";
import { s7ConnectionResource } from "./s7.resource.ts";
import {
  createUnitBody,
  readBody,
  readResponseBody,
  tagMapBody,
  tagMapResponseBody,
  templateBody,
  unitBody,
  updateUnitBody,
} from "./s7.schemas.ts";
import { s7Templates } from "./s7-templates.ts";
import { addressOf } from "./tag-checks.ts";
import { readTagMap } from "./tag-map.ts";

interface RoutesDeps {
  readonly s7: FieldService<S7Kind>;
  readonly auth: AuthPlugin;
}

export const s7ConnectionsRoutes = ({ s7, auth }: RoutesDeps) =>
  resourceRoutes(s7ConnectionResource, {
    service: s7,
    toWire: connectionToWire,
    read: ({ principal }, id) => itemToWire(s7.get(principal, id).connection),
    auth,
  }).post(
    "/:s7ConnectionId/read",
    async ({ principal, params, body }) => {
      const address = addressOf(body);
      const values = await s7.perform(principal, params.s7ConnectionId, (line) => readAddress(line, address));
      return { address: body.address, values };
    },
    {
      auth: "integrations:read",
      body: readBody,
      response: { 200: readResponseBody },
      detail: {
        operationId: "readS7Address",
        summary: "Read an address of an S7 controller now",
        description: "Reads one variable or array between two regular reads.",
        errors: {
          ...ALL_DEVICES_ONLY,
          400: "The address is invalid.",
          404: "The connection is unknown.",
          409: "The connection is not open, or the controller refuses.",
        },
        example: { address: "%DB1.DBD4:REAL" },
      },
    },
  );

export const s7UnitsRoutes = ({ s7, auth }: RoutesDeps) =>
  fieldUnitRoutes({
    path: "/api/s7/connections/:s7ConnectionId/units",
    tag: "s7",
    connection: "s7ConnectionId",
    key: "s7UnitId",
    name: "s7_unit",
    sort: ["deviceName"],
    schemas: { item: unitBody, create: createUnitBody, update: updateUnitBody },
    refusedToWire: (key, returnCode) => ({ key, returnCode }),
    operations: unitOperations({
      connection: "an S7 connection",
      entry: "tag",
      examples: {
        create: { intervalMs: 1_000, tags: [{ key: "pressure", address: "%DB1.DBD4:REAL" }] },
        update: { intervalMs: 500 },
      },
    }),
    service: s7,
    auth,
  });

export const s7TagMapsRoutes = ({ auth }: Pick<RoutesDeps, "auth">) =>
  fieldMapRoutes({
    path: "/api/s7",
    tag: "s7",
    maps: "tag-maps",
    entries: "tags",
    readMap: readTagMap,
    schemas: { body: tagMapBody, map: tagMapResponseBody },
    operation: {
      operationId: "parseS7TagMap",
      summary: "Read S7 tags from CSV",
      description:
        "Returns the tags of a table without storing anything, and the invalid lines. At most 1,000 lines are read. Columns: key, address, scale, offset, intervalMs, writable.",
      errors: { 400: "The text cannot be read as a table." },
      example: { csv: "key,address\npressure,%DB1.DBD4:REAL" },
    },
    templates: {
      list: s7Templates,
      schema: templateBody,
      operation: {
        operationId: "listS7Templates",
        summary: "List tags of common controllers",
        description: "Lists tags that many controllers have at the same addresses, to begin with.",
      },
    },
    auth,
  });
