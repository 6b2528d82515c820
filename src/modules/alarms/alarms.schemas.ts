import { t } from "elysia";
import { MESSAGE_WORDS } from "../../lib/alarms/message-parts.ts";
import { TEXT_FORMS } from "../../lib/core/text-forms.ts";
import { pageQuery, searchQuery, sortQuery, timeRangeQuery } from "../api/lists.schemas.ts";
import { choice, isoTime, severityBody, textFields, wholeNumber } from "../api/wire.schemas.ts";
import { ALARM_SORT_FIELDS, ALARM_STATUSES } from "./alarms.types.ts";

const TEXT_MAX = 2_000;
const BULK_MAX = 10_000;
const WEEK_MINUTES = 10_080;

const messageParts = t.Array(
  t.Union([
    t.String(),
    t.Object({
      value: t.Union([t.Number(), t.Boolean()]),
      unit: t.Optional(t.String()),
      decimals: t.Optional(wholeNumber()),
    }),
    t.Object(
      { word: choice(MESSAGE_WORDS) },
      { description: "a word of a message that the gateway wrote itself, for a rule without a text" },
    ),
  ]),
  {
    description:
      "the message in parts, with its values separate, for any language; absent if it has no values",
  },
);

export const alarmBody = t.Object(
  {
    alarmId: t.String(),
    deviceId: t.String(),
    deviceName: t.String(),
    deviceType: t.String(),
    name: t.String({ description: "the alarm type of the rule" }),
    profileId: t.String({ description: "the profile whose rule raised it last" }),
    severity: severityBody,
    status: choice(ALARM_STATUSES),
    message: t.String({ description: "in English" }),
    messageParts: t.Optional(messageParts),
    createdAt: isoTime,
    raisedAt: t.String({ description: "ISO 8601; the last time that it was raised" }),
    raiseCount: wholeNumber({
      minimum: 1,
      description: "how often this alarm was raised: 1 at first, and 1 more each time it is reopened",
    }),
    updatedAt: isoTime,
    acknowledgedAt: t.Optional(isoTime),
    acknowledgedBy: t.Optional(t.String()),
    clearedAt: t.Optional(isoTime),
    clearedBy: t.Optional(t.String({ description: "absent if the rule cleared it" })),
    escalationLevel: wholeNumber({ minimum: 1, maximum: 3, description: "1 when it is raised" }),
    gatewayId: t.Optional(
      t.String({
        description: "the device's gateway, if the rule propagates the alarm to it",
      }),
    ),
  },
  { title: "Alarm" },
);

export const alarmEventBody = t.Object(
  {
    eventId: t.String(),
    alarmId: t.String(),
    eventType: choice([
      "CREATED",
      "SEVERITY_CHANGED",
      "ESCALATED",
      "ACK",
      "CLEARED",
      "REOPENED",
      "COMMENT",
      "NOTIFIED",
    ]),
    ...textFields,
    message: t.String({ description: "the text of the code in English" }),
    by: t.Optional(t.String({ description: "absent for the gateway itself" })),
    createdAt: isoTime,
  },
  { title: "AlarmEvent" },
);

export const alarmsQuery = {
  ...pageQuery,
  ...timeRangeQuery({
    from: "without alarms that were cleared before",
    to: "without alarms that were raised for the first time after",
  }),
  search: searchQuery(["the message", "the name", "the device's name, label or tags"]),
  sort: sortQuery(ALARM_SORT_FIELDS, "; most recently raised first by default"),
  severity: t.Optional(t.String({ maxLength: 256, description: "one or several, by commas" })),
  status: t.Optional(t.String({ maxLength: 256, description: "one or several, by commas" })),
  name: t.Optional(t.String({ maxLength: 256, description: "the alarm type of the rule" })),
  tag: t.Optional(t.String({ maxLength: 64, description: "a tag of the device" })),
  deviceType: t.Optional(t.String({ maxLength: 256 })),
  profileId: t.Optional(t.String({ maxLength: 64, description: "the profile of the device" })),
  gatewayId: t.Optional(t.String({ maxLength: 64, description: "the gateway and its children" })),
};

export const openAlarmsBody = t.Object(
  {
    deviceId: t.String(),
    deviceName: t.String(),
    parentDeviceId: t.Optional(t.String({ description: "the gateway of the device" })),
    severity: severityBody,
    count: wholeNumber({ minimum: 1 }),
    unacknowledged: wholeNumber(),
  },
  { title: "OpenAlarms" },
);

const alarmIds = t.Array(t.String({ maxLength: 64 }), { minItems: 1, maxItems: BULK_MAX });
const message = t.String({ minLength: 1, maxLength: TEXT_MAX, pattern: TEXT_FORMS.visible });
export const bulkBody = t.Object({ alarmIds }, { title: "AlarmIds" });
export const commentBody = t.Object({ message }, { title: "AlarmComment" });
export const bulkCommentBody = t.Object({ alarmIds, message }, { title: "AlarmComments" });

const minutes = (subject: string) => t.Integer({ minimum: 1, maximum: WEEK_MINUTES, description: subject });
export const escalationBody = t.Object(
  {
    level1To2Minutes: minutes("from level 1 to level 2"),
    level2To3Minutes: minutes("from level 2 to level 3"),
    stopOnAck: t.Boolean({ description: "whether an acknowledged alarm is not escalated further" }),
    stopOnClear: t.Boolean({ description: "a cleared alarm rises no further" }),
  },
  { title: "EscalationSettings" },
);
