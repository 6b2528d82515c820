import { and, desc, eq, gt, lte, sql } from "drizzle-orm";
import type { SessionId, UserId } from "../../lib/core/ids.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { lazyStatement } from "../../platform/database/lazy-statement.ts";
import { sessions, setupLinks } from "./identity.tables.ts";
import type { Session } from "./identity.types.ts";

const toSession = (row: typeof sessions.$inferSelect): Session => ({
  ...row,
  sessionId: row.sessionId as SessionId, // ids in our own tables were minted by us
  userId: row.userId,
  impersonatorId: row.impersonatorId as UserId | null,
  impersonatorSessionId: row.impersonatorSessionId as SessionId | null,
});

export function createSessionsRepository({ orm }: MainDatabase) {
  const valid = lazyStatement(() =>
    orm
      .select()
      .from(sessions)
      .where(
        and(
          eq(sessions.sessionId, sql.placeholder("sessionId")),
          gt(sessions.expiresAt, sql.placeholder("now")),
        ),
      ),
  );
  return {
    insert: (session: Session): void => void orm.insert(sessions).values(session).run(),
    find(sessionId: SessionId, now: number): Session | undefined {
      const row = valid.get({ sessionId, now });
      return row && toSession(row);
    },
    /** Lists the sessions of a user, newest first, including impersonations of the user. */
    list: (userId: UserId, now: number): Session[] =>
      orm
        .select()
        .from(sessions)
        .where(and(eq(sessions.userId, userId), gt(sessions.expiresAt, now)))
        .orderBy(desc(sessions.lastUsedAt), desc(sessions.sessionId))
        .all()
        .map(toSession),
    /** Returns the impersonations started from this session. */
    listImpersonations: (sessionId: SessionId): Session[] =>
      orm.select().from(sessions).where(eq(sessions.impersonatorSessionId, sessionId)).all().map(toSession),
    renew: ({
      sessionId,
      expiresAt,
      generation,
      renewedAt,
    }: Pick<Session, "sessionId" | "expiresAt" | "generation" | "renewedAt">): void =>
      void orm
        .update(sessions)
        .set({ expiresAt, generation, renewedAt })
        .where(eq(sessions.sessionId, sessionId))
        .run(),
    touch: (sessionId: SessionId, lastUsedAt: number): void =>
      void orm.update(sessions).set({ lastUsedAt }).where(eq(sessions.sessionId, sessionId)).run(),
    delete: (sessionId: SessionId): void =>
      void orm.delete(sessions).where(eq(sessions.sessionId, sessionId)).run(),
    deleteExpired: (now: number): void => void orm.delete(sessions).where(lte(sessions.expiresAt, now)).run(),
    insertSetupLink: (secretHash: string, expiresAt: number): void =>
      void orm.insert(setupLinks).values({ secretHash, expiresAt }).run(),
    findSetupLink: (secretHash: string, now: number): { expiresAt: number } | undefined =>
      orm
        .select({ expiresAt: setupLinks.expiresAt })
        .from(setupLinks)
        .where(and(eq(setupLinks.secretHash, secretHash), gt(setupLinks.expiresAt, now)))
        .get(),
    prolongSetupLink: (secretHash: string, expiresAt: number): void =>
      void orm.update(setupLinks).set({ expiresAt }).where(eq(setupLinks.secretHash, secretHash)).run(),
    deleteSetupLinks: (): void => void orm.delete(setupLinks).run(),
  };
}

export type SessionsRepository = ReturnType<typeof createSessionsRepository>;
