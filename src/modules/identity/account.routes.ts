import { Elysia, t } from "elysia";
import { preferredLanguage } from "../../lib/preferred-language.ts";
import type { AuditRule } from "../audit/audit.types.ts";
import { wholeList } from "../lists.ts";
import { successBody, wholeNumber } from "../wire.schemas.ts";
import type { AccountService } from "./account.service.ts";
import type { AuthPlugin } from "./identity.plugin.ts";
import { ownSession, recoveryCodesBody, securityBody } from "./identity.schemas.ts";

const sessionList = wholeList({
  sort: ["createdAt", "lastUsedAt", "expiresAt"],
  search: ["address", "userAgent"],
});
const password = t.String({ minLength: 1, maxLength: 1024 });
const ownPassword = t.Object({ password });
const throttled = "429 with Retry-After after too many wrong ones";
const notOwn = "403 for an API key, and for somebody who acts as another user";
const elsewhere = "409 for people of an external identity provider, who have no password here";

const iso = (time: number) => new Date(time).toISOString();
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

/** Routes of users' own accounts. */
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
          summary: "Change the own password",
          description: `Ends the user's other sessions, and sends a mail that says so. 400 for a wrong current password and for a new one that is weak or the same; ${notOwn}; ${elsewhere}; ${throttled}.`,
        },
      },
    )
    .get("/security", ({ principal }) => account.securityOf(principal), {
      auth: "session:use",
      response: { 200: securityBody },
      detail: { summary: "How the own account is secured" },
    })
    .post("/second-factor", ({ principal, body }) => account.beginSecondFactor(principal, body.password), {
      auth: "session:use",
      audit: { none: "nothing is in effect before it is confirmed" },
      body: ownPassword,
      response: {
        200: t.Object({
          secret: t.String({ description: "base32, to type into an authenticator app" }),
          uri: t.String({ description: "otpauth://…" }),
          qrSvg: t.String({ description: "the same as a picture" }),
        }),
      },
      detail: {
        summary: "Begin to set up a second factor (TOTP, RFC 6238)",
        description: `In effect once a code of the app has been confirmed. 400 for a wrong password; ${notOwn}; 409 when it is on already; ${elsewhere}; ${throttled}.`,
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
          summary: "Turn the second factor on",
          description: `Answers 10 recovery codes, each good once, which cannot be read again. 400 for a wrong code; ${notOwn}; 409 when it is on already; ${throttled}.`,
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
          summary: "Make new recovery codes",
          description: `Those before stop working. 400 for a wrong password; ${notOwn}; 409 when the second factor is off; ${throttled}.`,
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
          summary: "Turn the second factor off",
          description: `400 for a wrong password; ${notOwn}; 409 when it is off; ${throttled}. An administrator who invites a user again turns it off too.`,
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
          summary: "Where one is signed in",
          description: `Also from where an administrator acts as the user. ${notOwn}.`,
        },
      },
    )
    .delete("/sessions", ({ principal }) => ({ success: true, ended: account.endOtherSessions(principal) }), {
      auth: "session:use",
      audit: onOneself("session.end_others"),
      response: { 200: t.Object({ success: t.Boolean(), ended: wholeNumber() }) },
      detail: { summary: "Sign out everywhere else", description: `${notOwn}.` },
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
          summary: "End a session of one's own",
          description: `At once, with the streams that run under it. ${notOwn}; 404 for one that is not the caller's, or has ended.`,
        },
      },
    );
};
