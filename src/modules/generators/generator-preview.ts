import { detail } from "../../lib/domain-error.ts";
import { excerpt } from "../../lib/excerpt.ts";
import type { DeviceId } from "../../lib/ids.ts";
import { isJsonObject } from "../../lib/json.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { TelemetryValue } from "../telemetry/telemetry.types.ts";
import { checkConfig, problem, rateOf } from "./generator-config.ts";
import { configInvalid } from "./generators.errors.ts";
import { createMetricValues } from "./metric-values.ts";

const READINGS_SHOWN = 60;

export interface Preview {
  readonly success: boolean;
  readonly result: Record<string, unknown>;
  readonly warnings: readonly Text[];
  readonly errors: readonly Text[];
}

/** Returns the messages that a config would make one of its devices send, from now on. */
export function previewConfig(
  input: unknown,
  options: { now: number; isVisible: (deviceId: DeviceId) => boolean },
): Preview {
  if (!isJsonObject(input)) throw configInvalid([problem("config", detail("rule.object"))]);
  const { config, errors, warnings } = checkConfig(input);
  if (config === undefined) return { success: false, result: {}, warnings, errors };
  const { intervalSeconds, metrics, deviceIds } = config;
  const missing = deviceIds?.filter((deviceId) => !options.isVisible(deviceId)) ?? [];
  const deviceCount = deviceIds === undefined ? 1 : deviceIds.length - missing.length;
  const course = { intervalSeconds, offset: 0, last: undefined, random: Math.random };
  const values = metrics.map((metric) => ({ key: metric.key, next: createMetricValues(metric, course) }));
  const readings = Array.from({ length: READINGS_SHOWN }, (_, index) => {
    const ts = options.now + Math.round(index * intervalSeconds * 1000);
    const telemetry: Record<string, TelemetryValue> = Object.create(null);
    for (const { key, next } of values) telemetry[key] = next(ts);
    return { ts, values: telemetry };
  });
  const rate = rateOf(config, deviceCount);
  return {
    success: true,
    result: {
      readings,
      deviceCount,
      messagesPerDay: Math.round(rate.messages * 86_400),
      valuesPerDay: Math.round(rate.values * 86_400),
    },
    warnings: [
      ...missing.map((deviceId) =>
        problem("deviceIds", detail("rule.device_unknown", { deviceId: excerpt(deviceId) })),
      ),
      ...warnings,
    ].slice(0, 20),
    errors,
  };
}
