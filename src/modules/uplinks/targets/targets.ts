import type { Target, TargetContext } from "../uplink.types.ts";
import type { TargetSettings } from "./targets.schemas.ts";

/** Creates a target. Each client is loaded with the first target that needs it. */
export async function createTarget(settings: TargetSettings, context: TargetContext): Promise<Target> {
  switch (settings.type) {
    case "LINESIDE":
      return (await import("./lineside.target.ts")).createLinesideTarget(settings, context);
    case "MQTT":
      return (await import("./mqtt.target.ts")).createMqttTarget(settings, context);
    case "INFLUXDB":
      return (await import("./influxdb.target.ts")).createInfluxdbTarget(settings, context);
    case "HTTP":
      return (await import("./http.target.ts")).createHttpTarget(settings, context);
  }
}
