import { detail } from "../../lib/core/domain-error.ts";
import type { DeviceId, TenantId, UserId } from "../../lib/core/ids.ts";
import { invariant } from "../../lib/core/invariant.ts";
import { normalizeEmail } from "../../lib/strings/normalize-email.ts";
import type { Language } from "../../lib/strings/preferred-language.ts";
import { iso } from "../../lib/time/iso-time.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { MailSender } from "../mail/mail.types.ts";
import type { TenantsService } from "../tenants/tenants.service.ts";
import { createTemporaryPassword } from "./temporary-password.ts";
import { type Invitation, type InvitationOptions, toInvitation } from "./user-invitation.ts";
import type { UserChanges, UserRegistry } from "./user-registry.ts";
import {
  beyondOwnAccess,
  emailNeedsProof,
  invitationsLimit,
  mailsLimit,
  notAdministrator,
  notOneself,
  notWhileActing,
  ownersOnly,
  userDisabled,
  userNotFound,
} from "./users.errors.ts";
import type { UsersRepository } from "./users.repository.ts";
import {
  type Grants,
  type NewUser,
  type Principal,
  ROLES,
  type Role,
  type User,
  type UserAccounts,
  type UserDetail,
  type UserFilter,
} from "./users.types.ts";

/** Returns the rank of a role; 0 is the most powerful. */
const rankOf = (role: Role): number => ROLES.indexOf(role);

const isAbove = (role: Role, other: Role): boolean => rankOf(role) < rankOf(other);

const isAdministrator = ({ role }: { readonly role: Role }): boolean => !isAbove("TENANT_ADMIN", role);

/** @throws DomainError `forbidden` if the other user's role is more powerful than the actor's */
function ensureRoleReaches(actor: { readonly role: Role }, role: Role): void {
  if (isAbove(role, actor.role)) throw ownersOnly();
}

/** Fields of their own account that users of every role may change. */
const OWN_FIELDS: ReadonlySet<string> = new Set([
  "fullName",
  "notificationsEmailEnabled",
  "notificationsMessagingEnabled",
  "notificationPhone",
  "notificationEscalationLevel",
  "notificationSeverities",
  "notifyOnAlarmCreated",
  "notifyOnAlarmEscalated",
  "notifyOnAlarmCleared",
]);

/**
 * Protects the impersonated user: while impersonating, nobody can change that account, or anyone's credentials. @throws DomainError
 * `account.not_own`
 */
function ensureNotThroughAnother(
  { impersonator }: Principal,
  userId: string,
  changed: readonly string[] = [],
): void {
  if (impersonator === undefined) return;
  if (impersonator.userId === userId || changed.includes("email")) throw notWhileActing();
}

/** @throws DomainError `forbidden` if users change more of their own account than their profile. An address change needs a confirmed link instead */
function ensureOwnChange(actor: Principal, changed: readonly string[]): void {
  if (isAdministrator(actor) && changed.includes("email")) throw emailNeedsProof();
  const beyond = changed.find((field) => !OWN_FIELDS.has(field));
  if (beyond !== undefined) throw notOneself(detail("action.change_fields", { field: beyond }));
}

/** Current or future devices and assets of a user; ids are unverified. */
interface Reach {
  readonly hasGlobalDeviceAccess: boolean;
  readonly hasGlobalAssetAccess: boolean;
  readonly deviceIds: readonly string[];
  readonly assetIds: readonly string[];
}

/**
 * Prevents users without access to all devices from granting more than they see, and from taking over a user who sees more (by an invitation's
 * password). @throws DomainError `user.beyond_own_access`
 */
function ensureWithinOwnReach(actor: { devices: Principal["devices"]; own: Reach }, reach: Reach): void {
  const { devices, own } = actor;
  if (devices === "all") return;
  const mayGive = (deviceId: string) => devices.has(deviceId as DeviceId); // an unknown id is nobody's
  const assets = new Set(own.assetIds);
  const hasAllAssets = own.hasGlobalAssetAccess || own.hasGlobalDeviceAccess; // the latter if another user acts with limited access
  const isWithin =
    !reach.hasGlobalDeviceAccess &&
    (!reach.hasGlobalAssetAccess || hasAllAssets) &&
    reach.deviceIds.every(mayGive) &&
    (hasAllAssets || reach.assetIds.every((assetId) => assets.has(assetId)));
  if (!isWithin) throw beyondOwnAccess();
}

/** Settable fields of a user in API form; ids are unverified. */
export type UserFields = Partial<Omit<NewUser, "tenantId">> & {
  readonly deviceIds?: readonly string[] | undefined;
  readonly assetIds?: readonly string[] | undefined;
};

/** Returns whether values differ. Arrays are compared as sets, because the order of ids and severities is irrelevant. */
function differs(input: unknown, current: unknown): boolean {
  if (!Array.isArray(input) || !Array.isArray(current)) return input !== current;
  const existing = new Set(current);
  const wanted = new Set(input);
  return wanted.size !== existing.size || input.some((item) => !existing.has(item));
}

/** Returns the fields that would actually change. */
function differencesOf(userFields: UserFields, current: object): UserChanges {
  const existing = new Map<string, unknown>(Object.entries(current));
  return Object.fromEntries(
    Object.entries(userFields).filter(
      ([name, value]) => value !== undefined && differs(value, existing.get(name)),
    ),
  );
}

const cleaned = (fields: UserFields): UserFields => ({
  ...fields,
  ...(fields.email !== undefined && { email: normalizeEmail(fields.email) }),
  ...(fields.fullName !== undefined && { fullName: fields.fullName.trim() }),
});

/** Returns a function that reports a change to both addresses, so that the owner of a hijacked account notices it. */
const addressNotifier =
  (mail: MailSender, language: Language) =>
  (before: User, after: User): void => {
    if (before.email === after.email) return;
    const { tenantId, fullName } = before;
    const values = { fullName, at: iso(after.updatedAt) };
    mail.enqueue({ tenantId, to: before.email, language, template: "email_changed", values });
    mail.enqueue({ tenantId, to: after.email, language, template: "email_new", values });
  };

/** Creates the service through which a tenant's users are viewed and managed. Users of other tenants yield `not_found`. */
export function createUserManagement(deps: {
  repository: UsersRepository;
  registry: UserRegistry;
  tenants: Pick<TenantsService, "find">;
  accounts: Pick<UserAccounts, "prepareTemporaryPassword">;
  endSessions: (userId: UserId) => void;
  mail: MailSender;
  clock: Pick<Clock, "now">;
  /** Counts a mail to each address of a managed user, unless a limit is reached. */
  takeUserMails: (tenantId: TenantId, emails: readonly string[]) => { readonly waitMs: number } | undefined;
}) {
  const { repository, registry, tenants, accounts, mail } = deps;

  function ensureUser({ tenantId }: Principal, userId: string): User {
    const user = repository.find(tenantId, userId);
    if (user === undefined) throw userNotFound();
    return user;
  }

  const withGrants = (user: User) => ({ ...user, ...repository.listGrants(user.userId) });

  /** @throws DomainError unless the principal, and the impersonating user if any, may manage the user in its current or future state */
  function ensureMayManage(principal: Principal, user: Reach & Pick<User, "role">) {
    const { userId, impersonator, devices } = principal;
    for (const id of impersonator === undefined ? [userId] : [userId, impersonator.userId]) {
      const own = withGrants(ensureUser(principal, id));
      ensureRoleReaches(own, user.role);
      ensureWithinOwnReach({ devices, own }, user);
    }
  }

  /** Counts the mails that report a changed address. @throws DomainError `user.mails_limit` */
  function ensureMayReport({ tenantId }: Principal, before: User, after: User): void {
    if (before.email === after.email) return;
    const refused = deps.takeUserMails(tenantId, [before.email, after.email]);
    if (refused !== undefined) throw mailsLimit(refused.waitMs);
  }

  /** Returns a function that describes users of one tenant; counts for users with full access are computed once. */
  function describer({ devices }: Principal): (user: User) => UserDetail {
    const isSeen = (id: string) => devices === "all" || devices.has(id as DeviceId);
    let allDevices: number | undefined;
    let allAssets: number | undefined;
    return (user) => {
      const { tenantId, hasGlobalDeviceAccess, hasGlobalAssetAccess } = user;
      const grants = repository.listGrants(user.userId);
      if (hasGlobalDeviceAccess) allDevices ??= repository.countVisibleDevices(user);
      if (hasGlobalAssetAccess && tenantId !== null) allAssets ??= repository.countAssets(tenantId);
      return {
        ...user,
        ...grants,
        deviceIds: grants.deviceIds.filter(isSeen),
        isProtected: registry.isProtected(user),
        deviceCount: (hasGlobalDeviceAccess ? allDevices : undefined) ?? repository.countVisibleDevices(user),
        assetCount: (hasGlobalAssetAccess ? allAssets : undefined) ?? grants.assetIds.length,
      };
    };
  }

  const detailOf = (principal: Principal, user: User): UserDetail => describer(principal)(user);

  /**
   * Does the slow part of an invitation before anything changes; the returned function sends the mail and stores the password in one turn. The
   * account is stored last: a crash in between leaves an account without a user, which the next attempt replaces.
   */
  async function prepareInvitation(
    principal: Principal,
    { email, status }: Pick<User, "email" | "status">,
    options: InvitationOptions,
  ): Promise<(user: User) => Invitation> {
    const isMailed = options.delivery === "EMAIL" && status === "ACTIVE"; // who is disabled could not follow it
    const refused = isMailed ? deps.takeUserMails(principal.tenantId, [email]) : undefined;
    if (refused !== undefined) throw invitationsLimit(refused.waitMs);
    const temporaryPassword = createTemporaryPassword();
    const savePassword = await accounts.prepareTemporaryPassword(email, temporaryPassword);
    return (user) => {
      const tenantName = tenants.find(principal.tenantId)?.name ?? "";
      const invitation = toInvitation({ user, temporaryPassword, tenantName }, options);
      const { fullName } = user;
      const { loginUrl } = invitation;
      const values = { fullName, tenantName, invitedBy: principal.email, loginUrl, temporaryPassword };
      const { tenantId } = principal;
      if (isMailed)
        mail.enqueue({ tenantId, to: email, language: options.language, template: "invitation", values });
      savePassword();
      return isMailed ? { ...invitation, inviteSent: mail.isDelivering } : invitation;
    };
  }

  return {
    list(principal: Principal, filter: UserFilter): { items: UserDetail[]; total: number } {
      const { items, total } = repository.list(principal.tenantId, filter);
      return { items: items.map(describer(principal)), total };
    },
    /** Returns the caller or, for administrators, any user of the tenant. */
    get(principal: Principal, userId: string): UserDetail {
      if (principal.userId !== userId && !isAdministrator(principal)) throw notAdministrator();
      return detailOf(principal, ensureUser(principal, userId));
    },
    async create(
      principal: Principal,
      input: UserFields & Pick<NewUser, "email" | "fullName" | "role">,
      options: Omit<InvitationOptions, "delivery">,
    ): Promise<Invitation> {
      const { deviceIds, assetIds, ...fields } = input;
      const delivery = input.inviteDelivery ?? (mail.isDelivering ? "EMAIL" : "MANUAL");
      const hasGlobalDeviceAccess =
        input.hasGlobalDeviceAccess ?? (deviceIds === undefined && assetIds === undefined);
      const user = {
        ...fields,
        ...cleaned(fields),
        tenantId: principal.tenantId,
        hasGlobalDeviceAccess,
        inviteDelivery: delivery,
      } as NewUser; // the cleaned fields are the given ones
      const grants = { deviceIds: deviceIds ?? [], assetIds: assetIds ?? [] };
      const { role, hasGlobalAssetAccess = false } = input;
      ensureMayManage(principal, { role, hasGlobalDeviceAccess, hasGlobalAssetAccess, ...grants });
      registry.ensureAddable(user); // before a mail is counted
      const { email, status = "ACTIVE" } = user;
      const complete = await prepareInvitation(principal, { email, status }, { ...options, delivery });
      let invitation: Invitation | undefined;
      registry.add(user, grants, (added) => {
        invitation = complete(added);
      });
      invariant(invitation !== undefined, "the invitation is made in the transaction");
      return invitation;
    },
    /** Changes the address of a user who has confirmed the new address. */
    changeAddress: (userId: UserId, email: string, language: Language): User =>
      registry.change(
        userId,
        () => ({ email, confirmedAt: deps.clock.now() }),
        addressNotifier(mail, language),
      ),
    /** Changes a user. A changed address is reported to both addresses, in this language. */
    update(principal: Principal, userId: string, userFields: UserFields, language: Language): UserDetail {
      const existingUser = ensureUser(principal, userId);
      const isSelf = principal.userId === existingUser.userId;
      if (!isSelf && !isAdministrator(principal)) throw notAdministrator();
      const decide = (current: User & Grants) => {
        const changes = differencesOf(cleaned(userFields), current);
        ensureNotThroughAnother(principal, userId, Object.keys(changes));
        const isRefusedAnyway = ("role" in changes || "status" in changes) && registry.isProtected(current);
        if (!isSelf) {
          ensureMayManage(principal, current);
          ensureMayManage(principal, { ...current, ...changes });
        } else if (!isRefusedAnyway) ensureOwnChange(principal, Object.keys(changes));
        return changes;
      };
      const notify = addressNotifier(mail, language);
      const user = registry.change(existingUser.userId, decide, (before, after) => {
        ensureMayReport(principal, before, after); // once nothing else refuses the change
        notify(before, after);
      });
      return detailOf(principal, user);
    },
    delete(principal: Principal, userId: string): void {
      const { userId: id } = ensureUser(principal, userId);
      registry.remove(id, (current) => {
        ensureNotThroughAnother(principal, id);
        ensureMayManage(principal, withGrants(current));
        if (principal.userId === id && !registry.isProtected(current))
          throw notOneself(detail("action.delete"));
      });
    },
    /** Gives the user a new temporary password: the existing password no longer works, and the user is signed out. */
    async invite(principal: Principal, userId: string, options: InvitationOptions): Promise<Invitation> {
      const user = ensureUser(principal, userId);
      ensureNotThroughAnother(principal, userId);
      ensureMayManage(principal, withGrants(user));
      if (principal.userId === user.userId) throw notOneself(detail("action.invite"));
      if (user.status !== "ACTIVE") throw userDisabled();
      const complete = await prepareInvitation(principal, user, options);
      let invitation: Invitation | undefined;
      registry.change(user.userId, (current) => {
        if (current.email !== user.email) throw userNotFound(); // has another address meanwhile
        ensureMayManage(principal, current); // may have another role meanwhile
        invitation = complete(user);
        return current.inviteDelivery === options.delivery ? {} : { inviteDelivery: options.delivery };
      });
      invariant(invitation !== undefined, "the invitation is made in the transaction");
      deps.endSessions(user.userId);
      return { ...invitation, passwordReset: true };
    },
  };
}

export type UserManagement = ReturnType<typeof createUserManagement>;
