import type { FormValues } from "../../lib/form-schema.ts";
import type { Step } from "../pipelines/pipelines-api.ts";
import { type StepDraft, draftOf as stepDraftOf, stepOf } from "../pipelines/step-form.ts";
import { TARGET_TYPES, type TargetType, targetDefaults, targetInput } from "./target-fields.ts";
import type { Uplink, UplinkFields } from "./uplinks-api.ts";

export interface UplinkDraft {
  readonly name: string;
  readonly type: TargetType;
  readonly target: FormValues;
  readonly start: "NOW" | "BEGINNING";
  readonly content: Uplink["content"];
  readonly site: string;
  /** Names, one in each line or separated by commas; empty for all. */
  readonly deviceTypes: string;
  readonly deviceTags: string;
  readonly keys: string;
  /** undefined: all devices that the other fields select. */
  readonly deviceIds: readonly string[] | undefined;
  readonly steps: readonly StepDraft[];
  /** One `name=value` in each line. */
  readonly tags: string;
  readonly order: Uplink["order"];
  /** Text, because it may be empty: no limit. */
  readonly kilobytesPerSecond: string;
  readonly isLimitedInTime: boolean;
  /** `HH:MM` */
  readonly from: string;
  readonly to: string;
}

const MINUTES_PER_HOUR = 60;
const clockOf = (minutes: number): string =>
  [Math.floor(minutes / MINUTES_PER_HOUR) % 24, minutes % MINUTES_PER_HOUR]
    .map((part) => String(part).padStart(2, "0"))
    .join(":");
const minutesOf = (clock: string): number => {
  const [hours = 0, minutes = 0] = clock.split(":").map(Number);
  return hours * MINUTES_PER_HOUR + minutes;
};
const listOf = (text: string): string[] =>
  text
    .split(/[\n,]/)
    .map((name) => name.trim())
    .filter((name) => name !== "");

export function draftOf(uplink: Uplink | undefined): UplinkDraft {
  const type = TARGET_TYPES.find((name) => name === uplink?.target.type) ?? "LINESIDE";
  const { deviceIds = [], deviceTypes = [], deviceTags = [], keys = [] } = uplink?.selection ?? {};
  return {
    name: uplink?.name ?? "",
    type,
    target: uplink?.target ?? targetDefaults(type),
    start: "NOW",
    content: uplink?.content ?? { telemetry: true, attributes: true, alarms: true, devices: true },
    site: uplink?.site ?? "",
    deviceTypes: deviceTypes.join(", "),
    deviceTags: deviceTags.join(", "),
    keys: keys.join(", "),
    deviceIds: deviceIds.length === 0 ? undefined : deviceIds,
    steps: ((uplink?.steps ?? []) as Step[]).map(stepDraftOf) /* the server's own answer */,
    tags: Object.entries(uplink?.tags ?? {})
      .map(([name, value]) => `${name}=${value}`)
      .join("\n"),
    order: uplink?.order ?? "LIVE_FIRST",
    kilobytesPerSecond: uplink?.bytesPerSecond == null ? "" : String(uplink.bytesPerSecond / 1_000),
    isLimitedInTime: uplink?.window != null,
    from: clockOf(uplink?.window?.from ?? 22 * MINUTES_PER_HOUR),
    to: clockOf(uplink?.window?.to ?? 6 * MINUTES_PER_HOUR),
  };
}

/** Settings of the target, as the API takes them. */
export const targetOf = ({ type, target }: UplinkDraft): FormValues => targetInput(type, target);

export function fieldsOf(draft: UplinkDraft, before: Uplink | undefined): UplinkFields {
  const { name, site, content, order, kilobytesPerSecond, deviceIds = [] } = draft;
  const tags = draft.tags
    .split("\n")
    .map((line) => line.split("="))
    .flatMap(([tag = "", ...value]) => (tag.trim() === "" ? [] : [[tag.trim(), value.join("=").trim()]]));
  return {
    name: name.trim(),
    target: targetOf(draft) as Uplink["target"], // the API checks it
    ...(before === undefined && { start: draft.start }),
    site: site.trim(),
    content,
    order,
    selection: {
      deviceIds: [...deviceIds],
      deviceTypes: listOf(draft.deviceTypes),
      deviceTags: listOf(draft.deviceTags),
      keys: listOf(draft.keys),
    },
    steps: draft.steps.map(stepOf) as Uplink["steps"], // the API checks them
    tags: Object.fromEntries(tags),
    bytesPerSecond: kilobytesPerSecond === "" ? null : Math.round(Number(kilobytesPerSecond) * 1_000),
    window: draft.isLimitedInTime ? windowOf(draft, before) : null,
  };
}

const windowOf = ({ from, to }: UplinkDraft, before: Uplink | undefined): Uplink["window"] => ({
  timezone: before?.window?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
  days: before?.window?.days ?? ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"],
  from: minutesOf(from),
  to: minutesOf(to),
});
