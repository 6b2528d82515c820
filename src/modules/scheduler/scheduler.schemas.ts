import { t } from "elysia";
import { documentedAs, withCommas } from "../api/documented-as.ts";
import {
  isoTime,
  isoTimeOrNull,
  jsonObject,
  jsonValue,
  nameText,
  textSchema,
  wholeNumber,
} from "../api/wire.schemas.ts";
import { commandFormBody, shortCommandFields } from "../commands/commands.schemas.ts";
import { TARGETS_MAX, TENANT_RUNS_MAX } from "./scheduler.types.ts";

const TEXT_MAX = 256;
const RETRY_INTERVAL_MS_MAX = 86_400_000;

const scheduleFields = {
  kind: t.Union([t.Literal("cron"), t.Literal("interval"), t.Literal("once")]),
  expression: t.Optional(
    t.String({
      description:
        "cron: minute, hour, day of the month, month, day of the week (`*/15 8-17 * * MON-FRI`; also L, # and W), or @hourly, @daily, @weekly, @monthly, @yearly",
    }),
  ),
  everyMs: t.Optional(t.Number({ description: "interval: ms, 60,000 or more" })),
  at: t.Optional(
    t.String({
      description:
        "once: when, interval: from when on. ISO 8601; without an offset it is meant in the time zone",
    }),
  ),
  timezone: t.Optional(t.String({ description: "IANA name, `Europe/Berlin`; UTC by default" })),
};
export const scheduleBody = t.Object(scheduleFields, {
  title: "Schedule",
  description:
    "A time of day that daylight saving leaves out is due when the gap ends; one that comes twice is due the first time.",
});

const commandFields = {
  ...shortCommandFields,
  value: t.Optional(jsonValue("value for `key`")),
  method: t.Optional(t.String({ minLength: 1, maxLength: TEXT_MAX })),
  params: t.Optional(jsonValue()),
  command: t.Optional(commandFormBody),
  retries: t.Optional(t.Integer({ minimum: 0, maximum: 100 })),
  retryIntervalMs: t.Optional(t.Integer({ minimum: 100, maximum: RETRY_INTERVAL_MS_MAX })),
  expiresInMs: t.Optional(t.Integer({ minimum: 1, maximum: 30 * RETRY_INTERVAL_MS_MAX })),
  requestId: t.Optional(t.String({ description: "not allowed, because each run has its own" })),
};

const actionType = t.Union([t.Literal("attributes"), t.Literal("command")]);

export const actionBody = t.Object(
  {
    type: actionType,
    deviceIds: t.Optional(
      t.Array(t.String(), {
        maxItems: 10_000,
        description: `at most ${withCommas(TARGETS_MAX)} different devices`,
      }),
    ),
    deviceType: t.Optional(
      t.String({
        minLength: 1,
        maxLength: TEXT_MAX,
        description: "instead of deviceIds: all devices of this type when the job runs",
      }),
    ),
    // Not a Record: its check would turn an array into an object of indices.
    attributes: t.Optional(jsonObject("SHARED attributes, by name")),
    command: t.Optional(
      t.Object(commandFields, { description: "as of `POST /api/devices/{deviceId}/commands`" }),
    ),
  },
  { title: "JobAction" },
);

const name = nameText(200);
const misfire = t.Union([t.Literal("skip"), t.Literal("once")], {
  description:
    "times that were missed by more than a minute: `skip` lists them as skipped, `once` replaces all of them with one run; skip by default",
});
const enabled = t.Boolean({ description: "false pauses the job" });

export const LIMITED_ACCESS = { 403: "The job acts on devices that the caller has no access to." };

export const createJobBody = t.Object(
  {
    name,
    enabled: t.Optional(enabled),
    schedule: scheduleBody,
    action: actionBody,
    misfire: t.Optional(misfire),
  },
  { title: "CreateJob" },
);
export const updateJobBody = t.Object(
  {
    name: t.Optional(name),
    enabled: t.Optional(enabled),
    schedule: t.Optional(scheduleBody),
    action: t.Optional(actionBody),
    misfire: t.Optional(misfire),
  },
  { title: "UpdateJob" },
);
export const previewBody = t.Object(
  {
    schedule: scheduleBody,
    count: t.Optional(t.Integer({ minimum: 1, maximum: 100, description: "5 by default" })),
  },
  { title: "SchedulePreviewRequest" },
);

const hiddenTargets = wholeNumber({
  description: "number of devices that are left out because the caller has no access to them",
});
export const runStatus = t.Union([
  t.Literal("RUNNING"),
  t.Literal("SUCCESS"),
  t.Literal("FAILED"),
  t.Literal("PARTIAL"),
  t.Literal("SKIPPED"),
]);

/** Schedule in a response; its fields depend on the kind. */
export type ShownSchedule =
  | { readonly kind: "cron"; readonly expression: string; readonly timezone: string }
  | { readonly kind: "interval"; readonly everyMs: number; readonly at?: string; readonly timezone: string }
  | { readonly kind: "once"; readonly at: string; readonly timezone: string };

const jobFields = {
  jobId: t.String(),
  name: t.String(),
  enabled: t.Boolean(),
  status: t.Union([t.Literal("active"), t.Literal("paused"), t.Literal("completed")], {
    description: "`completed` if no further run is due",
  }),
  schedule: t.Unsafe<ShownSchedule>(t.Object({ ...scheduleFields, timezone: t.String() })),
  // Not an Object: its copy would lose an attribute that is named `__proto__`.
  action: documentedAs(actionBody),
  misfire,
  nextRunAt: isoTimeOrNull,
  lastRunAt: isoTimeOrNull,
  lastStatus: t.Union([runStatus, t.Null()]),
  hiddenTargets,
  createdAt: isoTime,
  updatedAt: isoTime,
};
export const jobBody = t.Object(jobFields, { title: "Job" });
export const jobDetail = t.Object(
  {
    ...jobFields,
    devices: t.Array(t.Object({ deviceId: t.String(), name: t.String() }), {
      description: "devices that the job would act on now, 1,000 at most",
    }),
  },
  { title: "JobDetail" },
);

export const targetStatus = t.Union([t.Literal("SUCCESS"), t.Literal("FAILED")]);
export const targetBody = t.Object(
  {
    deviceId: t.String(),
    name: t.Union([t.String(), t.Null()], {
      description: "its name at that time; null for a deleted device",
    }),
    status: targetStatus,
    error: t.Union([t.String(), t.Null()]),
    errorText: t.Union([textSchema, t.Null()], { description: "code and parameters of the error" }),
    commandId: t.Union([t.String(), t.Null()], {
      description: "SUCCESS says that the command waits for its device; the command says how it went",
    }),
  },
  { title: "RunTarget" },
);

export const runBody = t.Object(
  {
    runId: t.String(),
    jobId: t.String(),
    scheduledFor: t.String({ description: "ISO 8601; a job has one run for a time" }),
    trigger: t.Union([t.Literal("SCHEDULE"), t.Literal("MANUAL")]),
    startedAt: isoTime,
    finishedAt: isoTimeOrNull,
    status: runStatus,
    waiting: t.Optional(
      t.Literal(true, {
        description: `the run has not begun, because ${TENANT_RUNS_MAX} other runs of the site are in progress; absent otherwise`,
      }),
    ),
    error: t.Union([t.String(), t.Null()]),
    errorText: t.Union([textSchema, t.Null()], { description: "code and parameters of the error" }),
    missed: wholeNumber({
      description: "number of earlier times that passed without a run; 20 stands for 20 or more",
    }),
    targetCount: wholeNumber(),
    failedCount: wholeNumber(),
    hiddenTargets,
    targets: t.Array(targetBody, { description: "the first 100, those that failed before the others" }),
  },
  { title: "Run" },
);
