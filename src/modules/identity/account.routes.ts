import { Elysia, t } from "elysia";
import { preferredLanguage } from "../../lib/strings/preferred-language.ts";
import { iso } from "../../lib/time/iso-time.ts";
import { wholeList } from "../api/lists.ts";
import { successBody, wholeNumber } from "../api/wire.schemas.ts";
import type { AuditRule } from "../audit/audit.types.ts";
import type { AccountService } from "./account.service.ts";
import type { AuthPlugin } from "./identity.plugin.ts";
import { newSecondFactor, ownSession, recoveryCodesBody, securityBody } from "./identity.schemas.ts";

const sessionList = wholeList({
  sort: ["createdAt", "lastUsedAt", "expiresAt"],
  search: ["address", "userAgent"],
});
const password = t.String({ minLength: 1, maxLength: 1024 });
const ownPassword = t.Object({ password });
const THROTTLED = { 429: "There were too many wrong attempts. `Retry-After` says when to try again." };
const NOT_OWN = { 403: "The caller is an API key or acts as another user." };
const ELSEWHERE = { 409: "The user signs in with an external identity provider and has no password here." };

const sessionToWire = ({
  createdAt,
  lastUsedAt,
  expiresAt,
  ...session
}: ReturnType<AccountService["listSessions"]>[number]) => ({
  ...session,
  createdAt: iso(createdAt),
  lastUsedAt: iso(lastUsedAt),
  expiresAt: iso(expiresAt),
});

const onOneself = (action: string): AuditRule => ({
  action,
  target: "user",
  id: ({ principal }) => principal.userId,
});

/** Creates the routes for users' own accounts. */
export const accountRoutes = (deps: { account: AccountService; auth: AuthPlugin }) => {
  const { account } = deps;
  return new Elysia({ prefix: "/api/auth", tags: ["auth"] })
    .use(deps.auth)
    .post(
      "/password",
      async ({ principal, body, request }) => {
        const language = preferredLanguage(undefined, request.headers.get("accept-language"));
        await account.changePassword(principal, body, language);
        return { success: true };
      },
      {
        auth: "session:use",
        audit: onOneself("password.change"),
        body: t.Object({
          currentPassword: password,
          newPassword: t.String({ minLength: 1, maxLength: 1024, description: "10 to 256 characters" }),
        }),
        response: { 200: successBody },
        detail: {
          operationId: "changePassword",
          summary: "Change your password",
          description: "Ends the user's other sessions, and sends a mail that says so.",
          errors: {
            ...NOT_OWN,
            ...ELSEWHERE,
            ...THROTTLED,
            400: "The current password is wrong, or the new password is weak or the same.",
          },
          example: {
            currentPassword: "correct horse battery staple",
            newPassword: "a much longer passphrase",
          },
        },
      },
    )
    .get("/security", ({ principal }) => account.securityOf(principal), {
      auth: "session:use",
      response: { 200: securityBody },
      detail: { operationId: "getAccountSecurity", summary: "Get your security settings" },
    })
    .post("/second-factor", ({ principal, body }) => account.beginSecondFactor(principal, body.password), {
      auth: "session:use",
      audit: { none: "nothing is in effect before it is confirmed" },
      body: ownPassword,
      response: {
        200: newSecondFactor,
      },
      detail: {
        operationId: "beginSecondFactor",
        summary: "Start setting up a second factor (TOTP, RFC 6238)",
        description: "It takes effect when a code of the app has been confirmed.",
        errors: {
          ...NOT_OWN,
          ...THROTTLED,
          400: "The password is wrong.",
          409: "The second factor is already on, or the user signs in with an external identity provider.",
        },
        example: { password: "correct horse battery staple" },
      },
    })
    .post(
      "/second-factor/confirm",
      async ({ principal, body }) => ({
        recoveryCodes: await account.confirmSecondFactor(principal, body.code),
      }),
      {
        auth: "session:use",
        audit: onOneself("second_factor.enable"),
        body: t.Object({
          code: t.String({ minLength: 6, maxLength: 16, description: "6 digits of the app" }),
        }),
        response: { 200: recoveryCodesBody },
        detail: {
          operationId: "confirmSecondFactor",
          summary: "Enable the second factor",
          description: "Returns 10 recovery codes. Each works once, and they cannot be read again.",
          errors: {
            ...NOT_OWN,
            ...THROTTLED,
            400: "The code is wrong.",
            409: "The second factor is already on.",
          },
          example: { code: "123456" },
        },
      },
    )
    .post(
      "/second-factor/recovery-codes",
      async ({ principal, body }) => ({
        recoveryCodes: await account.renewRecoveryCodes(principal, body.password),
      }),
      {
        auth: "session:use",
        audit: onOneself("second_factor.renew_codes"),
        body: ownPassword,
        response: { 200: recoveryCodesBody },
        detail: {
          operationId: "renewRecoveryCodes",
          summary: "Create new recovery codes",
          description: "The previous ones stop working.",
          errors: {
            ...NOT_OWN,
            ...THROTTLED,
            400: "The password is wrong.",
            409: "The second factor is off.",
          },
          example: { password: "correct horse battery staple" },
        },
      },
    )
    .post(
      "/second-factor/disable",
      async ({ principal, body }) => {
        await account.endSecondFactor(principal, body.password);
        return { success: true };
      },
      {
        auth: "session:use",
        audit: onOneself("second_factor.disable"),
        body: ownPassword,
        response: { 200: successBody },
        detail: {
          operationId: "disableSecondFactor",
          summary: "Disable the second factor",
          description: "Inviting a user again disables it too.",
          errors: {
            ...NOT_OWN,
            ...THROTTLED,
            400: "The password is wrong.",
            409: "The second factor is off.",
          },
          example: { password: "correct horse battery staple" },
        },
      },
    )
    .get(
      "/sessions",
      ({ principal, query, request, set }) =>
        sessionList.page({ query, request, set }, account.listSessions(principal).map(sessionToWire)),
      {
        auth: "session:use",
        query: t.Object(sessionList.fields),
        response: { 200: t.Array(ownSession) },
        detail: {
          operationId: "listSessions",
          summary: "List your sessions",
          description: "The list includes sessions of administrators who act as the user.",
          errors: NOT_OWN,
        },
      },
    )
    .delete("/sessions", ({ principal }) => ({ success: true, ended: account.endOtherSessions(principal) }), {
      auth: "session:use",
      audit: onOneself("session.end_others"),
      response: { 200: t.Object({ success: t.Boolean(), ended: wholeNumber() }) },
      detail: {
        operationId: "endOtherSessions",
        summary: "End all your other sessions",
        errors: NOT_OWN,
      },
    })
    .delete(
      "/sessions/:sessionId",
      ({ principal, params }) => {
        account.endSession(principal, params.sessionId);
        return { success: true };
      },
      {
        auth: "session:use",
        audit: { action: "session.end", target: "session" },
        response: { 200: successBody },
        detail: {
          operationId: "endSession",
          summary: "End one of your sessions",
          description: "The session and its streams end immediately.",
          errors: { ...NOT_OWN, 404: "The session has ended or belongs to another user." },
        },
      },
    );
};
