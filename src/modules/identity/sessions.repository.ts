import { and, eq, gt, lte, sql } from "drizzle-orm";
import type { SessionId, UserId } from "../../lib/ids.ts";
import type { MainDatabase } from "../../platform/database.ts";
import { sessions, setupLinks } from "./identity.tables.ts";

export interface Session {
  readonly sessionId: SessionId;
  readonly userId: UserId;
  readonly expiresAt: number;
}

export interface SessionsRepository {
  insert(session: Session, now: number): void;
  find(sessionId: SessionId, now: number): Session | undefined;
  extend(sessionId: SessionId, expiresAt: number): void;
  delete(sessionId: SessionId): void;
  deleteExpired(now: number): void;
  insertSetupLink(secretHash: string, expiresAt: number): void;
  findSetupLink(secretHash: string, now: number): { expiresAt: number } | undefined;
  deleteSetupLinks(): void;
}

export function createSessionsRepository({ orm }: MainDatabase): SessionsRepository {
  const valid = orm
    .select()
    .from(sessions)
    .where(
      and(
        eq(sessions.sessionId, sql.placeholder("sessionId")),
        gt(sessions.expiresAt, sql.placeholder("now")),
      ),
    )
    .prepare();
  return {
    insert: (session, now) =>
      void orm
        .insert(sessions)
        .values({ ...session, createdAt: now })
        .run(),
    find(sessionId, now) {
      const row = valid.get({ sessionId, now });
      return row && { sessionId, userId: row.userId as UserId, expiresAt: row.expiresAt }; // minted by us
    },
    extend: (sessionId, expiresAt) =>
      void orm.update(sessions).set({ expiresAt }).where(eq(sessions.sessionId, sessionId)).run(),
    delete: (sessionId) => void orm.delete(sessions).where(eq(sessions.sessionId, sessionId)).run(),
    deleteExpired: (now) => void orm.delete(sessions).where(lte(sessions.expiresAt, now)).run(),
    insertSetupLink: (secretHash, expiresAt) =>
      void orm.insert(setupLinks).values({ secretHash, expiresAt }).run(),
    findSetupLink: (secretHash, now) =>
      orm
        .select({ expiresAt: setupLinks.expiresAt })
        .from(setupLinks)
        .where(and(eq(setupLinks.secretHash, secretHash), gt(setupLinks.expiresAt, now)))
        .get(),
    deleteSetupLinks: () => void orm.delete(setupLinks).run(),
  };
}
