import { Elysia, t } from "elysia";
import { TEXT_FORMS } from "../../lib/core/text-forms.ts";
import { preferredLanguage } from "../../lib/strings/preferred-language.ts";
import type { PeerServer } from "../api/request-peer.ts";
import { successBody, wholeNumber } from "../api/wire.schemas.ts";
import type { AuditContext } from "../audit/audit.types.ts";
import type { AuthPlugin } from "./identity.plugin.ts";
import { emailText, oneLine, signedInUser } from "./identity.schemas.ts";
import type { IdentityService } from "./identity.service.ts";
import type { OnboardingService } from "./onboarding.service.ts";
import { clientOf } from "./request-client.ts";
import type { SignUpContext, SignUpService } from "./sign-up.service.ts";

const password = t.String({ minLength: 1, maxLength: 1024, description: "10 to 256 characters" });
const planId = t.String({
  minLength: 1,
  maxLength: 64,
  description: "id of a plan that /api/plans lists",
});
const role = t.Union(
  [
    t.Literal("TENANT_OWNER"),
    t.Literal("TENANT_ADMIN"),
    t.Literal("TENANT_RW"),
    t.Literal("TENANT_READ_ONLY"),
  ],
  { description: "TENANT_OWNER, TENANT_ADMIN, TENANT_RW or TENANT_READ_ONLY" },
);

const CLOSED_ERROR = {
  403: "Sign-up is closed (`signup`), or the gateway does not have its first owner yet.",
};
const LIMITS_ERROR = {
  429: "Too many mails were requested: for an address one per minute, 5 sign-ups and 5 repeats per hour, and 20 in total per day; from a host some dozens per hour. `Retry-After` says when to try again.",
};

const asAnswered = ({ response }: AuditContext) => response;

export const signUpRoutes = (deps: {
  signUp: SignUpService;
  onboarding: OnboardingService;
  identity: Pick<IdentityService, "me">;
  /** Returns the base URL of links in mails. */
  mailOriginFor: (request: Request) => string;
  auth: AuthPlugin;
}) => {
  const contextOf = (request: Request, server: PeerServer | null): SignUpContext => ({
    address: clientOf(request, server).address,
    language: preferredLanguage(undefined, request.headers.get("accept-language")),
    origin: deps.mailOriginFor(request),
  });
  return new Elysia({ prefix: "/api/auth", tags: ["auth"] })
    .use(deps.auth)
    .post(
      "/signup",
      async ({ body, request, server }) => ({
        success: true,
        ...(await deps.signUp.signUp(body, contextOf(request, server))),
      }),
      {
        body: t.Object({ email: emailText, password, fullName: oneLine, planId }),
        response: {
          200: t.Object({
            success: t.Boolean(),
            expiresInSeconds: wholeNumber({ description: "lifetime of the code, 600" }),
          }),
        },
        detail: {
          operationId: "signUp",
          summary: "Sign up and get a one-time code by mail",
          description:
            "The mail is in the language of Accept-Language (English or German). The response is the same for known and unknown addresses; a known address gets a mail that says so instead of a code. The identity provider keeps only a hash of the password, and nobody can sign in with the password before the code is confirmed. Send the same password to verify-otp.",
          errors: {
            ...CLOSED_ERROR,
            ...LIMITS_ERROR,
            400: "A field is missing or invalid, the plan is unknown, or the password is weak.",
          },
          example: {
            email: "ann@plant.example",
            password: "correct horse battery staple",
            fullName: "Ann Miller",
            planId: "basic",
          },
        },
      },
    )
    .post(
      "/resend-otp",
      ({ body, request, server }) => {
        deps.signUp.resend(body.email, contextOf(request, server));
        return { success: true };
      },
      {
        body: t.Object({ email: emailText }),
        response: { 200: successBody },
        detail: {
          operationId: "resendOneTimeCode",
          summary: "Send a new one-time code",
          description:
            "The previous code stops working. If no sign-up waits for a code, the response is the same and no mail is sent.",
          errors: { ...CLOSED_ERROR, ...LIMITS_ERROR, 400: "The email is missing or invalid." },
          example: { email: "ann@plant.example" },
        },
      },
    )
    .post(
      "/verify-otp",
      async ({ body, request, server }) => {
        const { planId, fullName } = await deps.signUp.verify(body, contextOf(request, server));
        return { success: true, planId, fullName, emailVerified: true };
      },
      {
        body: t.Object({
          email: emailText,
          otp: t.String({ pattern: TEXT_FORMS.one_time_code, description: "the 6 digits of the mail" }),
          password,
        }),
        response: {
          200: t.Object({
            success: t.Boolean(),
            planId: t.String(),
            fullName: t.String(),
            emailVerified: t.Boolean(),
          }),
        },
        detail: {
          operationId: "verifyOneTimeCode",
          summary: "Confirm the one-time code",
          description:
            "The password must be the one given at sign-up. A code is valid for 10 minutes and 5 attempts. Next: sign in at /idp/authorize, exchange, onboarding.",
          errors: {
            ...CLOSED_ERROR,
            400: "The code is wrong, expired or was tried too often, or the password is wrong, which also counts as an attempt.",
            429: "Too many attempts came from the address. `Retry-After` says when to try again.",
          },
          example: { email: "ann@plant.example", otp: "123456", password: "correct horse battery staple" },
        },
      },
    )
    .post(
      "/onboarding",
      ({ principal, body }) => {
        deps.onboarding.complete(principal, body);
        return deps.identity.me(principal);
      },
      {
        auth: "session:use",
        audit: {
          action: "tenant.create",
          target: "tenant",
          created: "tenantId",
          details: asAnswered,
        },
        body: t.Object({
          fullName: t.Optional(oneLine),
          tenantName: t.Optional(oneLine),
          planId: t.Optional(planId),
          role: t.Optional(role),
        }),
        response: { 200: signedInUser },
        detail: {
          operationId: "completeOnboarding",
          summary: "Create the tenant of a user who has signed up",
          description:
            "Missing fields are those of the sign-up; by default the tenant is named after its owner. The user who creates a tenant owns it: another `role` is accepted, and the response says TENANT_OWNER. The token stays valid.",
          errors: {
            ...CLOSED_ERROR,
            400: "The plan is unknown.",
            409: "The user already belongs to a tenant.",
          },
          example: { fullName: "Ann Miller", tenantName: "Plant North", planId: "basic" },
        },
      },
    );
};
