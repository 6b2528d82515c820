import { conflict, forbidden, invalid, notFound, unauthenticated } from "../../lib/core/domain-error.ts";
import type { SessionId, TenantId, UserId } from "../../lib/core/ids.ts";
import type { TenantsService } from "../tenants/tenants.service.ts";
import type { Tenant } from "../tenants/tenants.types.ts";
import type { UsersService } from "../users/users.service.ts";
import { type Principal, ROLES, type User } from "../users/users.types.ts";
import type { AccessTokens, Authenticator, Client, CurrentUser, Session } from "./identity.types.ts";
import {
  isAllowed,
  isBeforeTenant,
  isOfGateway,
  needsPerson,
  type Permission,
  permissions,
} from "./permissions.ts";
import type { IdentityProvider } from "./provider/identity-provider.ts";
import type { SessionsService } from "./sessions.service.ts";

export interface AccessToken {
  readonly accessToken: string;
  readonly tokenType: "Bearer";
}

export interface IdentityService extends Pick<Authenticator, "authenticate"> {
  /** Redeems an authorization code for a new session's token. @throws DomainError `invalid` for an invalid code */
  exchange(code: string, codeVerifier: string | undefined, client?: Client): Promise<AccessToken>;
  refresh(principal: Pick<Principal, "sessionId" | "userId">): Promise<AccessToken>;
  logout(principal: Principal): void;
  me(principal: Principal): CurrentUser;
  /**
   * Returns a token of a new session in which the caller acts as the user, with no more rights than either has; ends with the caller's session.
   * @throws DomainError if the user has more rights, is disabled, or belongs to another tenant
   */
  impersonate(principal: Principal, targetUserId: string, client: Client): Promise<AccessToken>;
  /** Returns a user of the caller's tenant, as named in the audit log. */
  nameOf(principal: Principal, userId: string): { fullName: string; email: string } | undefined;
}

/** Returns the permissions as decided by the auth plugin and services about the gateway itself. */
function permissionsOf(
  principal: Pick<Principal, "role" | "tenantId" | "apiKey" | "canAcknowledgeAlarms">,
  isOperator: boolean,
): Permission[] {
  const { tenantId, apiKey } = principal;
  const all = Object.keys(permissions) as Permission[]; // the table has no others
  return all.filter(
    (permission) =>
      isAllowed(principal, permission) &&
      (apiKey === undefined || !needsPerson(permission)) &&
      (isOperator || !isOfGateway(permission)) &&
      (tenantId !== "" || isBeforeTenant(permission)),
  );
}

/** Returns an API key as the user that its requests act as. A key never manages the gateway. */
function keyAsUser(principal: Principal, fullName: string, ownTenant: Tenant | undefined): CurrentUser {
  const { userId, email, tenantId, role } = principal;
  const permissions = permissionsOf(principal, false);
  const hasGlobalDeviceAccess = principal.devices === "all";
  const { name: tenantName = "", isHost = false } = ownTenant ?? {};
  const key = { userId, email, fullName, tenantId, role, tenantName, isHost };
  return { ...key, permissions, hasGlobalDeviceAccess, onboardingRequired: false };
}

/** Returns the user of a request by a person. */
const personAsUser = (
  { devices, impersonator }: Principal,
  user: User,
  of: { isOperator: boolean; ownTenant: Tenant | undefined },
): CurrentUser => ({
  userId: user.userId,
  email: user.email,
  fullName: user.fullName,
  ...(user.tenantId === null ? {} : { tenantId: user.tenantId, role: user.role }),
  ...(of.ownTenant && { tenantName: of.ownTenant.name }),
  isHost: of.ownTenant?.isHost === true,
  // Onboarding has just given the user a tenant, which the principal of its request does not know.
  permissions: permissionsOf({ ...user, tenantId: user.tenantId ?? ("" as TenantId) }, of.isOperator),
  hasGlobalDeviceAccess: devices === "all",
  onboardingRequired: user.tenantId === null,
  ...(impersonator && { impersonator }),
});

type Devices = Principal["devices"];

function common(devices: Devices, others: Devices): Devices {
  if (devices === "all") return others;
  return others === "all" ? devices : devices.intersection(others);
}

/** Returns the devices visible to both, recomputed only when either changes, because a stream needs them for every message. */
function createShared(own: () => Devices, others: () => Devices): () => Devices {
  let existing: { own: Devices; others: Devices; both: Devices } | undefined;
  return () => {
    const now = { own: own(), others: others() };
    if (existing?.own !== now.own || existing.others !== now.others)
      existing = { ...now, both: common(now.own, now.others) };
    return existing.both;
  };
}

const sessionEnded = () => unauthenticated("session.ended");

export function createIdentityService(deps: {
  provider: IdentityProvider;
  users: UsersService;
  tenants: Pick<TenantsService, "find">;
  sessions: SessionsService;
  tokens: AccessTokens;
}): IdentityService {
  const { provider, users, tenants, sessions, tokens } = deps;

  async function issue(user: User, { sessionId, generation, impersonatorId }: Session): Promise<AccessToken> {
    const accessToken = await tokens.sign({
      sub: user.userId,
      sid: sessionId,
      gen: generation,
      email: user.email,
      ...(user.tenantId !== null && { tenantId: user.tenantId, role: user.role }),
      ...(impersonatorId !== null && { imp: impersonatorId }),
    });
    return { accessToken, tokenType: "Bearer" };
  }

  function ensureUser(userId: UserId): User {
    const user = users.findById(userId);
    if (user === undefined) throw sessionEnded();
    return user;
  }

  function findColleague({ tenantId }: Principal, userId: string): User | undefined {
    const user = users.findById(userId as UserId); // a wrong id is simply not found
    return user === undefined || user.tenantId !== tenantId ? undefined : user;
  }

  function toPrincipal(user: User, { sessionId }: Session, impersonator: User | undefined): Principal {
    const own = () => users.visibleDevices(user.userId);
    const visible =
      impersonator === undefined ? own : createShared(own, () => users.visibleDevices(impersonator.userId));
    return {
      userId: user.userId,
      email: user.email,
      tenantId: user.tenantId ?? ("" as TenantId), // matches no tenant: such a user only gets as far as onboarding
      role: user.role,
      sessionId,
      canAcknowledgeAlarms: user.canAcknowledgeAlarms,
      get devices() {
        return visible(); // what a stream may show changes while it runs
      },
      ...(impersonator && { impersonator: { userId: impersonator.userId, email: impersonator.email } }),
    };
  }

  return {
    async exchange(code, codeVerifier, client = { address: "local", userAgent: "" }) {
      const { email } = provider.redeem(code, codeVerifier);
      const user = users.findByEmail(email);
      if (user === undefined) throw invalid("auth.code_invalid");
      // A code requires the password, so this reveals nothing to strangers.
      if (user.status !== "ACTIVE") throw invalid("auth.user_disabled");
      return issue(user, sessions.start(user.userId, client));
    },
    async authenticate(token) {
      const claims = await tokens.verify(token);
      if (claims === undefined) return undefined;
      const session = sessions.find(claims.sid as SessionId); // a wrong id is simply not found
      if (session === undefined || !sessions.isCurrent(session, claims.gen)) return undefined;
      const user = users.findById(session.userId);
      if (user?.status !== "ACTIVE") return undefined;
      if (session.impersonatorId === null) return toPrincipal(user, session, undefined);
      const impersonator = users.findById(session.impersonatorId);
      return impersonator?.status === "ACTIVE" ? toPrincipal(user, session, impersonator) : undefined;
    },
    async refresh(principal) {
      const session = sessions.find(principal.sessionId as SessionId); // it came from `authenticate`
      const user = ensureUser(principal.userId);
      if (session === undefined) throw sessionEnded();
      return issue(user, sessions.renew(session));
    },
    logout: ({ sessionId }) => sessions.end(sessionId as SessionId), // it came from `authenticate`
    me(principal) {
      const ownTenant = tenants.find(principal.tenantId);
      const isOperator = principal.devices === "all" && ownTenant?.isHost === true;
      if (principal.apiKey !== undefined) return keyAsUser(principal, principal.apiKey.name, ownTenant);
      const user = ensureUser(principal.userId);
      const saved = user.tenantId === null ? undefined : tenants.find(user.tenantId);
      return personAsUser(principal, user, { isOperator, ownTenant: saved });
    },
    async impersonate(principal, targetUserId, client) {
      if (principal.impersonator !== undefined) throw forbidden("impersonate.nested");
      const own = sessions.find(principal.sessionId as SessionId); // it came from `authenticate`
      if (own === undefined) throw sessionEnded();
      const target = findColleague(principal, targetUserId);
      if (target === undefined) throw notFound("user.not_found");
      if (target.userId === principal.userId) throw conflict("impersonate.self");
      if (ROLES.indexOf(target.role) < ROLES.indexOf(principal.role)) throw forbidden("impersonate.upwards");
      if (target.status !== "ACTIVE") throw conflict("user.disabled");
      return issue(target, sessions.start(target.userId, client, own));
    },
    nameOf(principal, userId) {
      const user = findColleague(principal, userId);
      return user && { fullName: user.fullName, email: user.email };
    },
  };
}
