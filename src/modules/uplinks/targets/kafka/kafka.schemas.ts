import { type Static, Type as t } from "@sinclair/typebox";
import { TEXT_FORMS } from "../../../../lib/core/text-forms.ts";
import { tlsOrPlain } from "../tls.schemas.ts";

/** Kafka cluster, version 2.4 or later. */
export const kafkaSettings = t.Object(
  {
    type: t.Literal("KAFKA"),
    brokers: t.Array(t.String({ minLength: 1, maxLength: 262, description: "host:port" }), {
      minItems: 1,
      maxItems: 20,
      description: "brokers that the uplink asks for all brokers of the cluster",
    }),
    topic: t.String({
      pattern: TEXT_FORMS.kafka_topic,
      default: "lineside.telemetry",
      description: "topic of telemetry",
    }),
    eventTopic: t.Union([t.String({ pattern: TEXT_FORMS.kafka_topic }), t.Null()], {
      default: "lineside.events",
      description: "topic of attributes, alarms, devices and deletions; null: they are not sent",
    }),
    createTopics: t.Boolean({ default: true, description: "whether missing topics are created" }),
    partitions: t.Optional(
      t.Integer({
        minimum: 1,
        maximum: 10_000,
        description: "of a new topic; by default the setting of the cluster",
      }),
    ),
    replicationFactor: t.Optional(
      t.Integer({
        minimum: 1,
        maximum: 32,
        description: "of a new topic; by default the setting of the cluster",
      }),
    ),
    compression: t.Union(
      [t.Literal("NONE"), t.Literal("GZIP"), t.Literal("SNAPPY"), t.Literal("LZ4"), t.Literal("ZSTD")],
      { default: "LZ4" },
    ),
    mechanism: t.Optional(
      t.Union([t.Literal("PLAIN"), t.Literal("SCRAM-SHA-256"), t.Literal("SCRAM-SHA-512")], {
        description:
          "SASL mechanism; without it the uplink does not sign in. PLAIN sends the password itself, so use TLS.",
      }),
    ),
    username: t.Optional(t.String({ maxLength: 256 })),
    password: t.Optional(t.String({ maxLength: 4_096 })),
    tls: tlsOrPlain,
    requestBytesMax: t.Integer({
      minimum: 10_000,
      maximum: 64 * 1024 * 1024,
      default: 900_000,
      description: "bytes of a request before compression; the topic's max.message.bytes must allow it",
    }),
  },
  { title: "KafkaTarget", additionalProperties: false },
);

export type KafkaSettings = Static<typeof kafkaSettings>;
