import { Elysia, t } from "elysia";
import { isJsonObject } from "../../lib/json/json.ts";
import { linkReporter } from "../api/report-refusal.ts";
import type { AuditContext } from "../audit/audit.types.ts";
import type { ReportRefusal } from "../faults/refusals.types.ts";
import type { AuthPlugin } from "./identity.plugin.ts";
import { setupRequestBody, signedInUser, tokenBody } from "./identity.schemas.ts";
import type { IdentityService } from "./identity.service.ts";
import { clientOf } from "./request-client.ts";
import type { SetupService } from "./setup.service.ts";

export const authRoutes = (deps: { identity: IdentityService; auth: AuthPlugin }) =>
  new Elysia({ prefix: "/api/auth", tags: ["auth"] })
    .use(deps.auth)
    .post(
      "/exchange",
      ({ body, request, server }) =>
        deps.identity.exchange(body.code, body.codeVerifier, clientOf(request, server)),
      {
        body: t.Object({
          code: t.String({
            minLength: 1,
            maxLength: 512,
            description: "authorization code from the identity provider",
          }),
          codeVerifier: t.Optional(
            t.String({
              maxLength: 512,
              description: "PKCE verifier, if the code was requested with a challenge",
            }),
          ),
        }),
        response: { 200: tokenBody },
        detail: {
          operationId: "exchangeCode",
          summary: "Exchange an authorization code for an access token",
          description: "The token is valid for 12 h.",
          errors: { 400: "The code is missing, unknown, used or expired." },
          example: { code: "5cX0p1…", codeVerifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk" },
        },
      },
    )
    .get("/me", ({ principal }) => deps.identity.me(principal), {
      auth: "self:read",
      response: { 200: signedInUser },
      detail: { operationId: "getCurrentUser", summary: "Get the signed-in user" },
    })
    .post("/refresh", ({ principal }) => deps.identity.refresh(principal), {
      auth: "session:use",
      audit: { none: "a session goes on" },
      response: { 200: tokenBody },
      detail: { operationId: "refreshAccessToken", summary: "Renew the access token of the session" },
    })
    .post(
      "/logout",
      ({ principal }) => {
        deps.identity.logout(principal);
        return { success: true };
      },
      {
        auth: "session:use",
        audit: { action: "session.end", target: "session" },
        response: { 200: t.Object({ success: t.Boolean() }) },
        detail: { operationId: "signOut", summary: "End the session" },
      },
    );

const impersonated = ({ body }: AuditContext): string =>
  isJsonObject(body) && typeof body.targetUserId === "string" ? body.targetUserId : "";

export const impersonationRoutes = (deps: { identity: IdentityService; auth: AuthPlugin }) => {
  const read = ({ principal }: AuditContext, id: string) => deps.identity.nameOf(principal, id);
  return new Elysia({ prefix: "/api/auth", tags: ["auth"] })
    .use(deps.auth)
    .post(
      "/impersonate",
      ({ principal, body, request, server }) =>
        deps.identity.impersonate(principal, body.targetUserId, clientOf(request, server)),
      {
        auth: "users:impersonate",
        audit: { action: "user.impersonate", target: "user", id: impersonated, read },
        body: t.Object({ targetUserId: t.String({ minLength: 1, maxLength: 64 }) }),
        response: { 200: tokenBody },
        detail: {
          operationId: "impersonateUser",
          summary: "Act as another user",
          description:
            "Creates a session with the permissions of that user, without devices that the caller does not see. It ends with the caller's session. The token's claim `imp` and the audit log name the caller.",
          errors: {
            400: "`targetUserId` is missing. There is no body.",
            403: "Requires an owner or administrator who does not already act as another user. Only owners can act as an owner.",
            404: "The user is unknown.",
            409: "The user is the caller or is disabled.",
          },
          example: { targetUserId: "01996d2e-5a3c-7b10-9c0e-3f1d2a4b5c6d" },
        },
      },
    );
};

export const setupRoutes = ({ setup, report }: { setup: SetupService; report: ReportRefusal }) => {
  const withLink = linkReporter(report, { code: "setup.link_invalid", reason: "setup_link_invalid" });
  return new Elysia({ prefix: "/api/setup", tags: ["setup"] })
    .get(
      "",
      (context) => {
        const { token } = context.query;
        return withLink(context, token, () => setup.getLink(token));
      },
      {
        query: t.Object({ token: t.String({ description: "secret of the setup link" }) }),
        response: { 200: t.Object({ valid: t.Boolean(), expiresAt: t.String() }) },
        detail: {
          operationId: "getSetup",
          summary: "Check a setup link",
          errors: { 404: "The link is unknown, used or expired." },
        },
      },
    )
    .post(
      "",
      async (context) => {
        const { body, set } = context;
        await withLink(context, body.token, () => setup.complete(body.token, body));
        set.status = 201;
        return { success: true };
      },
      {
        body: setupRequestBody,
        response: { 201: t.Object({ success: t.Boolean() }) },
        detail: {
          operationId: "createOwner",
          summary: "Create the first owner and tenant",
          description: "Works once, with the link that the first start prints.",
          errors: { 404: "The link is not valid.", 409: "A backup is being restored." },
          example: {
            token: "q2V5…",
            email: "ann@plant.example",
            password: "correct horse battery staple",
            fullName: "Ann Miller",
            tenantName: "Plant North",
          },
        },
      },
    );
};
