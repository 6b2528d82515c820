import { Elysia, t } from "elysia";
import { preferredLanguage } from "../../lib/strings/preferred-language.ts";
import { iso } from "../../lib/time/iso-time.ts";
import { listHeaders, toPage } from "../api/lists.ts";
import { successBody } from "../api/wire.schemas.ts";
import type { AuditContext } from "../audit/audit.types.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { UserManagement } from "./user-management.service.ts";
import { createUserBody, invitationBody, listUsersQuery, updateUserBody, userBody } from "./users.schemas.ts";
import type { InviteDelivery, UserDetail } from "./users.types.ts";

const toWire = ({ tenantId: _, confirmedAt, ...user }: UserDetail) => ({
  ...user,
  emailConfirmed: confirmedAt !== null,
  notificationSeverities: [...user.notificationSeverities],
  deviceIds: [...user.deviceIds],
  assetIds: [...user.assetIds],
  createdAt: iso(user.createdAt),
  updatedAt: iso(user.updatedAt),
});

const INVITATION =
  "The previous password stops working, and the user is signed out. A tenant can mail an address 5 invitations per hour and 20 per day, and 200 and 1,000 in total. All tenants together can mail an address 20 and 60. Invitations by hand have no such limit.";
const INVITATION_ERRORS = {
  403: "The user is the caller, is an owner while the caller is not, or sees more devices than the caller.",
  404: "The user is unknown.",
  409: "The user is disabled.",
  429: "Too many passwords were created in a short time, or too many invitations were mailed; `Retry-After` then says when to try again.",
};

export const usersRoutes = (deps: {
  management: UserManagement;
  /** Returns scheme, host and port of links, for a request with this URL. */
  mailOriginFor: (request: Request) => string;
  auth: AuthPlugin;
}) => {
  const { management, mailOriginFor } = deps;
  const linkOptions = (request: Request) => ({
    origin: mailOriginFor(request),
    language: preferredLanguage(undefined, request.headers.get("accept-language")),
  });
  const read = ({ principal }: AuditContext, id: string) => management.get(principal, id);
  const invite = (delivery: InviteDelivery, request: Request) => ({ delivery, ...linkOptions(request) });
  return new Elysia({ prefix: "/api/users", tags: ["users"] })
    .use(deps.auth)
    .get(
      "",
      ({ principal, query, set, request }) => {
        const page = toPage(query);
        const { items, total } = management.list(principal, { ...query, ...page });
        Object.assign(set.headers, listHeaders(request.url, { ...page, total }));
        return items.map(toWire);
      },
      {
        auth: "users:read",
        query: listUsersQuery,
        response: { 200: t.Array(userBody) },
        detail: {
          operationId: "listUsers",
          summary: "List users",
          description:
            "Lists users of the tenant by name. `X-Total-Count` has their number, `Link` the next page.",
          errors: { 403: "Requires an owner or administrator." },
        },
      },
    )
    .post(
      "",
      async ({ principal, body, set, request }) => {
        const invitation = await management.create(principal, body, linkOptions(request));
        set.status = 201;
        return invitation;
      },
      {
        auth: "users:write",
        audit: { action: "user.create", target: "user", created: "userId", read },
        body: createUserBody,
        response: { 201: invitationBody },
        detail: {
          operationId: "createUser",
          summary: "Create and invite a user",
          description: "The email and the text to share are in English or German, by Accept-Language.",
          errors: {
            400: "The payload is invalid, or one of `deviceIds` does not exist. There is no body.",
            403: "The caller is neither owner nor administrator, invites an owner without being an owner, or grants devices or assets without access to them; or the plan allows no more users.",
            409: "The email belongs to a user of this gateway.",
            429: INVITATION_ERRORS[429],
          },
          example: {
            fullName: "Bob Jones",
            email: "bob@plant.example",
            role: "TENANT_RW",
            inviteDelivery: "MANUAL",
          },
        },
      },
    )
    .get("/:userId", ({ principal, params }) => toWire(management.get(principal, params.userId)), {
      auth: "users:self",
      response: { 200: userBody },
      detail: {
        operationId: "getUser",
        summary: "Read a user",
        description: "Users can read themselves, owners and administrators any user of the tenant.",
        errors: {
          403: "The user is not the caller, and the caller is neither owner nor administrator.",
          404: "The user is unknown.",
        },
      },
    })
    .patch(
      "/:userId",
      ({ principal, params, body, request }) =>
        toWire(management.update(principal, params.userId, body, linkOptions(request).language)),
      {
        auth: "users:change",
        audit: { action: "user.update", target: "user", read },
        body: updateUserBody,
        response: { 200: userBody },
        detail: {
          operationId: "updateUser",
          summary: "Change a user",
          description:
            "Users can change their own fullName and notification settings; unchanged fields do not count. Owners and administrators change their own email with `POST /api/auth/email`. Mails to both addresses report a changed email. Owners and administrators can change other users; only owners can change owners. A change of role or status signs the user out, and limits the API keys that the user made with it.",
          errors: {
            403: "Requires an owner or administrator for other users, and an owner for owners. While acting as another user, a caller can change neither an email nor their own user.",
            404: "The user is unknown.",
            409: "The email belongs to another user, or the last active owner (`isProtected`) would be disabled or get another role.",
            429: "Too many email addresses were changed (the limits of invitations apply). `Retry-After` says when to try again.",
          },
          example: { canAcknowledgeAlarms: true, notificationSeverities: ["MAJOR", "CRITICAL"] },
        },
      },
    )
    .delete(
      "/:userId",
      ({ principal, params }) => {
        management.delete(principal, params.userId);
        return { success: true };
      },
      {
        auth: "users:write",
        audit: { action: "user.delete", target: "user", read },
        response: { 200: successBody },
        detail: {
          operationId: "deleteUser",
          summary: "Delete a user",
          description: "Ends all sessions immediately, and stops the API keys that the user created.",
          errors: {
            403: "The user is the caller, or is an owner and the caller is not.",
            404: "The user is unknown.",
            409: "The user is the last active owner.",
          },
        },
      },
    )
    .post(
      "/:userId/invite/credentials",
      ({ principal, params, request }) =>
        management.invite(principal, params.userId, invite("MANUAL", request)),
      {
        auth: "users:write",
        audit: { action: "user.invite", target: "user", read, details: () => ({ inviteDelivery: "MANUAL" }) },
        response: { 200: invitationBody },
        detail: {
          operationId: "createInvitationText",
          summary: "Create a new temporary password for a user",
          description: `Sends nothing. ${INVITATION}`,
          errors: INVITATION_ERRORS,
        },
      },
    )
    .post(
      "/:userId/invite/email",
      ({ principal, params, request }) =>
        management.invite(principal, params.userId, invite("EMAIL", request)),
      {
        auth: "users:write",
        audit: { action: "user.invite", target: "user", read, details: () => ({ inviteDelivery: "EMAIL" }) },
        response: { 200: invitationBody },
        detail: {
          operationId: "sendInvitation",
          summary: "Invite a user again by mail",
          description: `\`inviteSent\` is false while no SMTP server is configured: the mail then waits in the outbox. ${INVITATION}`,
          errors: INVITATION_ERRORS,
        },
      },
    );
};
