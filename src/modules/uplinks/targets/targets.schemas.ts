import type { Static } from "@sinclair/typebox";
import { httpSettings } from "./http/http.schemas.ts";
import { influxdbSettings } from "./influxdb/influxdb.schemas.ts";
import { kafkaSettings } from "./kafka/kafka.schemas.ts";
import { linesideSettings } from "./lineside/lineside.schemas.ts";
import { mqttSettings } from "./mqtt/mqtt.schemas.ts";
import { natsSettings } from "./nats/nats.schemas.ts";
import { parquetSettings } from "./parquet/parquet.schemas.ts";
import { postgresqlSettings } from "./postgresql/postgresql.schemas.ts";

/** Schemas of the settings of targets, by type. Their secrets are the fields that `uplink-secrets.ts` names. */
export const targetSchemas = {
  LINESIDE: linesideSettings,
  MQTT: mqttSettings,
  POSTGRESQL: postgresqlSettings,
  INFLUXDB: influxdbSettings,
  KAFKA: kafkaSettings,
  NATS: natsSettings,
  PARQUET: parquetSettings,
  HTTP: httpSettings,
};

export type TargetType = keyof typeof targetSchemas;
export type TargetSettings = { [Type in TargetType]: Static<(typeof targetSchemas)[Type]> }[TargetType];
