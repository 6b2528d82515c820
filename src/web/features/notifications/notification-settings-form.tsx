import { useState } from "preact/hooks";
import { formSchema } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import { t } from "../../platform/i18n/i18n.ts";
import { Field } from "../../ui/form/field.tsx";
import type { ControlProps, FormDefinition } from "../../ui/form/form-definition.ts";
import type { NotificationSettings } from "./notifications-api.ts";

export const escalationForm: FormDefinition = {
  schema: formSchema("alarms/alarms.schemas.ts", "escalationBody"),
  texts: ["escalation"],
  fields: [["level1To2Minutes", "level2To3Minutes"], "stopOnAck", "stopOnClear"],
};

const schema = formSchema("notifications/notifications.schemas.ts", "changeSettingsBody");

export const generalForm: FormDefinition = {
  schema,
  texts: ["notifier", "messenger"],
  fields: [
    [
      { path: "language", isRequired: true },
      { path: "timezone", isRequired: true },
    ],
    [
      { path: "digestAfter", isRequired: true },
      { path: "digestMinutes", isRequired: true },
    ],
  ],
};

export const generalOf = ({ language, timezone, digestAfter, digestMinutes }: NotificationSettings) => ({
  language,
  timezone,
  digestAfter,
  digestMinutes,
});

/** Placeholder of a stored header value. */
export const KEPT = "••••••";

type HeaderMap = Readonly<Record<string, string | null>>;

export const linesOf = (headers: HeaderMap): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value ?? KEPT}`)
    .join("\n");

/** Parses headers from lines; undefined if a line has no name. */
export function headersOf(text: string): HeaderMap | undefined {
  const entries = text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const name = line.slice(0, Math.max(line.indexOf(":"), 0)).trim();
      const value = line.slice(line.indexOf(":") + 1).trim();
      return [name, value === KEPT ? null : value] as const;
    });
  return entries.some(([name]) => name === "") ? undefined : Object.fromEntries(entries);
}

function HeaderLines({ label, hint, value, onChange }: ControlProps) {
  const [text, setText] = useState(linesOf(value as HeaderMap)); // the type of the schema
  const problem = headersOf(text) === undefined ? t("notifier.headersWrong") : "";
  return (
    <Field label={label} hint={hint} error={problem || undefined}>
      <textarea
        class="textarea reading w-full"
        rows={3}
        spellcheck={false}
        ref={(area) => area?.setCustomValidity(problem)}
        value={text}
        onInput={(e) => {
          setText(e.currentTarget.value);
          onChange(headersOf(e.currentTarget.value) ?? value);
        }}
      />
    </Field>
  );
}

const reading = { class: "input reading w-full" };

/** Form of the HTTP gateway for messages to phones and chats. */
export const messagingForm: FormDefinition = {
  schema,
  texts: ["notifier"],
  fields: [
    { path: "messaging.url", input: { placeholder: "https://…", autocapitalize: "off", ...reading } },
    [
      { path: "messaging.method", isRequired: true },
      { path: "messaging.contentType", isRequired: true, input: reading },
    ],
    { path: "messaging.headers", control: HeaderLines },
    { path: "messaging.body", rows: 4 },
  ],
};
