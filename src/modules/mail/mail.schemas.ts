import { t } from "elysia";
import { newestFirst, pageQuery, searchQuery } from "../api/lists.schemas.ts";
import { textSchema } from "../api/wire.schemas.ts";

const state = (description: string) =>
  t.Union([t.Literal("QUEUED"), t.Literal("SENT"), t.Literal("FAILED"), t.Literal("HELD")], { description });

export const listMailsQuery = t.Object({
  ...pageQuery,
  search: searchQuery(["the recipient's address"]),
  sort: newestFirst,
  state: t.Optional(state("only mails in this state")),
});

const listed = {
  mailId: t.String(),
  to: t.String(),
  subject: t.String(),
  template: t.String(),
  language: t.String(),
  state: state("HELD: no SMTP server is configured, so the mail waits to be read here"),
  attempts: t.Integer(),
  nextAttemptAt: t.Optional(t.String({ description: "time of the next attempt of a queued mail" })),
  lastError: t.Optional(t.String({ description: "reason why the newest attempt failed" })),
  lastErrorText: t.Optional(textSchema),
  createdAt: t.String(),
  sentAt: t.Optional(t.String()),
};

export const listedMail = t.Object(listed, { title: "ListedMail" });
export const mailBody = t.Object(
  {
    ...listed,
    text: t.String({ description: "plain text; codes and passwords are taken out once sent or expired" }),
    html: t.String(),
  },
  { title: "Mail" },
);
