import { type Static, Type as t } from "@sinclair/typebox";
import { TEXT_FORMS } from "../../../../lib/core/text-forms.ts";
import { tlsOrPlain } from "../tls.schemas.ts";

const PLACES = "{site}, {device}, {deviceId}, {type}, {tag.<name>}";
const SUBJECT_CHARACTERS_MAX = 512;

/** Stream of NATS JetStream. */
export const natsSettings = t.Object(
  {
    type: t.Literal("NATS"),
    servers: t.Array(t.String({ minLength: 1, maxLength: 262, description: "host:port" }), {
      minItems: 1,
      maxItems: 20,
      description: "servers that are tried one after the other",
    }),
    stream: t.String({ pattern: TEXT_FORMS.nats_stream, default: "LINESIDE" }),
    createStream: t.Boolean({ default: true, description: "whether a missing stream is created" }),
    streamReplicas: t.Integer({ minimum: 1, maximum: 5, default: 1, description: "of a new stream" }),
    streamMaxAgeDays: t.Optional(
      t.Integer({
        minimum: 1,
        maximum: 36_500,
        description: "of a new stream; by default messages do not expire",
      }),
    ),
    streamMaxBytes: t.Optional(
      t.Integer({ minimum: 1_048_576, description: "of a new stream; by default there is no limit" }),
    ),
    duplicateWindowSeconds: t.Integer({
      minimum: 1,
      maximum: 86_400,
      default: 120,
      description: "of a new stream: time for which it remembers the ids of messages, in memory",
    }),
    subject: t.String({
      minLength: 1,
      maxLength: SUBJECT_CHARACTERS_MAX,
      default: "lineside.{site}.{device}.telemetry",
      description: `subject of telemetry with the placeholders ${PLACES}`,
    }),
    eventSubject: t.Union([t.String({ minLength: 1, maxLength: SUBJECT_CHARACTERS_MAX }), t.Null()], {
      default: "lineside.{site}.{device}.{event}",
      description: `subject of attributes, alarms, devices and deletions with the placeholders ${PLACES} and {event}; null: they are not sent`,
    }),
    username: t.Optional(t.String({ maxLength: 256 })),
    password: t.Optional(t.String({ maxLength: 4_096 })),
    token: t.Optional(t.String({ minLength: 1, maxLength: 4_096 })),
    privateKey: t.Optional(
      t.String({
        minLength: 1,
        maxLength: 16_384,
        description: "seed of a user's nkey (SU…), or the content of a .creds file",
      }),
    ),
    tls: tlsOrPlain,
  },
  { title: "NatsTarget", additionalProperties: false },
);

export type NatsSettings = Static<typeof natsSettings>;
