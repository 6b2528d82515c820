import { invalid } from "../../lib/domain-error.ts";
import { excerpt } from "../../lib/excerpt.ts";
import { isJsonObject, type JsonValue } from "../../lib/json.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Config } from "../../platform/config.ts";
import type { IngestDevice } from "../ingest/ingest.types.ts";

type SessionLimits = Pick<Config, "mqtt_packet_bytes_max" | "mqtt_in_flight_max">;

/**
 * Answers a request `{method, params}` of a device: the time, or the limits of its MQTT session. The answer to any other method is an
 * object with `error`. @throws DomainError `invalid` for a body without a method
 */
export function answerOwnRequest(
  { config, clock }: { readonly config: SessionLimits; readonly clock: Pick<Clock, "now"> },
  device: Pick<IngestDevice, "limiter" | "meters">,
  body: unknown,
): JsonValue {
  const method = isJsonObject(body) ? body.method : undefined;
  if (typeof method !== "string") throw invalid("request.method_missing");
  if (method === "getServerTime" || method === "getCurrentTime") return { time: clock.now() };
  if (method !== "getSessionLimits") return { error: `there is no method ${excerpt(method)}` };
  const perSecond = device.limiter?.perSecond ?? device.meters?.messages.perSecond ?? null;
  const rate = perSecond === null ? "" : `${perSecond}:1`;
  return {
    maxPayloadSize: config.mqtt_packet_bytes_max,
    maxInflightMessages: config.mqtt_in_flight_max,
    rateLimits: { messages: rate, telemetryMessages: rate, telemetryDataPoints: "" },
  };
}
