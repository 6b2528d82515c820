import { t } from "elysia";
import { TEXT_FORMS } from "../../lib/core/text-forms.ts";
import { textFields } from "../api/wire.schemas.ts";
import { PLACEHOLDER_NAMES, PLACEHOLDER_USES_MAX } from "./message-template.ts";

const URL_MAX = 2_048;
const BODY_MAX = 8_192;
const HEADER_MAX = 4_096;
const HEADERS_MAX = 30;

const PLACEHOLDERS = `${PLACEHOLDER_NAMES.map((name) => `\${${name}}`).join(" ")} (each at most ${PLACEHOLDER_USES_MAX} times)`;
const language = t.Union([t.Literal("en"), t.Literal("de")]);
const method = t.Union([t.Literal("POST"), t.Literal("PUT"), t.Literal("PATCH")]);
const headers = t.Record(
  t.String({ maxLength: 128 }),
  t.Union([t.String({ maxLength: HEADER_MAX }), t.Null()]),
  {
    maxProperties: HEADERS_MAX,
    description:
      "name to value; values of those like Authorization or X-Api-Key are kept sealed and read as null, which, sent back, keeps them",
  },
);
const url = t.String({
  minLength: 1,
  maxLength: URL_MAX,
  description: `http or https; may have ${PLACEHOLDERS}`,
});
const contentType = t.String({ maxLength: 128, pattern: TEXT_FORMS.content_type });
const body = t.String({
  maxLength: BODY_MAX,
  description: `may have ${PLACEHOLDERS}, written as the content type has it: escaped in JSON, encoded in forms`,
});

const fields = {
  language,
  timezone: t.String({
    maxLength: 64,
    description: "time zone of the times in mails, for example Europe/Berlin",
  }),
  digestAfter: t.Integer({
    minimum: 1,
    maximum: 100,
    description:
      "number of single notifications to a user within the window; the others are sent as one digest",
  }),
  digestMinutes: t.Integer({ minimum: 1, maximum: 60, description: "how long the window is" }),
};

export const settingsBody = t.Object(
  {
    ...fields,
    messaging: t.Union([t.Object({ url, method, headers, contentType, body }), t.Null()], {
      description: "null if no messaging gateway is set up",
    }),
    mailDelivering: t.Boolean({
      description: "false if no mail server is configured, so that nobody is notified by email",
    }),
  },
  { title: "NotificationSettings" },
);

export const changeSettingsBody = t.Object(
  {
    language: t.Optional(language),
    timezone: t.Optional(fields.timezone),
    digestAfter: t.Optional(fields.digestAfter),
    digestMinutes: t.Optional(fields.digestMinutes),
    messaging: t.Optional(
      t.Union([
        t.Object({
          url,
          method: t.Optional(method),
          headers: t.Optional(headers),
          contentType: t.Optional(contentType),
          body,
        }),
        t.Null(),
      ]),
    ),
  },
  { title: "UpdateNotificationSettings" },
);

export const testBody = t.Object(
  { channel: t.Union([t.Literal("email"), t.Literal("messaging")]) },
  { title: "NotificationTest" },
);

export const testResult = t.Object(
  {
    success: t.Boolean(),
    message: t.String({ description: "the text of the code in English" }),
    ...textFields,
    status: t.Optional(t.Number({ description: "status of the messaging gateway's response" })),
    response: t.Optional(
      t.String({
        description:
          "the first 200 printable characters of its response, shown only to the owner of the gateway's own site",
      }),
    ),
  },
  { title: "NotificationTestResult" },
);
