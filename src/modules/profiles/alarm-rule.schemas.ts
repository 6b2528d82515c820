/** Alarm rules in the OpenAPI document. The compiler of alarm rules validates them. */
import { type TSchema, Type } from "@sinclair/typebox";
import { DURATION_MS_MAX } from "../../lib/alarms/condition.ts";
import { ALARM_SEVERITIES } from "../../lib/alarms/severity.ts";
import { TAGS_MAX } from "../../lib/console/form-limits.ts";
import { TEXT_FORMS } from "../../lib/core/text-forms.ts";
import { WEEKDAYS } from "../../lib/time/weekly-window.ts";
import { alarmConditionSchema } from "../api/condition.schemas.ts";
import { discriminatedUnion, enumOf, mapOf } from "../api/documented-as.ts";
import { jsonValueSchema } from "../api/wire.schemas.ts";

/** Max. number and length of the devices, types and tags named by a rule. */
export const SCOPE_LISTS_MAX = {
  deviceIds: { items: 1_000, length: 64 },
  deviceTypes: { items: 100, length: 256 },
  tags: { items: 100, length: TAGS_MAX.length },
} as const;

const durationMs = (description: string) =>
  Type.Integer({ minimum: 1, maximum: DURATION_MS_MAX, description });

/** Fields for the duration or count of a condition, by kind. */
const triggerKinds = {
  Simple: { kind: Type.Optional(Type.Literal("SIMPLE")) },
  Duration: {
    kind: Type.Literal("DURATION"),
    forMs: durationMs("how long the condition must hold"),
  },
  Repeating: {
    kind: Type.Literal("REPEATING"),
    count: Type.Integer({ minimum: 1, maximum: 1_000, description: "how often the condition must hold" }),
    withinMs: Type.Optional(durationMs("time in which it must hold so often; any time by default")),
  },
};

const triggers = (role: string, fields: Record<string, TSchema>): TSchema =>
  Type.Union(
    Object.entries(triggerKinds).map(([kind, own]) =>
      Type.Object({ ...fields, condition: alarmConditionSchema, ...own }, { title: `${kind}${role}` }),
    ),
  );

export const createRule = triggers("CreateRule", {
  severity: enumOf(ALARM_SEVERITIES),
  message: Type.Optional(
    Type.String({ minLength: 1, maxLength: 1_000, description: "a template with values of keys in it" }),
  ),
});

const action = {
  on: enumOf(["CREATED", "REOPENED", "SEVERITY_CHANGED", "ESCALATED", "ACK", "CLEARED"], {
    description: "the event that the action follows",
  }),
};
const deviceId = Type.Optional(
  Type.String({ minLength: 1, maxLength: 64, description: "the alarm's device by default" }),
);

const actions = {
  command: Type.Object(
    {
      ...action,
      type: Type.Literal("command"),
      command: Type.Object({
        method: Type.String({ minLength: 1, maxLength: 256 }),
        params: Type.Optional(jsonValueSchema),
      }),
      deviceId,
    },
    { title: "AlarmCommandAction" },
  ),
  integration_downlink: Type.Object(
    {
      ...action,
      type: Type.Literal("integration_downlink"),
      downlink: Type.Object(
        {
          fPort: Type.Optional(Type.Integer({ minimum: 1, maximum: 223 })),
          confirmed: Type.Optional(Type.Boolean()),
          priority: Type.Optional(Type.String({ minLength: 1, maxLength: 32 })),
          data: Type.Optional(Type.Union([Type.String(), Type.Null()], { description: "base64" })),
          hex: Type.Optional(Type.Union([Type.String(), Type.Null()])),
          object: Type.Optional(Type.Union([mapOf(jsonValueSchema), Type.Null()])),
        },
        { description: "an object with one of `data`, `hex` and `object`" },
      ),
      deviceId,
    },
    { title: "AlarmDownlinkAction" },
  ),
  webhook: Type.Object(
    {
      ...action,
      type: Type.Literal("webhook"),
      url: Type.String({ minLength: 1, maxLength: 2_048 }),
      method: Type.Optional(enumOf(["POST", "PUT", "PATCH"], { description: "POST by default" })),
      headers: Type.Optional(mapOf(Type.String({ maxLength: 4_096 }), { description: "without secrets" })),
    },
    { title: "AlarmWebhookAction" },
  ),
};

const names = ({ items, length }: { readonly items: number; readonly length: number }) =>
  Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: length }), { maxItems: items }));

export const ruleScopeSchema = Type.Object(
  {
    deviceIds: names(SCOPE_LISTS_MAX.deviceIds),
    deviceTypes: names(SCOPE_LISTS_MAX.deviceTypes),
    tags: names(SCOPE_LISTS_MAX.tags),
  },
  {
    title: "AlarmRuleScope",
    description:
      "the devices of the profile that the rule watches: those with one of the ids, types or tags; at least one. Without it, the rule watches all devices of the profile. All devices must exist in the tenant.",
  },
);

export const alarmRuleSchema = Type.Object(
  {
    id: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    enabled: Type.Optional(
      Type.Boolean({
        description:
          "true by default. A rule that is switched off raises nothing, and its open alarms are cleared.",
      }),
    ),
    alarmType: Type.String({ minLength: 1, maxLength: 256, description: "one rule for each type" }),
    appliesTo: Type.Optional(ruleScopeSchema),
    createRules: Type.Array(createRule, {
      minItems: 1,
      maxItems: ALARM_SEVERITIES.length,
      description: "each with a different severity",
    }),
    clearRule: Type.Optional(triggers("ClearRule", {})),
    downgrade: Type.Optional(
      Type.Boolean({ description: "whether the severity may fall; false by default" }),
    ),
    schedule: Type.Optional(
      Type.Object(
        {
          timezone: Type.String({ description: "IANA name, `Europe/Berlin`" }),
          days: Type.Optional(
            Type.Array(enumOf(WEEKDAYS), { minItems: 1, description: "every day by default" }),
          ),
          from: Type.String({ pattern: TEXT_FORMS.time_of_day }),
          to: Type.String({
            pattern: TEXT_FORMS.end_of_day,
            description: "end of the period; it is on the next day if it is not after `from`",
          }),
        },
        { title: "AlarmSchedule", description: "The rule raises alarms in this window only." },
      ),
    ),
    propagateToGateway: Type.Optional(Type.Boolean()),
    recipientIds: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
        maxItems: 100,
        description:
          "ids of the users and messengers that are notified, each according to its own settings; empty for nobody. By default all users and the messengers with `ruleScope` ALL are notified. All ids must exist in the tenant. When all of them have been deleted, the owners of the tenant are notified.",
      }),
    ),
    actions: Type.Optional(
      Type.Array(discriminatedUnion(actions, "type", { title: "AlarmAction" }), { maxItems: 10 }),
    ),
  },
  { title: "AlarmRule" },
);

/** Example alarm rule, for the OpenAPI document. */
export const alarmRuleExample = {
  alarmType: "Overheating",
  createRules: [
    {
      severity: "CRITICAL",
      condition: { key: "temperature", op: "GT", value: 80 },
      kind: "DURATION",
      forMs: 60_000,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a template of the alarm rule's own
      message: "${deviceName} is at ${temperature} °C",
    },
  ],
  clearRule: { condition: { key: "temperature", op: "LT", value: 70 } },
};
