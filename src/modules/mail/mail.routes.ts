import { Elysia, t } from "elysia";
import { detail, inEnglish } from "../../lib/core/domain-error.ts";
import { isJsonObject } from "../../lib/json/json.ts";
import { iso } from "../../lib/time/iso-time.ts";
import { mapRows } from "../../platform/database/row-list.ts";
import type { ResponseSpace } from "../../platform/load/response-space.ts";
import { sendPage, toPage } from "../api/lists.ts";
import type { AuditContext } from "../audit/audit.types.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { ensureAllDevices } from "../tenants/tenants.errors.ts";
import type { TenantsService } from "../tenants/tenants.service.ts";
import type { Principal } from "../users/users.types.ts";
import { listedMail, listMailsQuery, mailBody } from "./mail.schemas.ts";
import type { MailService, OutgoingOutboxMail } from "./mail.service.ts";

const toListed = (mail: OutgoingOutboxMail) => ({
  mailId: mail.mailId,
  to: mail.recipient,
  subject: mail.content.subject,
  template: mail.template,
  language: mail.language,
  state: mail.state,
  attempts: mail.attempts,
  ...(mail.state === "QUEUED" && { nextAttemptAt: iso(mail.dueAt) }),
  ...(mail.lastError !== null && { lastError: inEnglish(mail.lastError), lastErrorText: mail.lastError }),
  createdAt: iso(mail.createdAt),
  ...(mail.sentAt !== null && { sentAt: iso(mail.sentAt) }),
});

const toWire = (mail: OutgoingOutboxMail) => ({
  ...toListed(mail),
  text: mail.content.text,
  html: mail.content.html,
});

const toWhom = ({ response }: AuditContext) =>
  isJsonObject(response) ? { to: response.to, subject: response.subject } : undefined;

const OWNERS_ONLY = { 403: "Requires an owner, because a mail may give access to an account." };
const OF_GATEWAY =
  "The owner of the gateway's own tenant also sees mails to people without a tenant (sign-up).";

export const outboxRoutes = (deps: {
  mail: MailService;
  tenants: Pick<TenantsService, "find">;
  responses: ResponseSpace;
  auth: AuthPlugin;
}) => {
  const { mail } = deps;
  const scopeOf = (principal: Principal) => {
    ensureAllDevices(principal, detail("action.see_outbox"));
    const { tenantId } = principal;
    return { tenantId, includesStrangers: deps.tenants.find(tenantId)?.isHost ?? false };
  };
  return new Elysia({ prefix: "/api/outbox", tags: ["outbox"] })
    .use(deps.auth)
    .get(
      "",
      ({ principal, query, request }) => {
        const page = toPage(query);
        const found = mail.list(scopeOf(principal), { ...query, ...page });
        return sendPage({ request, responses: deps.responses }, page, mapRows(found, toListed));
      },
      {
        auth: "outbox:manage",
        query: listMailsQuery,
        response: { 200: t.Array(listedMail) },
        detail: {
          operationId: "listMails",
          summary: "List mails, the newest first",
          description: `${OF_GATEWAY}`,
          errors: OWNERS_ONLY,
        },
      },
    )
    .get("/:mailId", ({ principal, params }) => toWire(mail.get(scopeOf(principal), params.mailId)), {
      auth: "outbox:manage",
      response: { 200: mailBody },
      detail: {
        operationId: "getMail",
        summary: "Read an email",
        description: `${OF_GATEWAY}`,
        errors: { ...OWNERS_ONLY, 404: "The mail is unknown." },
      },
    })
    .post(
      "/:mailId/retry",
      ({ principal, params }) => toWire(mail.retry(scopeOf(principal), params.mailId)),
      {
        auth: "outbox:manage",
        audit: {
          action: "mail.retry",
          target: "mail",
          details: toWhom,
        },
        response: { 200: mailBody },
        detail: {
          operationId: "retryMail",
          summary: "Send a mail now",
          description: `Sends a failed or waiting mail, too. ${OF_GATEWAY}`,
          errors: {
            ...OWNERS_ONLY,
            404: "The mail is unknown.",
            409: "The mail was sent, its code or password has expired, or no SMTP server is configured.",
          },
        },
      },
    );
};
