import { DomainError } from "../../lib/domain-error.ts";
import type { SessionId, TenantId, UserId } from "../../lib/ids.ts";
import type { TenantsService } from "../tenants/tenants.service.ts";
import type { UsersService } from "../users/users.service.ts";
import type { Principal, User } from "../users/users.types.ts";
import type { AccessTokens, Authenticator, Client, CurrentUser } from "./identity.types.ts";
import { isAllowed, isBeforeTenant, needsPerson, type Permission, permissions } from "./permissions.ts";
import type { IdentityProvider } from "./provider/identity-provider.ts";
import type { SessionsService } from "./sessions.service.ts";

export interface AccessToken {
  readonly accessToken: string;
  readonly tokenType: "Bearer";
}

export interface IdentityService extends Authenticator {
  /** Redeems an authorization code for a new session's token. Throws `invalid` for a bad code. */
  exchange(code: string, codeVerifier: string | undefined, client?: Client): Promise<AccessToken>;
  refresh(principal: Principal): Promise<AccessToken>;
  logout(principal: Principal): void;
  me(principal: Principal): CurrentUser;
}

/** As the auth plugin would decide. */
function permissionsOf({ role, tenantId, apiKey }: Principal): Permission[] {
  const all = Object.keys(permissions) as Permission[]; // the table has no others
  return all.filter(
    (permission) =>
      isAllowed(role, permission) &&
      (apiKey === undefined || !needsPerson(permission)) &&
      (tenantId !== "" || isBeforeTenant(permission)),
  );
}

const sessionEnded = () => new DomainError("unauthenticated", "session.ended", "The session has ended.");

export function createIdentityService(deps: {
  provider: IdentityProvider;
  users: UsersService;
  tenants: Pick<TenantsService, "find">;
  sessions: SessionsService;
  tokens: AccessTokens;
}): IdentityService {
  const { provider, users, tenants, sessions, tokens } = deps;

  async function issue(user: User, sessionId: SessionId): Promise<AccessToken> {
    const tenant = user.tenantId === null ? {} : { tenantId: user.tenantId, role: user.role };
    const accessToken = await tokens.sign({ sub: user.userId, sid: sessionId, email: user.email, ...tenant });
    return { accessToken, tokenType: "Bearer" };
  }

  function ensureUser(userId: UserId): User {
    const user = users.findById(userId);
    if (user === undefined) throw sessionEnded();
    return user;
  }

  return {
    async exchange(code, codeVerifier, client = { address: "local", userAgent: "" }) {
      const { email } = provider.redeem(code, codeVerifier);
      const user = users.findByEmail(email);
      if (user === undefined || user.status !== "ACTIVE")
        throw new DomainError("invalid", "auth.code_invalid", "code is unknown, used or expired");
      return issue(user, sessions.start(user.userId, client).sessionId);
    },
    async authenticate(token) {
      const sessionId = await tokens.verify(token);
      if (sessionId === undefined) return undefined;
      const session = sessions.find(sessionId as SessionId); // a wrong id is simply not found
      const user = session && users.findById(session.userId);
      if (user === undefined || user.status !== "ACTIVE") return undefined;
      return {
        userId: user.userId,
        email: user.email,
        tenantId: user.tenantId ?? ("" as TenantId), // matches no tenant: such a user only gets as far as onboarding
        role: user.role,
        sessionId,
        canAcknowledgeAlarms: user.canAcknowledgeAlarms,
        get devices() {
          return users.visibleDevices(user.userId); // what a stream may show changes while it runs
        },
      };
    },
    async refresh(principal) {
      const session = sessions.find(principal.sessionId as SessionId); // it came from `authenticate`
      const user = ensureUser(principal.userId);
      if (session === undefined) throw sessionEnded();
      sessions.extend(session);
      return issue(user, session.sessionId);
    },
    logout: ({ sessionId }) => sessions.end(sessionId as SessionId), // it came from `authenticate`
    me(principal) {
      if (principal.apiKey !== undefined) {
        const { userId, email, tenantId, role, apiKey } = principal;
        const tenantName = tenants.find(tenantId)?.name ?? "";
        return {
          userId,
          email,
          fullName: apiKey.name,
          tenantId,
          role,
          tenantName,
          permissions: permissionsOf(principal),
          onboardingRequired: false,
        };
      }
      const user = ensureUser(principal.userId);
      const tenantName = user.tenantId === null ? undefined : tenants.find(user.tenantId)?.name;
      return {
        userId: user.userId,
        email: user.email,
        fullName: user.fullName,
        ...(user.tenantId === null ? {} : { tenantId: user.tenantId, role: user.role }),
        ...(tenantName === undefined ? {} : { tenantName }),
        permissions: permissionsOf(principal),
        onboardingRequired: user.tenantId === null,
      };
    },
  };
}
