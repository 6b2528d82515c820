import type { SessionId, UserId } from "../../lib/core/ids.ts";
import type { EventBus } from "../../platform/core/event-bus.ts";
import { newId } from "../../platform/core/ids.ts";
import type { DomainEvents } from "../events.types.ts";
import type { Client, Session } from "./identity.types.ts";
import type { SessionsRepository } from "./sessions.repository.ts";

/** A session ends this long after its last refresh; its access tokens live 12 h. */
const SESSION_LIFETIME_MS = 30 * 24 * 3_600_000;
/** Time for which tokens of the previous generation stay valid, for other tabs and for requests in progress. */
const RENEWAL_OVERLAP_MS = 15 * 60_000;
/** The time of the last use is kept no finer, so that reading does not mean writing. */
const USE_KEPT_EVERY_MS = 5 * 60_000;
const USER_AGENT_LENGTH_MAX = 256;
/**
 * Sessions of a user; those in which somebody else acts as the user count separately. A script that signs in anew each time must
 * not fill the disk.
 */
const SESSIONS_MAX = 100;

/**
 * Creates the service of sessions. The end of a session immediately ends everything that runs under it, including streams and
 * impersonations.
 */
export function createSessionsService(deps: {
  repository: SessionsRepository;
  events: EventBus<DomainEvents>;
  /** However often it is renewed, a session ends this long after its start. */
  lifetimeMsMax: number;
  /** Steady epoch ms: a clock that is set ends no session. */
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
    /** The one that was used longest ago goes when there are too many. `impersonator`: the session of the person who acts as the user; the new one does not outlive it. */
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
    /** The session if it is good, with that of an impersonator; notes that it was used. */
    find(sessionId: SessionId): Session | undefined {
      const timeMs = now();
      const session = repository.find(sessionId, timeMs);
      if (session === undefined) return undefined;
      const { impersonatorSessionId } = session;
      if (impersonatorSessionId !== null && repository.find(impersonatorSessionId, timeMs) === undefined)
        return undefined;
      // One from the future is what a clock left that was wrong.
      const isNoted = session.lastUsedAt > timeMs - USE_KEPT_EVERY_MS && session.lastUsedAt <= timeMs;
      if (!isNoted) repository.touch(sessionId, timeMs);
      return session;
    },
    /**
     * A new generation, whose tokens take the place of those before; soon after the last renewal the same one again, for tabs that renew at
     * the same time. An impersonation is not extended: it lives no longer than the session it came from.
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
    /** Returns whether tokens of this generation are valid: the newest one, and for a while the previous one. */
    isCurrent: (session: Session, generation: number): boolean =>
      generation === session.generation ||
      (generation === session.generation - 1 && isRecent(session, now())),
    list: (userId: UserId): Session[] => repository.list(userId, now()),
    end,
    /** Signs a user out everywhere, `except` left alone. */
    endAll(userId: UserId, except?: SessionId): void {
      for (const { sessionId } of repository.list(userId, now())) if (sessionId !== except) end(sessionId);
    },
  };
}

export type SessionsService = ReturnType<typeof createSessionsService>;
