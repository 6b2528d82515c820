import { type Static, type TSchema, Type as t } from "@sinclair/typebox";
import { TEXT_FORMS } from "../../../lib/core/text-forms.ts";
import { tlsOfUrl } from "./tls.schemas.ts";

const SECRET_CHARACTERS_MAX = 4_096;

/** Default max. message size: ThingsBoard accepts 64 KiB, Lineside as much plus the topic. */
const MESSAGE_BYTES = 60_000;
const MESSAGE_BYTES_MAX = 16 * 1024 * 1024;

/** Common fields of all targets that are MQTT brokers. */
export const brokerLinkFields = {
  url: t.String({
    minLength: 1,
    maxLength: 512,
    pattern: TEXT_FORMS.broker_url,
    description: "address of the broker, beginning with mqtt://, mqtts://, ws:// or wss://",
  }),
  username: t.Optional(t.String({ maxLength: 256 })),
  password: t.Optional(t.String({ maxLength: SECRET_CHARACTERS_MAX })),
  clientId: t.Optional(
    t.String({ minLength: 1, maxLength: 128, description: "by default an id that the uplink keeps" }),
  ),
  protocolVersion: t.Union([t.Literal(4), t.Literal(5)], {
    default: 5,
    description:
      "4: MQTT 3.1.1; 5: MQTT 5. With MQTT 3.1.1 a broker cannot report that it refuses a message, so a refused message is lost without an error.",
  }),
  tls: tlsOfUrl,
  keepAliveSeconds: t.Integer({ minimum: 5, maximum: 3_600, default: 60 }),
  messageBytesMax: t.Integer({
    minimum: 1_024,
    maximum: MESSAGE_BYTES_MAX,
    default: MESSAGE_BYTES,
    description: "largest message in bytes; a single value may exceed it",
  }),
} satisfies Record<string, TSchema>;

const brokerLinkSettings = t.Object(brokerLinkFields);

export type BrokerLinkSettings = Static<typeof brokerLinkSettings>;
