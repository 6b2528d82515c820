import { DomainError, detail, errorReply, invalid } from "../../lib/core/domain-error.ts";
import type { DeviceId } from "../../lib/core/ids.ts";
import { isJsonObject, type JsonValue } from "../../lib/json/json.ts";
import { JsonText } from "../../lib/json/json-text.ts";
import { toPlainJson } from "../../lib/json/plain-json.ts";
import { excerpt } from "../../lib/strings/excerpt.ts";
import type { Config } from "../../platform/config/config.ts";
import type { Logger } from "../../platform/core/log.ts";
import { Lanes } from "../../platform/load/lanes.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { AttributesService } from "../attributes/attributes.service.ts";
import type { IngestDevice } from "../ingest/ingest.types.ts";
import type { ProfilesService } from "../profiles/profiles.service.ts";
import { OWN_METHODS } from "../profiles/profiles.types.ts";
import type { ScriptRun } from "../script-sandbox/script-sandbox.types.ts";
import type { TelemetryStore } from "../telemetry/store/store.types.ts";

/** Max. simultaneous scripts that respond to requests of one device. */
const SCRIPTS_MAX = 4;
/** Max. bytes of a reply, which is sent in one MQTT packet. */
const REPLY_BYTES_MAX = 64 * 1024;

type SessionLimits = Pick<Config, "mqtt_packet_bytes_max" | "mqtt_in_flight_max">;

interface OwnRequestsDeps {
  readonly config: SessionLimits;
  readonly clock: Pick<Clock, "now">;
  readonly log: Logger;
  readonly profiles: Pick<ProfilesService, "ensure">;
  readonly attributes: Pick<AttributesService, "readTexts">;
  readonly latestJson: TelemetryStore["latestJson"];
  runScript(run: ScriptRun): Promise<{ readonly value: JsonValue | undefined }>;
}

function limitsOf(device: IngestDevice, config: SessionLimits): JsonValue {
  const perSecond = device.limiter?.perSecond ?? device.meters?.messages.perSecond ?? null;
  const rate = perSecond === null ? "" : `${perSecond}:1`;
  return {
    maxPayloadSize: config.mqtt_packet_bytes_max,
    maxInflightMessages: config.mqtt_in_flight_max,
    rateLimits: { messages: rate, telemetryMessages: rate, telemetryDataPoints: "" },
  };
}

/** Returns the device data that a script's source names. */
async function metadataOf(
  { attributes, latestJson }: Pick<OwnRequestsDeps, "attributes" | "latestJson">,
  device: IngestDevice,
  source: string,
): Promise<JsonText> {
  const { deviceId, name } = device;
  const read = (scope: "CLIENT" | "SHARED") =>
    JsonText.object(attributes.readTexts(device, scope).map(({ key, text }) => [key, text])).text;
  const latest = source.includes("telemetry") ? (await latestJson([deviceId])).get(deviceId) : undefined;
  return JsonText.object([
    ["deviceId", JSON.stringify(deviceId)],
    ["deviceName", JSON.stringify(name)],
    [
      "attributes",
      source.includes("attributes") ? `{"client":${read("CLIENT")},"shared":${read("SHARED")}}` : undefined,
    ],
    ["telemetry", latest?.values],
    ["timestamps", latest?.timestamps],
  ]);
}

/**
 * Creates the function that responds to a request `{method, params}` of a device: the time, the limits of its MQTT session, or its profile's reply.
 * For any other method or a failed script, the response is an object with `error`.
 * @throws DomainError `invalid` for a body without a method
 */
export function createOwnRequests(deps: OwnRequestsDeps) {
  const { config, clock } = deps;
  /** Number of running scripts by device id. */
  const running = new Map<DeviceId, number>();
  /** Reads the data of one device of a tenant at a time: it may be 30 MB. */
  const reading = new Lanes(1);

  async function runScript(
    device: IngestDevice,
    script: string,
    request: { method: string; params: JsonValue },
  ) {
    const { tenantId, profileId } = device;
    const owner = { tenantId, key: `request ${profileId} ${request.method}` };
    // The sandbox refuses what is too large for a script, so that little is kept while scripts wait.
    const { result } = await reading.run(tenantId, async () => {
      const metadata = await metadataOf(deps, device, script);
      return { result: deps.runScript({ ...owner, source: script, message: request, metadata }) };
    });
    const { value = null } = await result;
    return Buffer.byteLength(JSON.stringify(value)) > REPLY_BYTES_MAX
      ? errorReply(detail("request.reply_too_large", { max: REPLY_BYTES_MAX / 1024 }))
      : value;
  }

  async function runLimited(...args: Parameters<typeof runScript>): Promise<JsonValue> {
    const [{ deviceId }] = args;
    const count = running.get(deviceId) ?? 0;
    if (count >= SCRIPTS_MAX) return errorReply(detail("request.too_many_scripts", { max: SCRIPTS_MAX }));
    running.set(deviceId, count + 1);
    try {
      return await runScript(...args);
    } catch (error) {
      if (error instanceof DomainError) return errorReply(error);
      deps.log.error("request of a device not answered", { deviceId, error });
      return errorReply(detail("request.script_failed"));
    } finally {
      const left = (running.get(deviceId) ?? 1) - 1;
      if (left > 0) running.set(deviceId, left);
      else running.delete(deviceId);
    }
  }

  function answerByProfile(device: IngestDevice, { method, params }: { method: string; params: unknown }) {
    const { deviceRequests } = deps.profiles.ensure(device.tenantId, device.profileId);
    const rule = deviceRequests.find((candidate) => candidate.method === method);
    const methods = [...OWN_METHODS, ...deviceRequests.map((candidate) => candidate.method)];
    if (rule === undefined)
      return errorReply(detail("request.method_unknown", { method: excerpt(method), known: methods }));
    if (rule.script === undefined) return rule.reply ?? null;
    return runLimited(device, rule.script, { method, params: toPlainJson(params ?? null, "command") });
  }

  return (device: IngestDevice, body: unknown): JsonValue | Promise<JsonValue> => {
    const method = isJsonObject(body) ? body.method : undefined;
    if (!isJsonObject(body) || typeof method !== "string") throw invalid("request.method_missing");
    if (method === "getServerTime" || method === "getCurrentTime") return { time: clock.now() };
    if (method === "getSessionLimits") return limitsOf(device, config);
    return answerByProfile(device, { method, params: body.params });
  };
}

export type OwnRequests = ReturnType<typeof createOwnRequests>;
