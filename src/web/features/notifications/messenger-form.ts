import { severitiesDescending } from "../../../lib/alarms/severity.ts";
import { formSchema } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import type { FormValues } from "../../lib/form-schema.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { language } from "../../platform/preferences.ts";
import type { FieldEntry, FormDefinition } from "../../ui/form/form-definition.ts";
import type { Messenger, MessengerKind } from "./messengers-api.ts";

const schema = formSchema("notifications/messengers.schemas.ts", "createMessengerBody");
const reading = { class: "input reading w-full" };

/** Public servers of services. */
const SERVERS: Readonly<Partial<Record<MessengerKind, string>>> = {
  TELEGRAM: "https://api.telegram.org",
  NTFY: "https://ntfy.sh",
};

/** Fields for each service. Teams and Slack have their server in the address, which is the secret. */
const serviceFields: Readonly<Record<MessengerKind, readonly FieldEntry[]>> = {
  TELEGRAM: [{ path: "chatId", isRequired: true, input: reading }],
  NTFY: [{ path: "topic", isRequired: true, input: reading }],
  GOTIFY: [],
  TEAMS: [],
  SLACK: [],
};
const isWebhook = ({ kind }: FormValues) => kind === "TEAMS" || kind === "SLACK";

const kindOf = (values: FormValues) => values.kind as MessengerKind; // a choice of the schema

export function serviceForm(values: FormValues): FormDefinition {
  const kind = kindOf(values);
  return {
    schema,
    texts: [`messenger.${kind}`, "messenger"],
    fields: [
      ["kind", "name"],
      {
        path: "secret",
        ...(kind !== "NTFY" && { isRequired: true }),
        input: { type: "password", autocomplete: "off", ...reading },
      },
      ...serviceFields[kind],
      {
        path: "server",
        isRequired: true,
        when: (entered) => !isWebhook(entered),
        input: { type: "url", placeholder: "https://…", ...reading },
      },
    ],
  };
}

/** Form for the alarms and the language of a messenger. */
export const alarmsForm: FormDefinition = {
  schema,
  texts: ["messenger"],
  fields: [
    { path: "ruleScope", isRequired: true },
    {
      path: "severities",
      optionText: (option) => t(`severity.${option as Messenger["severities"][number]}`),
    },
    "triggers",
    [{ path: "language", isRequired: true }, "isEnabled"],
  ],
};

export const messengerForm = (values: FormValues): FormDefinition => {
  const service = serviceForm(values);
  return { ...service, fields: [...service.fields, ...alarmsForm.fields] };
};

export const newMessenger = (): FormValues => ({
  name: "",
  kind: "TELEGRAM",
  isEnabled: true,
  ruleScope: "ALL",
  language: language.value,
  severities: [...severitiesDescending],
  triggers: ["CREATED", "ESCALATED", "CLEARED"],
  server: SERVERS.TELEGRAM,
});

export const valuesOf = ({ hasSecret, ...messenger }: Messenger): FormValues => ({
  ...messenger,
  ...(hasSecret && { secret: { kept: true } }),
});

/** Returns the values for another service, with its own server and without the secret. */
export const withService = (before: FormValues, after: FormValues): FormValues =>
  kindOf(before) === kindOf(after) ? after : { ...after, server: SERVERS[kindOf(after)] ?? "", secret: "" };

/** Returns the body of the request without a stored secret or one that was not entered. */
export function messengerInput({ secret, ...input }: FormValues): FormValues {
  return typeof secret === "string" && secret.trim() !== "" ? { ...input, secret: secret.trim() } : input;
}
