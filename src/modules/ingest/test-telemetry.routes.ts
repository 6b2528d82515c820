import { Elysia, t } from "elysia";
import { invalid } from "../../lib/core/domain-error.ts";
import { invariant } from "../../lib/core/invariant.ts";
import { encodeBody } from "../../lib/json/body.ts";
import { isJsonObject } from "../../lib/json/json.ts";
import { jsonValue } from "../api/wire.schemas.ts";
import type { AuditContext } from "../audit/audit.types.ts";
import type { DeviceDirectory } from "../devices/device-directory.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { IngestService } from "./ingest.service.ts";

const asked = ({ body }: AuditContext) => body;

/** Returns a sample reading of a room. */
const sample = () => ({
  temperature: Math.round(200 + Math.random() * 50) / 10,
  humidity: Math.round(40 + Math.random() * 20),
  sample: true,
});

/** Creates the routes by which a user sends a message as a device, through the complete ingest. */
export const testTelemetryRoutes = (deps: {
  ingest: IngestService;
  devices: Pick<DevicesService, "ensureVisible">;
  directory: Pick<DeviceDirectory, "find">;
  auth: AuthPlugin;
}) =>
  new Elysia({ prefix: "/api/devices/:deviceId", tags: ["telemetry"] }).use(deps.auth).post(
    "/test-telemetry",
    async ({ principal, params, body, set }) => {
      const device = deps.directory.find(deps.devices.ensureVisible(principal, params.deviceId));
      invariant(device !== undefined, "a visible device is in the directory");
      const protocol = body?.protocol ?? "HTTP";
      const payload = body?.payload ?? sample();
      if (!isJsonObject(payload)) throw invalid("telemetry.payload_invalid");
      if (protocol === "MQTT")
        await deps.ingest.telemetry(device, encodeBody(device.payload, payload), "mqtt");
      else {
        const message = { body: encodeBody("JSON", { payload }), encoding: "JSON" as const };
        await deps.ingest.post(device, "telemetry", message);
      }
      set.status = 201;
      return { success: true, protocol, payload };
    },
    {
      auth: "telemetry:write",
      exactJson: true,
      audit: { action: "telemetry.test", target: "device", details: asked },
      body: t.Optional(
        t.Object({
          protocol: t.Optional(t.Union([t.Literal("HTTP"), t.Literal("MQTT")])),
          // Not an Object, whose check would remove properties.
          payload: t.Optional(jsonValue("an object of keys to values; a sample when left out")),
        }),
      ),
      response: {
        201: t.Object({ success: t.Boolean(), protocol: t.String(), payload: jsonValue() }),
      },
      detail: {
        operationId: "sendTestTelemetry",
        summary: "Send test telemetry for a device",
        description:
          "The message is processed like one of the device, in the form of the named protocol (HTTP by default), and is stored before the request is answered.",
        errors: { 400: "The message is invalid for its protocol.", 503: "The message cannot be stored." },
        example: { protocol: "MQTT", payload: { temperature: 21.5, running: true } },
      },
    },
  );
