import { Type } from "@sinclair/typebox";
import { Elysia, t } from "elysia";
import { conditionOperators } from "../../lib/condition.ts";
import { withoutNulls } from "../../lib/defined.ts";
import { attributeScopes } from "../attributes/attributes.types.ts";
import { componentRef, documentedAs, enumOf } from "../documented-as.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { wholeList } from "../lists.ts";
import { alarmRuleSchema } from "../profiles/alarm-rule.schemas.ts";
import { alarmSeverities } from "../users/users.types.ts";
import { jsonValueSchema, wholeNumber } from "../wire.schemas.ts";
import type { ExplainedRule, ExplainedTrigger } from "./alarm-explain.ts";
import type { AlarmRulesService, BackTest } from "./alarm-rules.service.ts";

const iso = (at: number): string => new Date(at).toISOString();
const isoOrNull = (at: number | null) => (at === null ? null : iso(at));

const epochMs = t.Optional(
  t.Integer({ minimum: 0, maximum: 8_640_000_000_000_000, description: "epoch ms" }),
);
const severityBody = t.String({ enum: [...alarmSeverities] });

/** A part of a condition, with whether it holds. */
const explainedCondition = Type.Unsafe({
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
    scope: enumOf(attributeScopes),
    op: enumOf([...conditionOperators, "CHANGED"]),
    actual: jsonValueSchema,
    against: jsonValueSchema,
    forMs: wholeNumber(),
  },
});

const triggerBody = t.Object({
  severity: t.Union([severityBody, t.Null()], { description: "null: the clear rule" }),
  kind: t.Union([t.Literal("SIMPLE"), t.Literal("DURATION"), t.Literal("REPEATING")]),
  forMs: t.Optional(wholeNumber()),
  count: t.Optional(wholeNumber()),
  withinMs: t.Optional(wholeNumber()),
  condition: documentedAs(explainedCondition, {
    description:
      "the condition as it was written, each part with `holds`; comparisons with `actual`, the value that is there now, and `against`",
  }),
  isMet: t.Boolean({ description: "with its time or its count" }),
  since: t.Optional(t.String({ description: "DURATION: since when the condition has held" })),
  metAt: t.Optional(t.String({ description: "DURATION: when it is met if nothing changes" })),
  counted: t.Optional(wholeNumber({ description: "REPEATING: occurrences counted so far" })),
});

const ruleBody = t.Object(
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

const backTestBody = t.Object(
  {
    rule: documentedAs(alarmRuleSchema, { description: "as in `alarmRules` of a profile" }),
    deviceIds: t.Optional(t.Array(t.String(), { minItems: 1, maxItems: 100 })),
    profileId: t.Optional(t.String({ description: "instead of deviceIds: the devices of a profile" })),
    from: epochMs,
    to: epochMs,
  },
  { title: "BackTestRequest" },
);

const backTestAnswer = t.Object(
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
    isCut: t.Boolean({ description: "devices or data were left out, because one test takes no more" }),
    usesAttributes: t.Boolean({
      description: "the rule reads attributes; their current values were used",
    }),
  },
  { title: "BackTest" },
);

const triggerToWire = ({ since, metAt, ...trigger }: ExplainedTrigger) => ({
  ...trigger,
  ...(since !== undefined && { since: iso(since) }),
  ...(metAt !== undefined && { metAt: iso(metAt) }),
});

function ruleToWire({ alarmType, triggers, openAlarmId, openSeverity, heldUntil, dueAt }: ExplainedRule) {
  return {
    alarmType,
    ...withoutNulls({
      openAlarmId,
      openSeverity,
      heldUntil: isoOrNull(heldUntil),
      dueAt: isoOrNull(dueAt),
    }),
    triggers: triggers.map(triggerToWire),
  };
}

const testToWire = ({ from, to, alarms, ...test }: BackTest) => ({
  ...test,
  from: iso(from),
  to: iso(to),
  alarms: alarms.map((alarm) => ({
    ...alarm,
    raisedAt: iso(alarm.raisedAt),
    clearedAt: isoOrNull(alarm.clearedAt),
  })),
});

const ruleStateList = wholeList({ sort: ["alarmType", "openSeverity", "dueAt"], search: ["alarmType"] });

/** What the rules of profiles do, and what they would do. */
export const alarmRulesRoutes = (deps: { alarmRules: AlarmRulesService; auth: AuthPlugin }) => {
  const { alarmRules } = deps;
  return new Elysia({ tags: ["alarms"] })
    .use(deps.auth)
    .get(
      "/api/devices/:deviceId/alarm-rules",
      ({ principal, params, query, request, set }) =>
        ruleStateList.page(
          { query, request, set },
          alarmRules.explain(principal, params.deviceId).map(ruleToWire),
        ),
      {
        auth: "alarms:read",
        query: t.Object(ruleStateList.fields),
        response: { 200: t.Array(ruleBody) },
        detail: {
          summary: "Why the alarm rules of a device raise something now, or why not",
          description:
            "Each rule of the device's profile, each part of its conditions with the value that is there and whether it holds, times and counts under way, and what holds it back. An empty list for a device without rules.",
        },
      },
    )
    .post(
      "/api/alarms/back-test",
      async ({ principal, body, request }) =>
        testToWire(await alarmRules.backTest(principal, body, request.signal)),
      {
        auth: "alarms:read",
        audit: { none: "changes nothing" },
        body: backTestBody,
        response: { 200: backTestAnswer },
        detail: {
          summary: "Try an alarm rule on stored telemetry",
          description:
            "Reports which alarms the rule would have raised, and raises none. It covers the last 24 hours unless `from` and `to` say otherwise, 31 days at most. Time stamps count as times of arrival; attributes have their current values. At most 100 devices and 500,000 messages are evaluated. 400 names the invalid part of a rule; 404 for an unknown device; 429 while three back-tests of the tenant are running.",
        },
      },
    );
};
