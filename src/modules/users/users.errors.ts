import { conflict, forbidden, invalid, limited, notFound } from "../../lib/core/domain-error.ts";
import type { Text } from "../../lib/texts/text.ts";

export const userNotFound = () => notFound("user.not_found");
export const emailTaken = () => conflict("user.email_taken");
export const emailNeedsProof = () => forbidden("user.email_needs_proof");
export const userProtected = () => conflict("user.protected");
export const ownersOnly = () => forbidden("user.owners_only");
export const notAdministrator = () => forbidden("auth.forbidden", { permission: "users:read" });
export const notOneself = (action: Text) => forbidden("user.not_oneself", { action });
export const notWhileActing = () => forbidden("account.not_own_address");
export const beyondOwnAccess = () => forbidden("user.beyond_own_access");
export const deviceUnknown = () => invalid("user.device_unknown");
export const userDisabled = () => conflict("user.disabled_invitation");
export const usersLimit = (limit: number) => forbidden("plan.users_limit", { limit });
export const mailsLimit = (waitMs: number) => limited("user.mails_limit", Math.ceil(waitMs / 1000));
export const invitationsLimit = (waitMs: number) =>
  limited("user.invitations_limit", Math.ceil(waitMs / 1000));
