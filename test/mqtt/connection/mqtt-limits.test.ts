import { expect, test } from "bun:test";
import { mqttLimits } from "../../../src/mqtt/connection/mqtt-limits.ts";
import { defaultConfig } from "../../../src/platform/config/config.ts";

test("the longest keep-alive is a setting, and there is none by default", () => {
  expect(mqttLimits(defaultConfig()).keepAliveSecondsMax).toBeUndefined();
  expect(mqttLimits(defaultConfig({ mqtt_keep_alive_seconds_max: 300 })).keepAliveSecondsMax).toBe(300);
});
