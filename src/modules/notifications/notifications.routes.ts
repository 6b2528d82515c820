import { Elysia } from "elysia";
import { defined } from "../../lib/core/defined.ts";
import { detail, inEnglish } from "../../lib/core/domain-error.ts";
import type { AuditContext } from "../audit/audit.types.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { ensureAllDevices, ensurePersonSets } from "../tenants/tenants.errors.ts";
import { showMessaging } from "./messaging-settings.ts";
import { changeSettingsBody, settingsBody, testBody, testResult } from "./notifications.schemas.ts";
import type { NotificationsService, TestResult } from "./notifications.service.ts";
import type { NotificationSettings } from "./notifications.types.ts";

const settingsId = ({ principal }: AuditContext) => principal.tenantId;
const testDetails = ({ body }: AuditContext) => body;

const testToWire = ({ text, ...result }: TestResult) => ({ ...result, ...text, message: inEnglish(text) });

/** Creates the routes for the tenant's notification settings, and for a test to the caller. Each user's own settings belong to the user. */
export const notificationsRoutes = (deps: { notifications: NotificationsService; auth: AuthPlugin }) => {
  const { notifications } = deps;
  const show = (settings: NotificationSettings) => ({
    ...settings,
    messaging: showMessaging(settings.messaging),
    mailDelivering: notifications.isMailDelivering(),
  });
  const read = ({ principal }: AuditContext) => show(notifications.settingsOf(principal.tenantId));
  return new Elysia({ prefix: "/api/notifications", tags: ["alarms"] })
    .use(deps.auth)
    .get("/settings", ({ principal }) => show(notifications.settingsOf(principal.tenantId)), {
      auth: "alarms:escalation",
      response: { 200: settingsBody },
      detail: { operationId: "getNotificationSettings", summary: "Get the notification settings" },
    })
    .patch(
      "/settings",
      ({ principal, body }) => {
        ensureAllDevices(principal, detail("action.change_alarm_notifications"));
        const { messaging } = notifications.settingsOf(principal.tenantId);
        ensurePersonSets(principal, [body.messaging?.url], [messaging?.url]);
        return show(notifications.saveSettings(principal.tenantId, defined(body)));
      },
      {
        auth: "alarms:escalation",
        audit: { action: "notifications.settings", target: "notification_settings", id: settingsId, read },
        body: changeSettingsBody,
        response: { 200: settingsBody },
        detail: {
          operationId: "updateNotificationSettings",
          summary: "Change the notification settings",
          description:
            "Missing fields stay as they are. `messaging` is replaced as a whole; null disables text messages. Requests to the messaging gateway go through the delivery queue: at least once, with retries for 24 hours, and only to addresses that the gateway may reach.",
          errors: {
            400: "A field is invalid; the message names it.",
            403: "Requires an owner or administrator with access to all devices.",
          },
          example: { language: "en", timezone: "Europe/Berlin", digestAfter: 5 },
        },
      },
    )
    .post(
      "/test",
      async ({ principal, body }) => testToWire(await notifications.test(principal, body.channel)),
      {
        auth: "notifications:test",
        audit: {
          action: "notifications.test",
          target: "notification_settings",
          id: settingsId,
          details: testDetails,
        },
        body: testBody,
        response: { 200: testResult },
        detail: {
          operationId: "testNotification",
          summary: "Send a test notification to the caller",
          description:
            "Sends it to the caller's own email address or phone number and returns the result. If sending fails, `success` is false and the response says why.",
          errors: {
            429: "The caller sent 10 tests within 10 minutes. `Retry-After` says when to try again.",
          },
          example: { channel: "email" },
        },
      },
    );
};
