import { Elysia } from "elysia";
import { inEnglish } from "../../lib/core/domain-error.ts";
import { isJsonObject } from "../../lib/json/json.ts";
import { preferredLanguage } from "../../lib/strings/preferred-language.ts";
import { newId } from "../../platform/core/ids.ts";
import { OPERATORS_ONLY } from "../api/operation-errors.ts";
import type { AuditContext } from "../audit/audit.types.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { ensureOperator } from "../tenants/tenants.errors.ts";
import type { TenantsService } from "../tenants/tenants.service.ts";
import type { MailService } from "./mail.service.ts";
import { MailRefusal, type MailTransport } from "./mail.types.ts";
import { renderMail } from "./mail-render.ts";
import {
  mailSettingsBody,
  mailSettingsInput,
  mailTestInput,
  mailTestResponse,
} from "./mail-settings.schemas.ts";
import type { MailSettings } from "./mail-settings.ts";

const FIXED = { 409: "The configuration sets one of the values." };

/** Sends a test mail and returns the server's response. */
async function sendTest(
  transport: MailTransport,
  { to, request, product }: { to: string; request: Request; product: string },
) {
  const language = preferredLanguage(undefined, request.headers.get("accept-language"));
  const test = { mailId: newId(), recipient: to, template: "mail_test", language, values: {} } as const;
  try {
    return { success: true, response: await transport.send(renderMail(test, product)) };
  } catch (error) {
    if (!(error instanceof MailRefusal)) throw error;
    return { success: false, error: { ...error.text, message: inEnglish(error.text) } };
  }
}

const toShown = (settings: MailSettings) => {
  const { fixed: keys, ...shown } = settings.shown();
  return { ...shown, fixed: [...keys] };
};

/** Creates the routes for the gateway's mail server, for its operators. */
export const mailSettingsRoutes = (deps: {
  settings: MailSettings;
  mail: Pick<MailService, "serverChanged">;
  product: () => string;
  tenants: Pick<TenantsService, "find">;
  auth: AuthPlugin;
}) => {
  const { settings, mail, tenants } = deps;
  return new Elysia({ prefix: "/api/gateway/mail", tags: ["gateway"] })
    .use(deps.auth)
    .get(
      "",
      ({ principal }) => {
        ensureOperator(tenants, principal);
        return toShown(settings);
      },
      {
        auth: "gateway:manage",
        response: { 200: mailSettingsBody },
        detail: {
          operationId: "getMailSettings",
          summary: "Get the mail server",
          description: "Without its password.",
          errors: OPERATORS_ONLY,
        },
      },
    )
    .put(
      "",
      ({ principal, body }) => {
        ensureOperator(tenants, principal);
        settings.save(body);
        mail.serverChanged();
        return toShown(settings);
      },
      {
        auth: "gateway:manage",
        audit: {
          action: "mail.configure",
          target: "gateway",
          id: () => "gateway",
          details: ({ response }: AuditContext) => response,
        },
        body: mailSettingsInput,
        response: { 200: mailSettingsBody },
        detail: {
          operationId: "setMailSettings",
          summary: "Change the mail server",
          description:
            "Takes effect immediately: mails of the last day that wait for a server are sent. The password is sealed and never returned.",
          errors: {
            ...FIXED,
            ...OPERATORS_ONLY,
            400: "`password` is required if `host` changes and `user` is set.",
          },
          example: {
            server: {
              host: "mail.plant.example",
              port: 587,
              security: "STARTTLS",
              acceptsAnyCertificate: false,
              user: "gateway",
              password: "correct horse battery staple",
            },
            from: "gateway@plant.example",
          },
        },
      },
    )
    .post(
      "/test",
      ({ principal, body, request }) => {
        ensureOperator(tenants, principal);
        const { to, ...input } = body;
        return sendTest(settings.transportFor(input), { to, request, product: deps.product() });
      },
      {
        auth: "gateway:manage",
        audit: {
          action: "mail.test",
          target: "gateway",
          id: () => "gateway",
          details: ({ body }: AuditContext) => (isJsonObject(body) ? { to: body.to } : undefined),
        },
        body: mailTestInput,
        response: { 200: mailTestResponse },
        detail: {
          operationId: "testMailSettings",
          summary: "Send a test mail",
          description:
            "Sends immediately, with the settings of the request in place of those that are stored. `success` is false when the mail server did not take it, with the reason in `error`.",
          errors: {
            ...OPERATORS_ONLY,
            409: "There is no mail server, or the configuration sets one of the values.",
          },
          example: {
            server: {
              host: "mail.plant.example",
              port: 587,
              security: "STARTTLS",
              acceptsAnyCertificate: false,
              user: "gateway",
              password: "correct horse battery staple",
            },
            to: "anna@plant.example",
          },
        },
      },
    );
};
