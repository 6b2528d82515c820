import { type Static, Type as t } from "@sinclair/typebox";
import { TEXT_FORMS } from "../../../../lib/core/text-forms.ts";
import { brokerLinkFields } from "../broker-link.schemas.ts";

const PLACES = "{site}, {device}, {deviceId}, {type}, {tag.<name>}";
const TEMPLATE_CHARACTERS_MAX = 512;

/** Any MQTT broker. */
export const mqttSettings = t.Object(
  {
    type: t.Literal("MQTT"),
    ...brokerLinkFields,
    format: t.Union([t.Literal("JSON"), t.Literal("CBOR"), t.Literal("SPARKPLUG_B")], { default: "JSON" }),
    topic: t.String({
      minLength: 1,
      maxLength: TEMPLATE_CHARACTERS_MAX,
      default: "lineside/{site}/{device}/telemetry",
      description: `topic of telemetry with the placeholders ${PLACES} and {key}; with {key} each value is a message of its own. Sparkplug B does not use it.`,
    }),
    eventTopic: t.Union([t.String({ minLength: 1, maxLength: TEMPLATE_CHARACTERS_MAX }), t.Null()], {
      default: "lineside/{site}/{device}/{event}",
      description: `topic of attributes, alarms, devices and deletions with the placeholders ${PLACES} and {event}; null: they are not sent. Sparkplug B does not use it.`,
    }),
    payload: t.Optional(
      t.String({
        minLength: 1,
        maxLength: 4_096,
        description:
          'payload of a row as JSON, by default {"ts":{ts},"values":{values}}, with the placeholders {ts}, {time}, {values}, {device}, {deviceId}, {type}, {site} and {tags}; payload of a single value by default {"ts":{ts},"value":{value}}, with {key} and {value}',
      }),
    ),
    rowsPerMessage: t.Integer({
      minimum: 1,
      maximum: 10_000,
      default: 1,
      description: "1: a message is one row; more: a message is an array of rows",
    }),
    retain: t.Boolean({
      default: false,
      description: "whether the broker retains the last message of each topic",
    }),
    groupId: t.String({
      minLength: 1,
      maxLength: 128,
      pattern: TEXT_FORMS.topic_level,
      default: "lineside",
      description: "group of Sparkplug B, without /, + and #",
    }),
    edgeNodeId: t.String({
      minLength: 1,
      maxLength: 128,
      pattern: TEXT_FORMS.topic_level,
      default: "gateway",
      description: "edge node of Sparkplug B, unique in its group: the name of the site, without /, + and #",
    }),
  },
  { title: "MqttTarget", additionalProperties: false },
);

export type MqttTargetSettings = Static<typeof mqttSettings>;
