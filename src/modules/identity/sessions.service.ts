import type { SessionId, UserId } from "../../lib/core/ids.ts";
import type { EventBus } from "../../platform/core/event-bus.ts";
import { newId } from "../../platform/core/ids.ts";
import type { DomainEvents } from "../events.types.ts";
import type { Client, Session } from "./identity.types.ts";
import type { SessionsRepository } from "./sessions.repository.ts";

/** Time in ms after which an unrefreshed session ends; its access tokens are valid for 12 h. */
const SESSION_LIFETIME_MS = 30 * 24 * 3_600_000;
/** Time in ms for which tokens of the previous generation stay valid, for other tabs and requests in progress. */
const RENEWAL_OVERLAP_MS = 15 * 60_000;
/** Precision of the last use in ms, so that reads do not cause writes. */
const USE_KEPT_EVERY_MS = 5 * 60_000;
const USER_AGENT_LENGTH_MAX = 256;
/** Max. sessions of a user; impersonations count separately. A script that signs in repeatedly must not fill the disk. */
const SESSIONS_MAX = 100;

/**
 * Creates the service of sessions. The end of a session immediately ends everything that runs under it, including streams and
 * impersonations.
 */
export function createSessionsService(deps: {
  repository: SessionsRepository;
  events: EventBus<DomainEvents>;
  /** Max. lifetime of a session in ms, however often it is renewed. */
  lifetimeMsMax: number;
  /** Returns monotonic epoch ms, so that setting the clock ends no session. */
  now: () => number;
}) {
  const { repository, events, now } = deps;

  const isRecent = ({ renewedAt }: Session, timeMs: number) => timeMs - renewedAt < RENEWAL_OVERLAP_MS;

  function end(sessionId: SessionId): void {
    for (const impersonation of repository.listImpersonations(sessionId)) end(impersonation.sessionId);
    repository.delete(sessionId);
    events.emit("session.ended", { sessionId });
  }

  function endOldest(userId: UserId, isImpersonation: boolean): void {
    const alike = repository
      .list(userId, now())
      .filter(({ impersonatorId }) => (impersonatorId !== null) === isImpersonation);
    for (const { sessionId } of alike.slice(SESSIONS_MAX - 1)) end(sessionId);
  }

  return {
    /**
     * Starts a session, ending the least recently used one if there are too many. `impersonator`: session of the impersonating user, with which the
     * new session ends.
     */
    start(userId: UserId, { address, userAgent }: Client, impersonator?: Session): Session {
      const timeMs = now();
      const session: Session = {
        sessionId: newId<SessionId>(),
        userId,
        impersonatorId: impersonator?.userId ?? null,
        impersonatorSessionId: impersonator?.sessionId ?? null,
        address,
        userAgent: userAgent.slice(0, USER_AGENT_LENGTH_MAX),
        createdAt: timeMs,
        lastUsedAt: timeMs,
        expiresAt:
          impersonator?.expiresAt ?? Math.min(timeMs + SESSION_LIFETIME_MS, timeMs + deps.lifetimeMsMax),
        generation: 0,
        renewedAt: timeMs,
      };
      repository.deleteExpired(timeMs);
      endOldest(userId, impersonator !== undefined);
      repository.insert(session);
      if (impersonator === undefined) events.emit("user.signed-in", { userId });
      return session;
    },
    /** Returns a valid session and records its use; an impersonation also requires the impersonator's session. */
    find(sessionId: SessionId): Session | undefined {
      const timeMs = now();
      const session = repository.find(sessionId, timeMs);
      if (session === undefined) return undefined;
      const { impersonatorSessionId } = session;
      if (impersonatorSessionId !== null && repository.find(impersonatorSessionId, timeMs) === undefined)
        return undefined;
      // A time in the future was stored while the clock was wrong.
      const isNoted = session.lastUsedAt > timeMs - USE_KEPT_EVERY_MS && session.lastUsedAt <= timeMs;
      if (!isNoted) repository.touch(sessionId, timeMs);
      return session;
    },
    /**
     * Starts a new generation, whose tokens replace the previous ones; soon after the last renewal, returns the same one, for tabs that renew
     * simultaneously. An impersonation is not extended beyond its original session.
     */
    renew(session: Session): Session {
      const timeMs = now();
      if (isRecent(session, timeMs) && session.generation > 0) return session;
      const { createdAt, impersonatorSessionId } = session;
      const expiresAt =
        impersonatorSessionId === null
          ? Math.min(timeMs + SESSION_LIFETIME_MS, createdAt + deps.lifetimeMsMax)
          : session.expiresAt;
      const renewed = { ...session, expiresAt, generation: session.generation + 1, renewedAt: timeMs };
      repository.renew(renewed);
      return renewed;
    },
    /** Returns whether tokens of the generation are valid: the newest generation, and for a while the previous one. */
    isCurrent: (session: Session, generation: number): boolean =>
      generation === session.generation ||
      (generation === session.generation - 1 && isRecent(session, now())),
    list: (userId: UserId): Session[] => repository.list(userId, now()),
    end,
    /** Ends all sessions of a user except `except`. */
    endAll(userId: UserId, except?: SessionId): void {
      for (const { sessionId } of repository.list(userId, now())) if (sessionId !== except) end(sessionId);
    },
  };
}

export type SessionsService = ReturnType<typeof createSessionsService>;
