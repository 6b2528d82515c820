import { t } from "elysia";
import { EMAIL_LENGTH_MAX, TEXT_FORMS } from "../../lib/core/text-forms.ts";
import { choice, nameText, wholeNumber } from "../api/wire.schemas.ts";
import { ROLES } from "../users/users.types.ts";

export const tokenBody = t.Object(
  { accessToken: t.String(), tokenType: t.String() },
  { title: "AccessToken" },
);

export const signedInUser = t.Object(
  {
    userId: t.String(),
    email: t.String(),
    fullName: t.Optional(t.String()),
    tenantId: t.Optional(t.String()),
    tenantName: t.Optional(t.String()),
    role: t.Optional(choice(ROLES)),
    permissions: t.Optional(t.Array(t.String(), { description: "permissions of the caller" })),
    hasGlobalDeviceAccess: t.Optional(
      t.Boolean({ description: "whether the caller has access to all devices" }),
    ),
    isHost: t.Optional(t.Boolean({ description: "whether the tenant is the gateway's own" })),
    onboardingRequired: t.Optional(t.Boolean()),
    impersonator: t.Optional(
      t.Object({ userId: t.String(), email: t.String() }, { description: "the user who acts as this user" }),
    ),
  },
  { title: "SignedInUser" },
);

export const securityBody = t.Object(
  {
    hasPassword: t.Boolean({ description: "false for people of an external identity provider" }),
    hasSecondFactor: t.Boolean(),
    recoveryCodesLeft: wholeNumber(),
  },
  { title: "AccountSecurity" },
);

export const recoveryCodesBody = t.Object({ recoveryCodes: t.Array(t.String()) }, { title: "RecoveryCodes" });

export const ownSession = t.Object(
  {
    sessionId: t.String(),
    isCurrent: t.Boolean({ description: "whether this request uses this session" }),
    impersonatedBy: t.Optional(t.String({ description: "email of the user who acts as this user" })),
    address: t.String(),
    userAgent: t.String(),
    createdAt: t.String(),
    lastUsedAt: t.String({ description: "newest use, accurate to a few minutes" }),
    expiresAt: t.String(),
  },
  { title: "Session" },
);

export const emailText = t.String({
  minLength: 3,
  maxLength: EMAIL_LENGTH_MAX,
  pattern: TEXT_FORMS.email,
  description: "an email address",
});

export const oneLine = nameText(200);

export const setupRequestBody = t.Object(
  {
    token: t.String({ minLength: 1, maxLength: 128 }),
    email: emailText,
    password: t.String({ minLength: 10, maxLength: 256, description: "10 characters or more" }),
    fullName: oneLine,
    tenantName: oneLine,
  },
  { title: "SetupRequest" },
);

export const authorizeQuery = t.Object({
  redirect_uri: t.Optional(t.String({ maxLength: 2048 })),
  state: t.Optional(t.String({ maxLength: 2048 })),
  code_challenge: t.Optional(t.String({ maxLength: 128 })),
  code_challenge_method: t.Optional(t.String({ maxLength: 16 })),
  response_type: t.Optional(t.String({ maxLength: 16 })),
  client_id: t.Optional(t.String({ maxLength: 128 })),
  ui_locales: t.Optional(t.String({ maxLength: 128 })),
  theme: t.Optional(t.String({ maxLength: 16 })),
  login_hint: t.Optional(t.String({ maxLength: EMAIL_LENGTH_MAX, description: "email to fill in" })),
  prompt: t.Optional(
    t.Union([t.Literal("login"), t.Literal("select_account")], {
      description: "login or select_account: an external provider asks for the account again",
    }),
  ),
  provider: t.Optional(
    t.Literal("local", { description: "`local` shows this page even if an external provider is configured" }),
  ),
});

export const emailLinkQuery = t.Object({
  token: t.String({ minLength: 1, maxLength: 1024, description: "token of the link" }),
  ui_locales: t.Optional(t.String({ maxLength: 128 })),
  theme: t.Optional(t.String({ maxLength: 16 })),
});
export const resetQuery = t.Object({
  token: t.String({ minLength: 1, maxLength: 128, description: "secret of the link" }),
  ui_locales: t.Optional(t.String({ maxLength: 128 })),
  theme: t.Optional(t.String({ maxLength: 16 })),
});

export const newSecondFactor = t.Object({
  secret: t.String({ description: "base32, to type into an authenticator app" }),
  uri: t.String({ description: "otpauth://…" }),
  qrSvg: t.String({ description: "the URI as a QR code in SVG" }),
});
