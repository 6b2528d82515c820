import type { SessionId, UserId } from "../../lib/ids.ts";
import type { EventBus } from "../../platform/event-bus.ts";
import { newId } from "../../platform/ids.ts";
import type { DomainEvents } from "../events.types.ts";
import type { Client, Session } from "./identity.types.ts";
import type { SessionsRepository } from "./sessions.repository.ts";

/** A session ends this long after its last refresh; its access tokens live 12 h. */
const SESSION_LIFE_MS = 30 * 24 * 3_600_000;
/** The time of the last use is kept no finer, so that reading does not mean writing. */
const USE_KEPT_EVERY_MS = 5 * 60_000;
const USER_AGENT_LENGTH_MAX = 256;
/** Of a user, those in which somebody else acts as the user counted apart: a script that signs in anew each time must not fill the disk. */
const SESSIONS_MAX = 100;

/** Who is signed in where. Ending a session ends at once whatever runs under it, streams and impersonations included. */
export interface SessionsService {
  /** The one that was used longest ago goes when there are too many. `impersonator`: the session of the person who acts as the user; the new one does not outlive it. */
  start(userId: UserId, client: Client, impersonator?: Session): Session;
  /** The session if it is good, with that of an impersonator; notes that it was used. */
  find(sessionId: SessionId): Session | undefined;
  /** An impersonation is not extended: it lives no longer than the session it came from. */
  extend(session: Session): void;
  list(userId: UserId): Session[];
  end(sessionId: SessionId): void;
  /** Signs a user out everywhere, `except` left alone. */
  endAll(userId: UserId, except?: SessionId): void;
}

export function createSessionsService(deps: {
  repository: SessionsRepository;
  events: EventBus<DomainEvents>;
  /** Steady epoch ms: a clock that is set ends no session. */
  now: () => number;
}): SessionsService {
  const { repository, events, now } = deps;

  function end(sessionId: SessionId): void {
    for (const impersonation of repository.listImpersonations(sessionId)) end(impersonation.sessionId);
    repository.delete(sessionId);
    events.emit("session.ended", { sessionId });
  }

  function makeRoom(userId: UserId, isImpersonation: boolean): void {
    const alike = repository
      .list(userId, now())
      .filter(({ impersonatorId }) => (impersonatorId !== null) === isImpersonation);
    for (const { sessionId } of alike.slice(SESSIONS_MAX - 1)) end(sessionId);
  }

  return {
    start(userId, { address, userAgent }, impersonator) {
      const at = now();
      const session: Session = {
        sessionId: newId<SessionId>(),
        userId,
        impersonatorId: impersonator?.userId ?? null,
        impersonatorSessionId: impersonator?.sessionId ?? null,
        address,
        userAgent: userAgent.slice(0, USER_AGENT_LENGTH_MAX),
        createdAt: at,
        lastUsedAt: at,
        expiresAt: impersonator?.expiresAt ?? at + SESSION_LIFE_MS,
      };
      repository.deleteExpired(at);
      makeRoom(userId, impersonator !== undefined);
      repository.insert(session);
      return session;
    },
    find(sessionId) {
      const at = now();
      const session = repository.find(sessionId, at);
      if (session === undefined) return undefined;
      const { impersonatorSessionId } = session;
      if (impersonatorSessionId !== null && repository.find(impersonatorSessionId, at) === undefined)
        return undefined;
      // One from the future is what a clock left that was wrong.
      const isNoted = session.lastUsedAt > at - USE_KEPT_EVERY_MS && session.lastUsedAt <= at;
      if (!isNoted) repository.touch(sessionId, at);
      return session;
    },
    extend({ sessionId, impersonatorSessionId }) {
      if (impersonatorSessionId === null) repository.extend(sessionId, now() + SESSION_LIFE_MS);
    },
    list: (userId) => repository.list(userId, now()),
    end,
    endAll(userId, except) {
      for (const { sessionId } of repository.list(userId, now())) if (sessionId !== except) end(sessionId);
    },
  };
}
