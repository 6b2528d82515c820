import { Type } from "@sinclair/typebox";
import { t } from "elysia";
import { CONDITION_OPERATORS } from "../../../lib/alarms/condition.ts";
import type { ExplainedCondition } from "../../../lib/alarms/condition-explain.ts";
import { componentRef, documentedAs, enumOf } from "../../api/documented-as.ts";
import { jsonValueSchema, severityBody, wholeNumber } from "../../api/wire.schemas.ts";
import { ATTRIBUTE_SCOPES } from "../../attributes/attributes.types.ts";
import { alarmRuleSchema, ruleScopeSchema } from "../../profiles/alarm-rule.schemas.ts";
import { resolvedKeyList } from "../../profiles/key-metadata.schemas.ts";

const epochMs = t.Optional(
  t.Integer({ minimum: 0, maximum: 8_640_000_000_000_000, description: "epoch ms" }),
);

/** Part of a condition, and whether it holds. */
export const explainedCondition = Type.Unsafe<ExplainedCondition>({
  title: "ExplainedCondition",
  type: "object",
  required: ["holds"],
  properties: {
    holds: Type.Boolean(),
    all: Type.Array(componentRef("ExplainedCondition")),
    any: Type.Array(componentRef("ExplainedCondition")),
    not: componentRef("ExplainedCondition"),
    key: Type.String(),
    source: enumOf(["telemetry", "attribute"]),
    scope: enumOf(ATTRIBUTE_SCOPES),
    op: enumOf([...CONDITION_OPERATORS, "CHANGED"]),
    actual: jsonValueSchema,
    against: jsonValueSchema,
    forMs: wholeNumber(),
    isObserved: Type.Literal(true, {
      description: "`forMs` follows from the interval at which the key usually comes",
    }),
  },
});

const triggerBody = t.Object({
  severity: t.Union([severityBody, t.Null()], { description: "null for the clear rule" }),
  kind: t.Union([t.Literal("SIMPLE"), t.Literal("DURATION"), t.Literal("REPEATING")]),
  forMs: t.Optional(wholeNumber()),
  count: t.Optional(wholeNumber()),
  withinMs: t.Optional(wholeNumber()),
  condition: documentedAs(explainedCondition, {
    description:
      "the condition as it was written, each part with `holds`; comparisons with `actual`, the value that is there now, and `against`",
  }),
  isMet: t.Boolean({ description: "whether the trigger is met, including its time or its count" }),
  since: t.Optional(t.String({ description: "DURATION: since when the condition has held" })),
  metAt: t.Optional(t.String({ description: "DURATION: when it is met if nothing changes" })),
  counted: t.Optional(wholeNumber({ description: "REPEATING: occurrences counted so far" })),
});

export const ruleBody = t.Object(
  {
    alarmType: t.String(),
    openAlarmId: t.Optional(t.String()),
    openSeverity: t.Optional(severityBody),
    heldUntil: t.Optional(
      t.String({
        description: "no alarm is raised until then, because of maintenance or the rule's schedule",
      }),
    ),
    dueAt: t.Optional(t.String({ description: "when the rule is evaluated even if no message arrives" })),
    triggers: t.Array(triggerBody),
  },
  { title: "AlarmRuleState" },
);

export const listedRuleBody = t.Object(
  {
    profileId: t.String(),
    profileName: t.String(),
    alarmType: t.String(),
    enabled: t.Boolean(),
    isReadable: t.Boolean({
      description: "false for a rule of another version, which cannot be read and raises nothing",
    }),
    deviceCount: wholeNumber({ description: "devices that it watches" }),
    openCount: wholeNumber({ description: "its open alarms" }),
    lastRaisedAt: t.Optional(
      t.String({
        description: "ISO 8601; absent if it raised none of the alarms that are kept",
      }),
    ),
    keyMetadata: documentedAs(resolvedKeyList, { description: "metadata of the keys that it names" }),
    rule: documentedAs(alarmRuleSchema),
  },
  { title: "ListedAlarmRule" },
);

export const backTestBody = t.Object(
  {
    rule: documentedAs(alarmRuleSchema, { description: "as in `alarmRules` of a profile" }),
    deviceIds: t.Optional(t.Array(t.String(), { minItems: 1, maxItems: 100 })),
    profileId: t.Optional(t.String({ description: "instead of deviceIds: the devices of a profile" })),
    from: epochMs,
    to: epochMs,
  },
  { title: "BackTestRequest" },
);

export const watchedDevicesBody = t.Object(
  { appliesTo: t.Optional(documentedAs(ruleScopeSchema)) },
  { title: "WatchedDevicesRequest" },
);

export const backTestResponse = t.Object(
  {
    from: t.String(),
    to: t.String(),
    deviceCount: wholeNumber(),
    rowCount: wholeNumber({ description: "messages that the rule was evaluated on" }),
    alarmCount: wholeNumber(),
    alarms: t.Array(
      t.Object({
        deviceId: t.String(),
        deviceName: t.String(),
        severity: severityBody,
        message: t.String(),
        raisedAt: t.String(),
        clearedAt: t.Union([t.String(), t.Null()], { description: "null if it would still be open" }),
      }),
      { description: "the newest 500 alarms" },
    ),
    isCut: t.Boolean({
      description: "devices or data were left out, because the limit of a test was reached",
    }),
    usesAttributes: t.Boolean({
      description: "the rule reads attributes; their current values were used",
    }),
  },
  { title: "BackTest" },
);
