import { conflict, DomainError, forbidden, invalid, notFound } from "../../lib/domain-error.ts";

export const userNotFound = () => notFound("user.not_found", "There is no such user.");
export const emailTaken = () => conflict("user.email_taken", "A user with this e-mail address exists.");
export const userProtected = () =>
  conflict(
    "user.protected",
    "This is the last active owner, who cannot be deleted, disabled or demoted; make another owner first.",
  );
export const ownersOnly = () =>
  forbidden("user.owners_only", "Only an owner may create, change, delete or invite an owner.");
export const notAdministrator = () => forbidden("auth.forbidden", "Your role does not allow this.");
export const notOneself = (what: string) =>
  forbidden("user.not_oneself", `Nobody may ${what} themselves; another administrator can.`);
export const notWhileActing = () =>
  forbidden(
    "account.not_own",
    "You act as somebody else: change yourself, and anybody's address, as yourself.",
  );
export const beyondOwnAccess = () =>
  forbidden(
    "user.beyond_own_access",
    "You may only manage users whose devices and assets you may all see yourself.",
  );
export const deviceUnknown = () => invalid("user.device_unknown", "deviceIds: there is no such device");
export const userDisabled = () =>
  conflict("user.disabled", "This user is disabled; enable the user before inviting.");
export const usersLimit = (limit: number) =>
  forbidden("plan.users_limit", `The plan of this tenant allows ${limit} users.`);
export const invitationsLimit = (waitMs: number) =>
  new DomainError("limited", "user.invitations_limit", "Too many invitations were mailed; try again later.", {
    retryAfterSeconds: Math.ceil(waitMs / 1000),
  });
