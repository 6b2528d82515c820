import { Elysia, t } from "elysia";
import { withoutNulls } from "../../../lib/core/defined.ts";
import { iso } from "../../../lib/time/iso-time.ts";
import { wholeList } from "../../api/lists.ts";
import { wholeNumber } from "../../api/wire.schemas.ts";
import type { AuthPlugin } from "../../identity/identity.plugin.ts";
import { alarmRuleExample } from "../../profiles/alarm-rule.schemas.ts";
import type { ExplainedRule, ExplainedTrigger } from "./alarm-explain.ts";
import {
  backTestBody,
  backTestResponse,
  listedRuleBody,
  ruleBody,
  watchedDevicesBody,
} from "./alarm-rules.schemas.ts";
import type { AlarmRulesService, BackTest, ListedRule, RuleEffect } from "./alarm-rules.service.ts";

const isoOrNull = (timeMs: number | null) => (timeMs === null ? null : iso(timeMs));

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

const ruleToListed = ({ isEnabled, lastRaisedAt, keyMetadata, ...rule }: ListedRule & RuleEffect) => ({
  ...rule,
  keyMetadata: [...keyMetadata],
  enabled: isEnabled,
  ...withoutNulls({ lastRaisedAt: isoOrNull(lastRaisedAt) }),
});

const rulesList = wholeList({ sort: ["alarmType", "profileName"], search: ["alarmType", "profileName"] });
const ruleStateList = wholeList({ sort: ["alarmType", "openSeverity", "dueAt"], search: ["alarmType"] });

/** Routes that evaluate and test the rules of profiles. */
export const alarmRulesRoutes = (deps: { alarmRules: AlarmRulesService; auth: AuthPlugin }) => {
  const { alarmRules } = deps;
  return new Elysia({ tags: ["alarms"] })
    .use(deps.auth)
    .get(
      "/api/alarm-rules",
      async ({ principal, query, request, set }) => {
        const page = rulesList.page({ query, request, set }, await alarmRules.list(principal));
        return (await alarmRules.withEffects(principal, page)).map(ruleToListed);
      },
      {
        auth: "profiles:read",
        query: t.Object(rulesList.fields),
        response: { 200: t.Array(listedRuleBody) },
        detail: {
          operationId: "listAlarmRules",
          summary: "List the alarm rules of all device profiles",
          description:
            "Lists each rule with the number of devices that it watches, its open alarms, and when it last raised an alarm. Counts only devices that the caller may see. To change a rule, update `alarmRules` of its profile.",
        },
      },
    )
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
          operationId: "listDeviceAlarmRules",
          summary: "Explain the state of a device's alarm rules",
          description:
            "Lists each rule of the device's profile with each part of its conditions, its current value and whether it holds, running durations and counts, and what suppresses the rule. The list is empty for a device without rules.",
        },
      },
    )
    .post(
      "/api/device-profiles/:profileId/watched-devices",
      async ({ principal, params, body }) => ({
        deviceCount: await alarmRules.countWatched(principal, params.profileId, body.appliesTo),
      }),
      {
        auth: "alarms:read",
        audit: { none: "changes nothing" },
        body: watchedDevicesBody,
        response: { 200: t.Object({ deviceCount: wholeNumber() }) },
        detail: {
          operationId: "countWatchedDevices",
          summary: "Count the devices that an alarm rule would watch",
          description:
            "Counts the devices of the profile that the caller may see and that the scope names; all of them without `appliesTo`.",
          errors: { 400: "The scope is invalid.", 404: "The profile is unknown." },
          example: { appliesTo: { tags: ["line 1"] } },
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
        response: { 200: backTestResponse },
        detail: {
          operationId: "backTestAlarmRule",
          summary: "Back-test an alarm rule on stored telemetry",
          description:
            "Reports which alarms the rule would have raised, and raises none. It covers the last 24 hours unless `from` and `to` say otherwise, 31 days at most. Timestamps count as times of arrival; attributes have their current values. At most 100 devices and 500,000 messages are evaluated.",
          errors: {
            400: "A part of the rule is invalid; the message names it.",
            404: "A device or the profile does not exist.",
            429: "Three back-tests of the tenant are running.",
          },
          example: {
            rule: alarmRuleExample,
            deviceIds: ["01996d2e-5a3c-7b10-9c0e-3f1d2a4b5c6d"],
          },
        },
      },
    );
};
