import { t } from "elysia";
import { EMAIL_LENGTH_MAX, TEXT_FORMS } from "../../lib/core/text-forms.ts";
import { textSchema } from "../api/wire.schemas.ts";

const address = t.String({
  maxLength: EMAIL_LENGTH_MAX,
  pattern: TEXT_FORMS.mail_address,
  description: "an email address",
});

const server = {
  host: t.String({
    pattern: TEXT_FORMS.host,
    description: "name or address of the mail server",
  }),
  port: t.Integer({ minimum: 1, maximum: 65_535 }),
  security: t.Union([t.Literal("TLS"), t.Literal("STARTTLS"), t.Literal("OPTIONAL")], {
    description:
      "TLS: encrypted from the start (usually port 465). STARTTLS: requires encryption. OPTIONAL: encrypts if the server offers it.",
  }),
  acceptsAnyCertificate: t.Boolean({ description: "for a server with a certificate of its own" }),
  user: t.String({ maxLength: 256, description: "empty for a server without sign-in" }),
};

export const mailSettingsBody = t.Object(
  {
    server: t.Union([t.Object({ ...server, hasPassword: t.Boolean() }), t.Null()]),
    from: t.Union([t.String(), t.Null()], { description: "sender address; null for the default one" }),
    sender: t.Union([t.String(), t.Null()], {
      description: "address that mails come from; null without a server",
    }),
    fixed: t.Array(t.Union([t.Literal("smtp_url"), t.Literal("smtp_from")]), {
      description: "keys that the configuration sets, which has priority",
    }),
  },
  { title: "MailSettings" },
);

const input = {
  server: t.Optional(
    t.Union([
      t.Object({
        ...server,
        password: t.Optional(
          t.String({ maxLength: 1_024, description: "keeps the stored one if it is absent" }),
        ),
      }),
      t.Null(),
    ]),
  ),
  from: t.Optional(t.Union([address, t.Null()])),
};

export const mailSettingsInput = t.Object(input, { title: "MailSettingsInput" });

export const mailTestInput = t.Object({ ...input, to: address }, { title: "MailTestRequest" });

export const mailTestResponse = t.Object(
  {
    success: t.Boolean(),
    response: t.Optional(t.String({ description: "response of the mail server that took the mail" })),
    error: t.Optional(t.Intersect([textSchema, t.Object({ message: t.String() })])),
  },
  { title: "MailTestResult" },
);
