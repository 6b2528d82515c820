// The settings of backups as a form holds them, and as the gateway takes them.
import type {
  BackupPlaceInput,
  BackupSettings,
  BackupSettingsInput,
  BackupTestInput,
} from "./backups-api.ts";

export const PLACE_KINDS = ["none", "folder", "s3"] as const;
export type PlaceKind = (typeof PLACE_KINDS)[number];
export const SCHEDULE_KINDS = ["daily", "cron", "none"] as const;
export type ScheduleKind = (typeof SCHEDULE_KINDS)[number];

/** Every choice keeps what was entered, whichever of them is selected. */
export interface BackupForm {
  readonly placeKind: PlaceKind;
  readonly path: string;
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly prefix: string;
  readonly accessKeyId: string;
  /** Empty: the one that the gateway has. */
  readonly secretAccessKey: string;
  readonly isEncrypted: boolean;
  /** Empty: the one that the gateway has. */
  readonly passphrase: string;
  readonly scheduleKind: ScheduleKind;
  /** Time of day, `02:30`. */
  readonly time: string;
  readonly expression: string;
  readonly timezone: string;
  readonly daily: number;
  readonly weekly: number;
  readonly maxAgeHours: number;
  readonly verifyDays: number;
}

type Schedule = BackupSettings["schedule"];

const NIGHT = "02:30";

/** Returns the time of day of a schedule that runs daily; undefined for any other. */
export function dailyTimeOf(expression: string): string | undefined {
  const [, minute = "", hour = ""] = /^(\d{1,2}) (\d{1,2}) \* \* \*$/.exec(expression.trim()) ?? [];
  if (minute === "" || Number(minute) > 59 || Number(hour) > 23) return undefined;
  return `${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`;
}

/** `isNew`: nobody has set up backups, so that the form suggests a schedule. */
function scheduleFields(schedule: Schedule, timezone: string, isNew: boolean) {
  if (schedule === null)
    return {
      scheduleKind: isNew ? ("daily" as const) : ("none" as const),
      time: NIGHT,
      expression: "30 2 * * *",
      timezone,
    };
  const time = dailyTimeOf(schedule.expression);
  return {
    scheduleKind: time === undefined ? ("cron" as const) : ("daily" as const),
    time: time ?? NIGHT,
    ...schedule,
  };
}

/** `timezone` is suggested where no schedule is set. */
export function formOf(settings: BackupSettings, timezone: string): BackupForm {
  const { place, schedule, isEncrypted, daily, weekly, maxAgeHours, verifyDays } = settings;
  const bucket = place?.kind === "s3" ? place : undefined;
  return {
    placeKind: place?.kind ?? "none",
    path: place?.kind === "folder" ? place.path : "",
    endpoint: bucket?.endpoint ?? "",
    region: bucket?.region ?? "us-east-1",
    bucket: bucket?.bucket ?? "",
    prefix: bucket?.prefix ?? "",
    accessKeyId: bucket?.accessKeyId ?? "",
    secretAccessKey: "",
    isEncrypted,
    passphrase: "",
    ...scheduleFields(schedule, timezone, place === null),
    daily,
    weekly,
    maxAgeHours,
    verifyDays,
  };
}

/** A prefix as the gateway takes it: empty, or with a slash at its end and none at its start. */
export function prefixOf(text: string): string {
  const inner = text.trim().replace(/^\/+|(?<!\/)\/+$/g, "");
  return inner === "" ? "" : `${inner}/`;
}

export function placeOf(form: BackupForm): BackupPlaceInput | null {
  if (form.placeKind === "none") return null;
  if (form.placeKind === "folder") return { kind: "folder", path: form.path.trim() };
  return {
    kind: "s3",
    endpoint: form.endpoint.trim(),
    region: form.region.trim(),
    bucket: form.bucket.trim(),
    prefix: prefixOf(form.prefix),
    accessKeyId: form.accessKeyId.trim(),
    ...(form.secretAccessKey !== "" && { secretAccessKey: form.secretAccessKey }),
  };
}

function passphraseOf({ isEncrypted, passphrase }: BackupForm): { passphrase?: string | null } {
  if (!isEncrypted) return { passphrase: null };
  return passphrase === "" ? {} : { passphrase };
}

export function scheduleOf(form: BackupForm): Schedule {
  const { scheduleKind, timezone } = form;
  if (scheduleKind === "none") return null;
  if (scheduleKind === "cron") return { expression: form.expression.trim(), timezone };
  const [hour = "0", minute = "0"] = form.time.split(":");
  return { expression: `${Number(minute)} ${Number(hour)} * * *`, timezone };
}

export const settingsOf = (form: BackupForm): BackupSettingsInput => ({
  place: placeOf(form),
  ...passphraseOf(form),
  schedule: scheduleOf(form),
  daily: form.daily,
  weekly: form.weekly,
  maxAgeHours: form.maxAgeHours,
  verifyDays: form.verifyDays,
});

/** Undefined where no place is selected. */
export function testOf(form: BackupForm): BackupTestInput | undefined {
  const place = placeOf(form);
  return place === null ? undefined : { place, ...passphraseOf(form) };
}
