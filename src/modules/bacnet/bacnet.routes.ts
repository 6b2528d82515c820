import { Elysia, t } from "elysia";
import { ALL_DEVICES_ONLY } from "../api/operation-errors.ts";
import { resourceRoutes } from "../api/resource.routes.ts";
import { itemToWire } from "../api/resource.ts";
import { connectionToWire, fieldMapRoutes, fieldUnitRoutes, unitOperations } from "../field/field.routes.ts";
import type { FieldService } from "../field/field.service.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { refusalText } from "./bacnet.errors.ts";
import type { BacnetKind } from "./bacnet.protocol.ts";
import { bacnetConnectionResource } from "./bacnet.resource.ts";
import {
  browseBody,
  browseResponseBody,
  createUnitBody,
  foundDeviceBody,
  objectMapBody,
  objectMapResponseBody,
  searchBody,
  unitBody,
  updateUnitBody,
} from "./bacnet.schemas.ts";
import type { DeviceSearch } from "./device-search.ts";
import { browseObjects } from "./object-browser.ts";
import { readObjectMap } from "./object-map.ts";

interface RoutesDeps {
  readonly bacnet: FieldService<BacnetKind>;
  readonly auth: AuthPlugin;
}

export const bacnetConnectionsRoutes = ({ bacnet, auth }: RoutesDeps) =>
  resourceRoutes(bacnetConnectionResource, {
    service: bacnet,
    toWire: connectionToWire,
    read: ({ principal }, id) => itemToWire(bacnet.get(principal, id).connection),
    auth,
  }).post(
    "/:bacnetConnectionId/browse",
    async ({ principal, params, body: { from = 1 } }) => {
      const id = params.bacnetConnectionId;
      const { deviceInstance: instance } = bacnet.get(principal, id).connection;
      const { objects, ...part } = await bacnet.perform(principal, id, (line) =>
        browseObjects(line, { instance, from }),
      );
      return { ...part, objects: objects.map((object) => ({ ...object, states: [...object.states] })) };
    },
    {
      auth: "integrations:read",
      body: browseBody,
      response: { 200: browseResponseBody },
      detail: {
        operationId: "browseBacnetObjects",
        summary: "List objects of a BACnet device now",
        description:
          "Reads up to 50 places of the device's list of objects, and answers with those that have a value.",
        errors: {
          ...ALL_DEVICES_ONLY,
          404: "The connection is unknown.",
          409: "The connection is not open, or the device refuses.",
        },
        example: { from: 1 },
      },
    },
  );

export const bacnetUnitsRoutes = ({ bacnet, auth }: RoutesDeps) =>
  fieldUnitRoutes({
    path: "/api/bacnet/connections/:bacnetConnectionId/units",
    tag: "bacnet",
    connection: "bacnetConnectionId",
    key: "bacnetUnitId",
    name: "bacnet_unit",
    sort: ["deviceName"],
    schemas: { item: unitBody, create: createUnitBody, update: updateUnitBody },
    refusedToWire: (key, code) => ({ key, reason: refusalText(code) }),
    operations: unitOperations({
      connection: "a BACnet connection",
      entry: "object",
      examples: {
        create: { intervalMs: 10_000, objects: [{ key: "temperature", address: "analog-input:1" }] },
        update: { intervalMs: 5_000 },
      },
    }),
    service: bacnet,
    auth,
  });

export const bacnetObjectMapsRoutes = ({ auth }: Pick<RoutesDeps, "auth">) =>
  fieldMapRoutes({
    path: "/api/bacnet",
    tag: "bacnet",
    maps: "object-maps",
    entries: "objects",
    readMap: readObjectMap,
    schemas: { body: objectMapBody, map: objectMapResponseBody },
    operation: {
      operationId: "parseBacnetObjectMap",
      summary: "Read BACnet objects from CSV",
      description:
        "Returns the objects of a table or EDE file without storing anything, and the invalid lines. At most 1,000 lines are read. Columns: key, address, priority, cov, intervalMs, writable.",
      errors: { 400: "The text cannot be read as a table." },
      example: { csv: "key,address\ntemperature,analog-input:1" },
    },
    auth,
  });

export const bacnetSearchRoutes = ({ search, auth }: { search: DeviceSearch; auth: AuthPlugin }) =>
  new Elysia({ prefix: "/api/bacnet", tags: ["bacnet"] })
    .use(auth)
    .post("/search", ({ principal, body }) => search(principal, body), {
      auth: "integrations:write",
      audit: { none: "it asks the network and changes nothing" },
      body: searchBody,
      response: { 200: t.Array(foundDeviceBody) },
      detail: {
        operationId: "searchBacnetDevices",
        summary: "Search for BACnet devices",
        description: "Asks who is there (Who-Is), and lists the devices that answered within three seconds.",
        errors: {
          ...ALL_DEVICES_ONLY,
          400: "The address is not allowed.",
          409: "Another search is running, or the BBMD refuses.",
        },
        example: { address: "192.168.1.255" },
      },
    });
