import type { Target, TargetContext } from "../target.types.ts";
import type { TargetSettings } from "./targets.schemas.ts";

/** Creates a target. Each client is loaded with the first target that needs it. */
export async function createTarget(settings: TargetSettings, context: TargetContext): Promise<Target> {
  switch (settings.type) {
    case "LINESIDE":
      return (await import("./lineside/lineside.target.ts")).createLinesideTarget(settings, context);
    case "MQTT":
      return (await import("./mqtt/mqtt.target.ts")).createMqttTarget(settings, context);
    case "POSTGRESQL":
      return (await import("./postgresql/postgresql.target.ts")).createPostgresqlTarget(settings, context);
    case "KAFKA":
      return (await import("./kafka/kafka.target.ts")).createKafkaTarget(settings, context);
    case "NATS":
      return (await import("./nats/nats.target.ts")).createNatsTarget(settings, context);
    case "PARQUET":
      return (await import("./parquet/parquet.target.ts")).createParquetTarget(settings, context);
    case "INFLUXDB":
      return (await import("./influxdb/influxdb.target.ts")).createInfluxdbTarget(settings, context);
    case "HTTP":
      return (await import("./http/http.target.ts")).createHttpTarget(settings, context);
  }
}
