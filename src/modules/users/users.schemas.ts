import { t } from "elysia";
import { ALARM_SEVERITIES } from "../../lib/alarms/severity.ts";
import { EMAIL_LENGTH_MAX, TEXT_FORMS } from "../../lib/core/text-forms.ts";
import { pageQuery, searchQuery, sortQuery } from "../api/lists.schemas.ts";
import { choice, isoTime, nameText, severityBody, severityInput, wholeNumber } from "../api/wire.schemas.ts";
import { INVITE_DELIVERIES, ROLES, USER_STATUSES } from "./users.types.ts";

const role = t.Union(
  [
    t.Literal("TENANT_OWNER"),
    t.Literal("TENANT_ADMIN"),
    t.Literal("TENANT_RW"),
    t.Literal("TENANT_READ_ONLY"),
  ],
  { description: "TENANT_OWNER, TENANT_ADMIN, TENANT_RW or TENANT_READ_ONLY" },
);
const status = t.Union([t.Literal("ACTIVE"), t.Literal("DISABLED")], { description: "ACTIVE or DISABLED" });
const inviteDelivery = t.Union([t.Literal("EMAIL"), t.Literal("MANUAL")], {
  description:
    "EMAIL sends the invitation, MANUAL only returns the text to hand over; the default is EMAIL if an SMTP server is configured, else MANUAL",
});
const escalationLevel = t.Union([t.Literal(1), t.Literal(2), t.Literal(3)], { description: "1, 2 or 3" });

// Names and addresses end up in mails' headers: no control characters.
const fullName = nameText(200);
const email = t.String({
  minLength: 3,
  maxLength: EMAIL_LENGTH_MAX,
  pattern: TEXT_FORMS.email,
  description: "an email address, of one user in the whole gateway",
});

const settings = {
  status: t.Optional(status),
  canAcknowledgeAlarms: t.Optional(t.Boolean()),
  hasGlobalDeviceAccess: t.Optional(
    t.Boolean({ description: "sees every device; a new user does unless deviceIds or assetIds are given" }),
  ),
  hasGlobalAssetAccess: t.Optional(t.Boolean({ description: "sees every device that belongs to an asset" })),
  deviceIds: t.Optional(
    t.Array(t.String({ minLength: 1, maxLength: 64 }), {
      maxItems: 10_000,
      description: "devices that a user without access to all may see; replaces the list",
    }),
  ),
  assetIds: t.Optional(
    t.Array(t.String({ minLength: 1, maxLength: 64 }), {
      maxItems: 10_000,
      description: "assets whose devices (by their assetId) the user may see; replaces the list",
    }),
  ),
  inviteDelivery: t.Optional(inviteDelivery),
  notificationsEmailEnabled: t.Optional(t.Boolean()),
  notificationsMessagingEnabled: t.Optional(t.Boolean()),
  notificationPhone: t.Optional(
    t.String({
      maxLength: 32,
      pattern: TEXT_FORMS.phone,
      description: "a phone number; empty for none",
    }),
  ),
  notificationEscalationLevel: t.Optional(escalationLevel),
  notificationSeverities: t.Optional(
    t.Array(severityInput, { maxItems: ALARM_SEVERITIES.length, uniqueItems: true }),
  ),
  notifyOnAlarmCreated: t.Optional(t.Boolean()),
  notifyOnAlarmEscalated: t.Optional(t.Boolean()),
  notifyOnAlarmCleared: t.Optional(t.Boolean()),
};

export const createUserBody = t.Object({ fullName, email, role, ...settings }, { title: "CreateUser" });
export const updateUserBody = t.Object(
  {
    fullName: t.Optional(fullName),
    email: t.Optional(email),
    role: t.Optional(role),
    ...settings,
  },
  { title: "UpdateUser" },
);

export const listUsersQuery = t.Object({
  ...pageQuery,
  search: searchQuery(["the name", "the email address"]),
  role: t.Optional(role),
  status: t.Optional(status),
  sort: sortQuery(["fullName", "email", "role", "status", "createdAt"]),
});

export const userBody = t.Object(
  {
    userId: t.String(),
    fullName: t.String(),
    email: t.String(),
    role: choice(ROLES),
    status: choice(USER_STATUSES),
    isProtected: t.Boolean({
      description: "the last active owner, who cannot be deleted, disabled or demoted",
    }),
    notificationsEmailEnabled: t.Boolean(),
    notificationsMessagingEnabled: t.Boolean(),
    notificationPhone: t.String(),
    notificationEscalationLevel: wholeNumber({ minimum: 1, maximum: 3 }),
    notificationSeverities: t.Array(severityBody),
    notifyOnAlarmCreated: t.Boolean(),
    notifyOnAlarmEscalated: t.Boolean(),
    notifyOnAlarmCleared: t.Boolean(),
    canAcknowledgeAlarms: t.Boolean(),
    hasGlobalAssetAccess: t.Boolean(),
    hasGlobalDeviceAccess: t.Boolean(),
    assetIds: t.Array(t.String()),
    deviceIds: t.Array(t.String()),
    assetCount: wholeNumber({
      description: "granted assets; with access to all devices, the assets that devices name",
    }),
    deviceCount: wholeNumber({ description: "devices that the user may see" }),
    inviteDelivery: choice(INVITE_DELIVERIES, { description: "how the user was invited last" }),
    emailConfirmed: t.Boolean({
      description:
        "true if the user has signed in or confirmed the address, or is the owner created at setup; required for alarm mails",
    }),
    createdAt: isoTime,
    updatedAt: isoTime,
  },
  { title: "User" },
);

export const invitationBody = t.Object(
  {
    success: t.Boolean(),
    userId: t.String(),
    email: t.String(),
    fullName: t.Optional(t.String()),
    loginUrl: t.String({ description: "absolute address of the sign-in page with the email filled in" }),
    temporaryPassword: t.String({
      description: "good for 14 days, must be changed at the first sign-in; shown this once",
    }),
    inviteDelivery: choice(INVITE_DELIVERIES),
    inviteSent: t.Boolean({
      description: "false while no SMTP server is configured: the mail then waits in the outbox",
    }),
    shareText: t.String({ description: "several lines to copy and hand over" }),
    passwordReset: t.Optional(t.Boolean()),
  },
  { title: "Invitation" },
);
