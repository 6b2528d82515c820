import { DomainError } from "../../lib/domain-error.ts";
import type { SessionId, TenantId, UserId } from "../../lib/ids.ts";
import type { EventBus } from "../../platform/event-bus.ts";
import { newId } from "../../platform/ids.ts";
import type { DomainEvents } from "../events.types.ts";
import type { TenantsService } from "../tenants/tenants.service.ts";
import type { UsersService } from "../users/users.service.ts";
import type { Principal, User } from "../users/users.types.ts";
import type { AccessTokens, Authenticator, CurrentUser } from "./identity.types.ts";
import type { IdentityProvider } from "./provider/identity-provider.ts";
import type { SessionsRepository } from "./sessions.repository.ts";

/** A session ends this long after its last refresh; its access tokens live 12 h. */
const SESSION_LIFE_MS = 30 * 24 * 3_600_000;

export interface AccessToken {
  readonly accessToken: string;
  readonly tokenType: "Bearer";
}

export interface IdentityService extends Authenticator {
  /** Redeems an authorization code for a new session's token. Throws `invalid` for a bad code. */
  exchange(code: string, codeVerifier: string | undefined): Promise<AccessToken>;
  refresh(principal: Principal): Promise<AccessToken>;
  logout(principal: Principal): void;
  me(principal: Principal): CurrentUser;
}

export function createIdentityService(deps: {
  provider: IdentityProvider;
  users: UsersService;
  tenants: Pick<TenantsService, "find">;
  sessions: SessionsRepository;
  tokens: AccessTokens;
  events: EventBus<DomainEvents>;
  /** Steady epoch ms: a clock that is set ends no session. */
  now: () => number;
}): IdentityService {
  const { provider, users, tenants, sessions, tokens, now } = deps;

  async function issue(user: User, sessionId: SessionId): Promise<AccessToken> {
    const tenant = user.tenantId === null ? {} : { tenantId: user.tenantId, role: user.role };
    const accessToken = await tokens.sign({ sub: user.userId, sid: sessionId, email: user.email, ...tenant });
    return { accessToken, tokenType: "Bearer" };
  }

  function ensureUser(userId: UserId): User {
    const user = users.findById(userId);
    if (user === undefined)
      throw new DomainError("unauthenticated", "session.ended", "The session has ended.");
    return user;
  }

  return {
    async exchange(code, codeVerifier) {
      const { email } = provider.redeem(code, codeVerifier);
      const user = users.findByEmail(email);
      if (user === undefined || user.status !== "ACTIVE")
        throw new DomainError("invalid", "auth.code_invalid", "code is unknown, used or expired");
      const sessionId = newId<SessionId>();
      sessions.deleteExpired(now());
      sessions.insert({ sessionId, userId: user.userId, expiresAt: now() + SESSION_LIFE_MS }, now());
      return issue(user, sessionId);
    },
    async authenticate(token) {
      const sessionId = await tokens.verify(token);
      if (sessionId === undefined) return undefined;
      const session = sessions.find(sessionId as SessionId, now()); // a wrong id is simply not found
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
    refresh(principal) {
      const sessionId = principal.sessionId as SessionId; // it came from `authenticate`
      sessions.extend(sessionId, now() + SESSION_LIFE_MS);
      return issue(ensureUser(principal.userId), sessionId);
    },
    logout({ sessionId }) {
      sessions.delete(sessionId as SessionId); // it came from `authenticate`
      deps.events.emit("session.ended", { sessionId });
    },
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
        onboardingRequired: user.tenantId === null,
      };
    },
  };
}
