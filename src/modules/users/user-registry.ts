import type { DeviceId, TenantId, UserId } from "../../lib/core/ids.ts";
import { normalizeEmail } from "../../lib/strings/normalize-email.ts";
import type { EventBus } from "../../platform/core/event-bus.ts";
import { newId } from "../../platform/core/ids.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { DomainEvents } from "../events.types.ts";
import type { PlansService } from "../tenants/plans.service.ts";
import type { TenantsService } from "../tenants/tenants.service.ts";
import { deviceUnknown, emailTaken, userNotFound, userProtected, usersLimit } from "./users.errors.ts";
import type { UsersRepository } from "./users.repository.ts";
import { type Grants, type NewUser, type User, type UserAccounts, userDefaults } from "./users.types.ts";

export type UserChanges = { readonly [K in keyof User]?: User[K] } & {
  readonly deviceIds?: readonly string[];
  readonly assetIds?: readonly string[];
};

const ACCESS_FIELDS = ["hasGlobalDeviceAccess", "hasGlobalAssetAccess", "deviceIds", "assetIds"];

/** Returns the confirmation time. A new address is unconfirmed, unless the change contains a confirmation time. */
function confirmationOf(before: User, { email, confirmedAt = null }: UserChanges): number | null {
  return email === undefined || email === before.email ? before.confirmedAt : confirmedAt;
}

/**
 * Creates the registry with the rules of users for the API and the command line: an address belongs to one user; a tenant keeps an owner who can
 * sign in; users who are disabled, deleted or given another role are signed out immediately.
 */
export function createUserRegistry(deps: {
  repository: UsersRepository;
  tenants: Pick<TenantsService, "find">;
  plans: Pick<PlansService, "of">;
  accounts: Pick<UserAccounts, "rename" | "endPending" | "delete">;
  /** Ends all sessions of the user. */
  endSessions: (userId: UserId) => void;
  transact: <Result>(work: () => Result extends Promise<unknown> ? never : Result) => Result;
  clock: Clock;
  events: EventBus<DomainEvents>;
}) {
  const { repository, accounts, events, clock, transact } = deps;

  function ensureUser(userId: UserId): User {
    const user = repository.findById(userId);
    if (user === undefined) throw userNotFound();
    return user;
  }

  function isProtected({ tenantId, role, status, userId }: User): boolean {
    const isActiveOwner = tenantId !== null && role === "TENANT_OWNER" && status === "ACTIVE";
    return isActiveOwner && repository.countActiveOwners(tenantId, userId) === 0;
  }

  function ensureRoom(tenantId: TenantId | null): void {
    const tenant = tenantId === null ? undefined : deps.tenants.find(tenantId);
    if (tenant === undefined) return;
    const limit = deps.plans.of(tenant.planName).limits.users;
    if (limit !== null && repository.countOf(tenant.tenantId) >= limit) throw usersLimit(limit);
  }

  function ensureAddressFree(email: string, userId?: UserId): void {
    const namesake = repository.findByEmail(email);
    if (namesake !== undefined && namesake.userId !== userId) throw emailTaken();
  }

  function saveGrants(user: User, { deviceIds, assetIds }: UserChanges): void {
    if (deviceIds !== undefined) {
      const isKnown =
        user.tenantId !== null && repository.findUnknownDevice(user.tenantId, deviceIds) === undefined;
      if (!isKnown && deviceIds.length > 0) throw deviceUnknown();
      repository.setDevices(user.userId, deviceIds as readonly DeviceId[]); // found just above
    }
    if (assetIds !== undefined) repository.setAssets(user.userId, assetIds);
  }

  function signOut({ userId, email }: User): void {
    accounts.endPending(email);
    deps.endSessions(userId);
    events.emit("user.access", { userId });
    events.emit("user.signed-out", { userId });
  }

  return {
    isProtected,
    /** @throws DomainError like `add`, as far as the error is known in advance */
    ensureAddable({ tenantId, email }: Pick<NewUser, "tenantId" | "email">): void {
      ensureRoom(tenantId);
      ensureAddressFree(normalizeEmail(email));
    },
    /**
     * Adds a user. `complete` runs last in the same transaction, which is rolled back if it throws.
     * @throws DomainError, also if the tenant's plan allows no more users
     */
    add(newUser: NewUser, grants: UserChanges, complete?: (added: User) => void): User {
      const now = clock.now();
      const user: User = {
        ...userDefaults,
        ...newUser,
        email: normalizeEmail(newUser.email),
        userId: newId<UserId>(),
        createdAt: now,
        updatedAt: now,
      };
      transact(() => {
        ensureRoom(user.tenantId);
        ensureAddressFree(user.email);
        repository.insert(user);
        saveGrants(user, grants);
        complete?.(user);
      });
      return user;
    },
    /** Changes a user. `decide` gets the user as stored in the transaction and returns the changes. */
    change(
      userId: UserId,
      decide: (current: User & Grants) => UserChanges,
      complete?: (before: User, after: User) => void,
    ): User {
      const { before, after, changes } = transact(() => {
        const before = ensureUser(userId);
        const changes = decide({ ...before, ...repository.listGrants(userId) });
        if (Object.keys(changes).length === 0) return { before, after: before, changes };
        const { deviceIds, assetIds, ...fields } = changes;
        const confirmedAt = confirmationOf(before, fields);
        const after: User = { ...before, ...fields, userId, confirmedAt, updatedAt: clock.now() };
        const staysOwner = after.role === "TENANT_OWNER" && after.status === "ACTIVE";
        if (!staysOwner && isProtected(before)) throw userProtected();
        ensureAddressFree(after.email, userId);
        repository.update(after);
        saveGrants(after, { ...(deviceIds && { deviceIds }), ...(assetIds && { assetIds }) });
        complete?.(before, after);
        // Last, so that nothing is changed if the provider refuses the address.
        if (after.email !== before.email) accounts.rename(before.email, after.email);
        return { before, after, changes };
      });
      if (ACCESS_FIELDS.some((field) => field in changes)) events.emit("user.access", { userId });
      if (before.role !== after.role || before.status !== after.status) signOut(after);
      return after;
    },
    /** Removes a user. `check` gets the user as stored in the transaction and may throw. */
    remove(userId: UserId, check?: (current: User) => void): User {
      const user = transact(() => {
        const user = ensureUser(userId);
        check?.(user);
        if (isProtected(user)) throw userProtected();
        deps.endSessions(userId); // before the user's rows go, and the sessions' with them
        repository.delete(userId);
        return user;
      });
      accounts.delete(user.email);
      signOut(user);
      return user;
    },
  };
}

export type UserRegistry = ReturnType<typeof createUserRegistry>;
