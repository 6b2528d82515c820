import { t } from "elysia";
import { ALARM_SEVERITIES } from "../../lib/alarms/severity.ts";
import { TEXT_FORMS } from "../../lib/core/text-forms.ts";
import {
  choice,
  isoTime,
  lineText,
  literals,
  nameText,
  severityInput,
  textFields,
  textSchema,
  wholeNumber,
} from "../api/wire.schemas.ts";
import { MESSENGER_KINDS, RULE_SCOPES } from "./messengers.types.ts";
import { NOTIFICATION_TRIGGERS } from "./notifications.types.ts";

const LANGUAGES = ["en", "de"] as const;

const fields = {
  isEnabled: t.Optional(t.Boolean({ description: "true by default" })),
  ruleScope: t.Optional(
    literals(RULE_SCOPES, {
      description:
        "ALL (default): alarms of rules without `recipientIds` and of rules that name the messenger there; NAMED: only the latter",
    }),
  ),
  language: t.Optional(literals(LANGUAGES, { description: "by default that of the notification settings" })),
  severities: t.Optional(
    t.Array(severityInput, { maxItems: ALARM_SEVERITIES.length, description: "all by default" }),
  ),
  triggers: t.Optional(
    t.Array(literals(NOTIFICATION_TRIGGERS), {
      maxItems: NOTIFICATION_TRIGGERS.length,
      description: "events of alarms that are sent; all by default",
    }),
  ),
  server: t.Optional(
    lineText(
      512,
      "TELEGRAM, NTFY and GOTIFY: address of the server; by default https://api.telegram.org and https://ntfy.sh",
    ),
  ),
  chatId: t.Optional(lineText(128, "TELEGRAM: id of the chat, or @name of a public channel")),
  topic: t.Optional(
    t.String({ maxLength: 64, pattern: TEXT_FORMS.ntfy_topic, description: "NTFY: the topic" }),
  ),
  secret: t.Optional(
    lineText(
      2_048,
      "TELEGRAM: token of the bot; TEAMS and SLACK: the webhook address; NTFY: access token, if the topic needs one; GOTIFY: token of the application. It is sealed and never returned. If it is left out, it stays, unless the server is another one",
    ),
  ),
};
const kind = literals(MESSENGER_KINDS, { description: MESSENGER_KINDS.join(", ") });
const name = nameText(100);

export const createMessengerBody = t.Object({ name, kind, ...fields }, { title: "CreateMessenger" });
export const updateMessengerBody = t.Object(
  { name: t.Optional(name), kind: t.Optional(kind), ...fields },
  { title: "UpdateMessenger" },
);

export const messengerBody = t.Object(
  {
    messengerId: t.String(),
    name: t.String(),
    kind: choice(MESSENGER_KINDS),
    isEnabled: t.Boolean(),
    ruleScope: choice(RULE_SCOPES),
    language: choice(LANGUAGES),
    severities: t.Array(choice(ALARM_SEVERITIES)),
    triggers: t.Array(choice(NOTIFICATION_TRIGGERS)),
    server: t.String({ description: "TEAMS and SLACK: only the origin of the webhook address" }),
    chatId: t.String(),
    topic: t.String(),
    hasSecret: t.Boolean(),
    delivery: t.Object(
      {
        sent: wholeNumber(),
        waiting: wholeNumber(),
        failed: wholeNumber({ description: "messages that were given up" }),
        lastSentAt: t.Optional(isoTime),
        lastError: t.Optional(textSchema),
        lastErrorAt: t.Optional(isoTime),
      },
      { description: "what became of the messages so far" },
    ),
    createdAt: isoTime,
    updatedAt: isoTime,
  },
  { title: "Messenger" },
);

export const messengerTestBody = t.Object(
  {
    success: t.Boolean(),
    message: t.String({ description: "the text of the code in English" }),
    ...textFields,
    status: t.Optional(t.Number({ description: "status of the response of the service" })),
  },
  { title: "MessengerTestResult" },
);
