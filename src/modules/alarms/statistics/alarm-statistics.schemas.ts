import { t } from "elysia";
import { timeRangeQuery } from "../../api/lists.schemas.ts";
import { isoTime, severityBody, wholeNumber } from "../../api/wire.schemas.ts";
import { alarmsQuery } from "../alarms.schemas.ts";

const { severity, name, search, tag, deviceType, profileId, gatewayId } = alarmsQuery;

export const alarmStatisticsQuery = {
  severity,
  name,
  search,
  tag,
  deviceType,
  profileId,
  gatewayId,
  ...timeRangeQuery({ from: "7 days before the end by default", to: "now by default" }),
  operators: t.Optional(
    t.Integer({ minimum: 1, maximum: 100, description: "people who handle alarms at a time; 1 by default" }),
  ),
};

const alarmFields = {
  deviceId: t.String(),
  deviceName: t.String(),
  name: t.String({ description: "the alarm type of the rule" }),
  severity: severityBody,
};
const raisedAlarm = t.Object(
  {
    ...alarmFields,
    raised: wholeNumber({ description: "how often it was raised" }),
    chatters: wholeNumber({ description: "how often it was raised for the third time within a minute" }),
  },
  { title: "RaisedAlarm" },
);
const duration = t.Union([wholeNumber(), t.Null()], { description: "ms; null if nothing was acknowledged" });

export const alarmStatisticsBody = t.Object(
  {
    from: t.String({
      description:
        "ISO 8601; start of a 10-minute period; later than requested if there are more events than one response counts",
    }),
    to: isoTime,
    isComplete: t.Boolean({
      description:
        "false if there are more events than one response counts, or if events of these devices since `from` were deleted because there were too many",
    }),
    operators: wholeNumber({ minimum: 1 }),
    raised: wholeNumber({ description: "how often alarms were raised" }),
    perOperatorHour: t.Number(),
    busiest: t.Union([t.Object({ from: t.String(), raised: wholeNumber() }), t.Null()], {
      description: "the 10 minutes with the most alarms; null without alarms",
    }),
    periods: wholeNumber({ description: "periods of 10 minutes in the range" }),
    floods: wholeNumber({ description: "periods with more than 10 alarms for each operator" }),
    severities: t.Array(t.Object({ severity: severityBody, raised: wholeNumber() })),
    bars: t.Object({
      stepMs: wholeNumber({ description: "ms of one bar" }),
      raised: t.Array(wholeNumber(), { description: "alarms of each bar, from `from` on" }),
    }),
    frequent: t.Array(raisedAlarm, { description: "the ten that were raised most often" }),
    chattering: t.Array(raisedAlarm, { description: "the ten most chattering alarms" }),
    chatteringCount: wholeNumber({ description: "number of chattering alarms" }),
    standing: t.Object(
      {
        total: wholeNumber(),
        alarms: t.Array(t.Object({ alarmId: t.String(), ...alarmFields, raisedAt: t.String() })),
      },
      { description: "alarms that have been open for 24 hours, and the ten oldest of them" },
    ),
    acknowledged: t.Object(
      { count: wholeNumber(), medianMs: duration, p90Ms: duration },
      { description: "times from the first raise to the acknowledgement" },
    ),
  },
  { title: "AlarmStatistics" },
);
