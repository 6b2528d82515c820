import { Elysia, t } from "elysia";
import { iso } from "../../lib/iso-time.ts";
import type { AuditContext } from "../audit/audit.types.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { wholeList } from "../lists.ts";
import { resourceRoutes } from "../resource.routes.ts";
import { itemToWire } from "../resource.ts";
import { successBody } from "../wire.schemas.ts";
import { modbusConnectionResource } from "./modbus.resource.ts";
import {
  createUnitBody,
  NEEDS_ALL,
  readAnswerBody,
  readBody,
  registerMapAnswerBody,
  registerMapBody,
  templateBody,
  unitBody,
  updateUnitBody,
} from "./modbus.schemas.ts";
import type { ModbusService, ShownConnection, ShownUnit } from "./modbus.service.ts";
import { modbusTemplates } from "./modbus-templates.ts";
import { readRegisterMap } from "./register-map-csv.ts";

interface RoutesDeps {
  readonly modbus: ModbusService;
  readonly auth: AuthPlugin;
}

const unitList = wholeList({ sort: ["unitId", "deviceName"], search: ["deviceName"] });
const templateList = wholeList({ sort: ["name", "vendor", "kind"], search: ["name", "vendor"] });

const connectionToWire = ({ connection, units, state }: ShownConnection) => {
  const { status, since, problem, nextAttemptAt } = state;
  return {
    ...itemToWire(connection),
    units,
    state: { status, since: iso(since), problem, nextAttemptAt: iso(nextAttemptAt) },
  };
};

const unitToWire = ({ unit, deviceName, health }: ShownUnit) => {
  const { values, refused, lastReadAt, lastErrorAt, ...counts } = health;
  return {
    ...unit,
    registers: [...unit.registers],
    deviceName,
    health: {
      ...counts,
      lastReadAt: iso(lastReadAt),
      lastErrorAt: iso(lastErrorAt),
      values: [...values].map(([key, value]) => ({ key, value })),
      refused: [...refused].map(([key, exceptionCode]) => ({ key, exceptionCode })),
    },
    createdAt: iso(unit.createdAt),
    updatedAt: iso(unit.updatedAt),
  };
};

export const modbusConnectionsRoutes = ({ modbus, auth }: RoutesDeps) =>
  resourceRoutes(modbusConnectionResource, {
    service: modbus,
    toWire: connectionToWire,
    read: ({ principal }, id) => itemToWire(modbus.get(principal, id).connection),
    auth,
  }).post(
    "/:connectionId/read",
    async ({ principal, params, body }) => {
      const { values, ...range } = await modbus.read(principal, params.connectionId, body);
      return { ...range, values: [...values] };
    },
    {
      auth: "integrations:read",
      body: readBody,
      response: { 200: readAnswerBody },
      detail: {
        summary: "Read Modbus registers now",
        description: `Reads a range of registers or bits between two regular reads. 409 while the connection is not open, or with the exception of the device; 404 unknown. ${NEEDS_ALL}`,
      },
    },
  );

/** Routes for the units of a connection. */
export function modbusUnitsRoutes({ modbus, auth }: RoutesDeps) {
  const read = ({ principal, params }: AuditContext, id: string) => {
    const { health: _, ...unit } = unitToWire(modbus.unit(principal, params.connectionId ?? "", id));
    return unit;
  };
  return new Elysia({ prefix: "/api/modbus/connections/:connectionId/units", tags: ["modbus"] })
    .use(auth)
    .get(
      "",
      ({ principal, params, query, request, set }) =>
        unitList.page({ query, request, set }, modbus.units(principal, params.connectionId).map(unitToWire)),
      {
        auth: "integrations:read",
        query: t.Object(unitList.fields),
        response: { 200: t.Array(unitBody) },
        detail: {
          summary: "List the units of a Modbus connection",
          description: `Lists units with their registers, newest values and health. 404 unknown. ${NEEDS_ALL}`,
        },
      },
    )
    .post(
      "",
      ({ principal, params, body, set }) => {
        set.status = 201;
        return unitToWire(modbus.createUnit(principal, params.connectionId, body));
      },
      {
        auth: "integrations:write",
        audit: { action: "modbus_unit.create", target: "modbus_unit", created: "modbusUnitId", read },
        body: createUnitBody,
        response: { 201: unitBody },
        detail: {
          summary: "Add a unit to a Modbus connection",
          description: `The values of its registers become telemetry of the device, and commands to the device write its writable registers. 400 for a register that cannot be; 404 for an unknown connection or device; 409 for a device that another unit has, for more than 250 units, or for more than 20,000 registers of all units of the connection. ${NEEDS_ALL}`,
        },
      },
    )
    .patch(
      "/:modbusUnitId",
      ({ principal, params, body }) => unitToWire(modbus.updateUnit(principal, params, body)),
      {
        auth: "integrations:write",
        audit: { action: "modbus_unit.update", target: "modbus_unit", read },
        body: updateUnitBody,
        response: { 200: unitBody },
        detail: {
          summary: "Change a unit",
          description: `A list of registers replaces the one before. 400 for a register that cannot be; 404 unknown; 409 for more than 20,000 registers of all units of the connection. ${NEEDS_ALL}`,
        },
      },
    )
    .delete(
      "/:modbusUnitId",
      ({ principal, params }) => {
        modbus.deleteUnit(principal, params.connectionId, params.modbusUnitId);
        return { success: true };
      },
      {
        auth: "integrations:write",
        audit: { action: "modbus_unit.delete", target: "modbus_unit", read },
        response: { 200: successBody },
        detail: {
          summary: "Delete a unit",
          description: `The device and its values stay. 404 unknown. ${NEEDS_ALL}`,
        },
      },
    );
}

/** Routes for register maps: templates, and tables from a file. */
export const modbusRegisterMapsRoutes = ({ auth }: Pick<RoutesDeps, "auth">) =>
  new Elysia({ prefix: "/api/modbus", tags: ["modbus"] })
    .use(auth)
    .get(
      "/templates",
      ({ query, request, set }) => templateList.page({ query, request, set }, modbusTemplates()),
      {
        auth: "integrations:read",
        query: t.Object(templateList.fields),
        response: { 200: t.Array(templateBody) },
        detail: {
          summary: "List register maps of common devices",
          description: "Lists the registers of common meters, drives and controllers, to begin with.",
        },
      },
    )
    .post(
      "/register-maps",
      async ({ body }) => {
        const { registers, problems } = await readRegisterMap(body.csv);
        return { registers: [...registers], problems: [...problems] };
      },
      {
        auth: "integrations:read",
        body: registerMapBody,
        response: { 200: registerMapAnswerBody },
        detail: {
          summary: "Read a register map from CSV",
          description:
            "Returns the registers of a table without storing anything, and the lines that are no register. At most 1,000 lines are read. Columns: key, area, address, type, order, length, bit, bits, scale, offset, absent, intervalMs, writable. 400 for a text that is no table.",
        },
      },
    );
