import { useState } from "preact/hooks";
import { formSchema } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import type { FormValues } from "../../lib/form-schema.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { Checkbox } from "../../ui/form/choice.tsx";
import { CommaList } from "../../ui/form/comma-list.tsx";
import type { ControlProps, FormDefinition } from "../../ui/form/form-definition.ts";
import { TextAreaField } from "../../ui/form/text-area-field.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { DeviceScope } from "../devices/device-scope.tsx";
import type { Uplink } from "./uplinks-api.ts";

/** All devices that the other fields select, or some of them by name. */
function Devices({ label, value, onChange }: ControlProps) {
  const deviceIds = value as readonly string[]; // the type of the schema
  const [isSome, setSome] = useState(deviceIds.length > 0);
  return (
    <DeviceScope
      title={label}
      all={[t("uplink.allDevices")]}
      some={[t("uplink.someDevices")]}
      selected={isSome ? deviceIds : undefined}
      onChange={(selected) => {
        setSome(selected !== undefined);
        onChange(selected ?? []);
      }}
      problem={isSome && deviceIds.length === 0 ? t("uplink.noDeviceSelected") : undefined}
    />
  );
}

/** Tags as lines of `name=value`. */
function TagLines({ label, hint, value, onChange }: ControlProps) {
  const [text, setText] = useState(() =>
    Object.entries(value as Readonly<Record<string, string>>) // the type of the schema
      .map(([name, tag]) => `${name}=${tag}`)
      .join("\n"),
  );
  return (
    <TextAreaField
      label={label}
      hint={hint}
      rows={2}
      value={text}
      onText={(lines) => {
        setText(lines);
        const tags = lines
          .split("\n")
          .map((line) => line.split("="))
          .flatMap(([tag = "", ...rest]) => (tag.trim() === "" ? [] : [[tag.trim(), rest.join("=").trim()]]));
        onChange(Object.fromEntries(tags));
      }}
    />
  );
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

const nightly = (): Uplink["window"] => ({
  timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  days: ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"],
  from: 22 * MINUTES_PER_HOUR,
  to: 6 * MINUTES_PER_HOUR,
});

/** Time of day in which an uplink sends. */
function SendWindow({ label, value, onChange }: ControlProps) {
  const sendWindow = value as Uplink["window"]; // the type of the schema
  return (
    <>
      <Checkbox checked={sendWindow !== null} onCheck={(isOn) => onChange(isOn ? nightly() : null)}>
        {label}
      </Checkbox>
      {sendWindow && (
        <div class="grid gap-4 sm:grid-cols-2">
          {(["from", "to"] as const).map((name) => (
            <TextField
              key={name}
              label={t(`uplink.${name}`)}
              type="time"
              required
              value={clockOf(sendWindow[name])}
              onText={(clock) => clock !== "" && onChange({ ...sendWindow, [name]: minutesOf(clock) })}
            />
          ))}
        </div>
      )}
    </>
  );
}

const schema = formSchema("uplinks/uplinks.schemas.ts", "createUplinkBody", [
  "name",
  "start",
  "content",
  "selection",
  "site",
  "order",
  "bytesPerSecond",
  "tags",
  "window",
]);
const TEXTS = ["uplinkSettings"];

export const nameForm: FormDefinition = {
  schema,
  texts: TEXTS,
  fields: [{ path: "name", input: { pattern: "^\\s*\\S.*" } }],
};

/** Data that an uplink sends. */
export const contentForm: FormDefinition = {
  schema,
  texts: TEXTS,
  fields: [
    ["content.telemetry", "content.attributes", "content.alarms", "content.devices"],
    { path: "start", isRadio: true, when: ({ isNew }) => isNew === true },
    { path: "selection.deviceIds", control: Devices },
    ["deviceTypes", "deviceTags", "keys"].map((name) => ({
      path: `selection.${name}`,
      control: CommaList,
    })),
  ],
};

/** How and when an uplink sends. */
export const sendingForm: FormDefinition = {
  schema,
  texts: TEXTS,
  fields: [
    ["site", { path: "order", isRequired: true }],
    [
      { path: "bytesPerSecond", scale: 0.001 },
      { path: "tags", control: TagLines },
    ],
    { path: "window", control: SendWindow },
  ],
};

export const uplinkForm: FormDefinition = {
  schema,
  texts: TEXTS,
  fields: [...nameForm.fields, ...contentForm.fields, ...sendingForm.fields],
};

export const valuesOf = (uplink: Uplink | undefined): FormValues => ({
  isNew: uplink === undefined,
  name: uplink?.name ?? "",
  start: "NOW",
  content: uplink?.content ?? { telemetry: true, attributes: true, alarms: true, devices: true },
  selection: { deviceIds: [], deviceTypes: [], deviceTags: [], keys: [], ...uplink?.selection },
  site: uplink?.site ?? "",
  order: uplink?.order ?? "LIVE_FIRST",
  bytesPerSecond: uplink?.bytesPerSecond ?? null,
  tags: uplink?.tags ?? {},
  window: uplink?.window ?? null,
});
