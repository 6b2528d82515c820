import { X509Certificate } from "node:crypto";
import { Elysia, t } from "elysia";
import { forbidden } from "../../lib/core/domain-error.ts";
import { omit } from "../../lib/core/omit.ts";
import { isNodeId, OBJECTS_FOLDER } from "../../lib/opcua/opcua-node-id.ts";
import type { OpcUaThreadCalls } from "../../platform/opcua/opcua.calls.ts";
import { listServerEndpoints } from "../../platform/opcua/opcua-connection.ts";
import type { OpcUaThread } from "../../platform/opcua/opcua-thread.ts";
import { ALL_DEVICES_ONLY } from "../api/operation-errors.ts";
import { resourceRoutes } from "../api/resource.routes.ts";
import { itemToWire } from "../api/resource.ts";
import { connectionToWire, fieldMapRoutes, fieldUnitRoutes, unitOperations } from "../field/field.routes.ts";
import { conflictOf, type FieldService, type ShownConnection } from "../field/field.service.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { OutboundReach } from "../outbound/outbound-reach.types.ts";
import { readItemMap } from "./item-map.ts";
import { opcuaNodeInvalid, refusalText } from "./opcua.errors.ts";
import { failureOf } from "./opcua.protocol.ts";
import { type OpcUaConnectionRecord, opcuaConnectionResource } from "./opcua.resource.ts";
import {
  browseBody,
  browseResponseBody,
  certificateBody,
  createUnitBody,
  describeBody,
  endpointBody,
  endpointsBody,
  itemMapBody,
  itemMapResponseBody,
  unitBody,
  updateUnitBody,
  variableBody,
} from "./opcua.schemas.ts";
import type { OpcUaKind } from "./opcua-kind.ts";

interface RoutesDeps {
  readonly opcua: FieldService<OpcUaKind>;
  readonly auth: AuthPlugin;
}

const withoutPassword = <Fields extends Pick<OpcUaConnectionRecord, "passwordSealed">>(fields: Fields) => ({
  ...omit(fields, "passwordSealed"),
  hasPassword: fields.passwordSealed !== null,
});

/** @throws DomainError `invalid` */
function ensureNodes(...nodes: readonly string[]): void {
  if (!nodes.every(isNodeId)) throw opcuaNodeInvalid();
}

export const opcuaConnectionsRoutes = ({ opcua, auth }: RoutesDeps) =>
  resourceRoutes(opcuaConnectionResource, {
    service: opcua,
    toWire: (shown: ShownConnection<OpcUaKind>) => withoutPassword(connectionToWire(shown)),
    read: ({ principal }, id) => withoutPassword(itemToWire(opcua.get(principal, id).connection)),
    auth,
  })
    .post(
      "/:opcuaConnectionId/browse",
      ({ principal, params, body: { nodeId = OBJECTS_FOLDER, search } }) => {
        ensureNodes(nodeId);
        return opcua.perform(principal, params.opcuaConnectionId, (line) =>
          line.request("browse", { node: nodeId, ...(search !== undefined && { search }) }),
        );
      },
      {
        auth: "integrations:read",
        body: browseBody,
        response: { 200: browseResponseBody },
        detail: {
          operationId: "browseOpcUaNodes",
          summary: "List nodes of an OPC UA server now",
          description:
            "Lists the objects, variables and methods directly below a node; below the folder Objects by default. With `search`, those on all levels, without the ones of the standard, as far as half of the time for a response goes.",
          errors: {
            ...ALL_DEVICES_ONLY,
            400: "The node is invalid.",
            404: "The connection is unknown.",
            409: "The connection is not open, or the server refuses.",
          },
          example: { nodeId: "ns=2;i=1" },
        },
      },
    )
    .post(
      "/:opcuaConnectionId/describe",
      ({ principal, params, body: { nodeIds } }) => {
        ensureNodes(...nodeIds);
        return opcua.perform(principal, params.opcuaConnectionId, (line) =>
          line.request("describe", { nodes: nodeIds }),
        );
      },
      {
        auth: "integrations:read",
        body: describeBody,
        response: { 200: t.Array(variableBody) },
        detail: {
          operationId: "describeOpcUaVariables",
          summary: "Describe variables of an OPC UA server now",
          description:
            "Returns types, access, units, ranges and states of variables. Nodes without a value are left out.",
          errors: {
            ...ALL_DEVICES_ONLY,
            400: "The node is invalid.",
            404: "The connection is unknown.",
            409: "The connection is not open, or the server refuses.",
          },
          example: { nodeIds: ["ns=2;s=Press.Pressure"] },
        },
      },
    );

export const opcuaUnitsRoutes = ({ opcua, auth }: RoutesDeps) =>
  fieldUnitRoutes({
    path: "/api/opcua/connections/:opcuaConnectionId/units",
    tag: "opcua",
    connection: "opcuaConnectionId",
    key: "opcuaUnitId",
    name: "opcua_unit",
    sort: ["deviceName"],
    schemas: { item: unitBody, create: createUnitBody, update: updateUnitBody },
    refusedToWire: (key, code) => ({ key, reason: refusalText(code) }),
    hasReports: true,
    operations: unitOperations({
      connection: "an OPC UA connection",
      entry: "variable",
      examples: {
        create: { intervalMs: 1_000, items: [{ key: "pressure", address: "ns=2;s=Press.Pressure" }] },
        update: { intervalMs: 500 },
      },
    }),
    service: opcua,
    auth,
  });

export const opcuaItemMapsRoutes = ({ auth }: Pick<RoutesDeps, "auth">) =>
  fieldMapRoutes({
    path: "/api/opcua",
    tag: "opcua",
    maps: "item-maps",
    entries: "items",
    readMap: readItemMap,
    schemas: { body: itemMapBody, map: itemMapResponseBody },
    operation: {
      operationId: "parseOpcUaItemMap",
      summary: "Read OPC UA variables from CSV",
      description:
        "Returns the variables of a table without storing anything, and the invalid lines. At most 1,000 lines are read. Columns: key, address, method, length, fields (with spaces between them), deadband, intervalMs, writable.",
      errors: { 400: "The text cannot be read as a table." },
      example: { csv: "key,address\npressure,ns=2;s=Press.Pressure" },
    },
    auth,
  });

function pemOf(certificate: Uint8Array): string {
  const base64 = Buffer.from(certificate).toString("base64");
  const lines = base64.match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

function certificateToWire({ certificate, applicationUri }: OpcUaThreadCalls["certificate"]["result"]) {
  const { fingerprint256, validToDate } = new X509Certificate(certificate);
  return {
    pem: pemOf(certificate),
    fingerprint: fingerprint256.replaceAll(":", "").toLowerCase(),
    applicationUri,
    validTo: validToDate.toISOString(),
  };
}

interface ServersDeps extends RoutesDeps {
  readonly thread: OpcUaThread;
  readonly reach: Pick<OutboundReach, "addresses" | "isHost">;
}

/** Creates the routes for servers without a connection. */
export const opcuaServersRoutes = ({ opcua, thread, reach, auth }: ServersDeps) =>
  new Elysia({ prefix: "/api/opcua", tags: ["opcua"] })
    .use(auth)
    .post(
      "/endpoints",
      async ({ principal, body: { host, port = 4_840, path = "" } }) => {
        opcua.ensureAllDevices(principal);
        const target = { host, port, path, addresses: reach.addresses.of(principal.tenantId) };
        try {
          const found = await listServerEndpoints(thread, target);
          return found.map(({ mode, policy, users, fingerprint }) => ({
            mode,
            policy: policy ?? null,
            users: [...users],
            fingerprint: fingerprint ?? null,
          }));
        } catch (error) {
          throw conflictOf(error, { failureOf });
        }
      },
      {
        auth: "integrations:write",
        audit: { none: "it asks a server and changes nothing" },
        body: endpointsBody,
        response: { 200: t.Array(endpointBody) },
        detail: {
          operationId: "listOpcUaEndpoints",
          summary: "List the endpoints of an OPC UA server",
          description: "Asks the server how it may be connected to, and which certificate it has.",
          errors: {
            ...ALL_DEVICES_ONLY,
            400: "The address is not allowed.",
            409: "The server does not respond.",
          },
          example: { host: "192.168.1.80", path: "/server" },
        },
      },
    )
    .get(
      "/certificate",
      async ({ principal }) => {
        opcua.ensureAllDevices(principal);
        return certificateToWire(await thread.once("certificate", {}));
      },
      {
        auth: "integrations:read",
        response: { 200: certificateBody },
        detail: {
          operationId: "getOpcUaCertificate",
          summary: "Read the gateway's OPC UA certificate",
          description: "Servers have to trust it before the gateway can connect with a security mode.",
          errors: ALL_DEVICES_ONLY,
        },
      },
    )
    .post(
      "/certificate/renew",
      async ({ principal }) => {
        opcua.ensureAllDevices(principal);
        // All sites of the gateway show it to their servers.
        if (!reach.isHost(principal.tenantId)) throw forbidden("gateway.operators_only");
        return certificateToWire(await thread.once("certificate", { renews: true }));
      },
      {
        auth: "gateway:manage",
        audit: { action: "opcua_certificate.renew", target: "gateway", id: () => "gateway" },
        response: { 200: certificateBody },
        detail: {
          operationId: "renewOpcUaCertificate",
          summary: "Renew the gateway's OPC UA certificate",
          description:
            "Makes a new certificate with the same key. Connections with a security mode connect again, and fail until their servers trust it.",
          errors: { 403: "Requires an owner of the gateway's own tenant." },
        },
      },
    );
