import { Elysia } from "elysia";
import { iso } from "../../lib/time/iso-time.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { heldBody } from "./held.schemas.ts";
import type { HeldReadings } from "./held-readings.ts";

/** Creates the routes for messages of a device that wait for the gateway's clock. */
export const heldRoutes = (deps: {
  held: HeldReadings;
  devices: Pick<DevicesService, "ensureVisible">;
  auth: AuthPlugin;
}) => {
  const { held, devices } = deps;
  const read = (deviceId: Parameters<HeldReadings["summaryOf"]>[0]) => {
    const { messages, firstDueAt, lastDueAt } = held.summaryOf(deviceId);
    const [first, last] = [iso(firstDueAt), iso(lastDueAt)];
    return { messages, ...(first && { firstDueAt: first }), ...(last && { lastDueAt: last }) };
  };
  return new Elysia({ prefix: "/api/devices/:deviceId/held-readings", tags: ["telemetry"] })
    .use(deps.auth)
    .get("", ({ principal, params }) => read(devices.ensureVisible(principal, params.deviceId)), {
      auth: "telemetry:read",
      response: { 200: heldBody },
      detail: {
        operationId: "getHeldReadings",
        summary: "List messages that wait for the gateway's clock",
        description:
          "Messages whose timestamps are more than a day ahead of the gateway, from senders that hear of no mistake. They are stored by themselves when its clock catches up.",
      },
    })
    .post(
      "/store",
      async ({ principal, params }) => {
        const deviceId = devices.ensureVisible(principal, params.deviceId);
        await held.storeNow(deviceId);
        return read(deviceId);
      },
      {
        auth: "telemetry:write",
        audit: { action: "held_readings.store", target: "device" },
        response: { 200: heldBody },
        detail: {
          operationId: "storeHeldReadings",
          summary: "Store held messages now with their timestamps",
        },
      },
    )
    .delete(
      "",
      ({ principal, params }) => {
        const deviceId = devices.ensureVisible(principal, params.deviceId);
        held.discard(deviceId);
        return read(deviceId);
      },
      {
        auth: "telemetry:write",
        audit: { action: "held_readings.delete", target: "device" },
        response: { 200: heldBody },
        detail: { operationId: "deleteHeldReadings", summary: "Delete these messages" },
      },
    );
};
