import { and, eq, lte, sql } from "drizzle-orm";
import type { MainDatabase } from "../../../platform/database.ts";
import { accounts, authorizationCodes, signInFailures } from "./provider.tables.ts";

export interface Account {
  readonly accountId: string;
  readonly email: string;
  readonly passwordHash: string;
  /** The password is a temporary one: it opens nothing but the page on which it is changed. */
  readonly mustChangePassword: boolean;
}

/** When a window that still counts began (epoch ms): one from the future is what a clock left that was wrong. */
export interface FailureWindow {
  readonly after: number;
  readonly now: number;
}

export interface AuthorizationCode {
  readonly codeHash: string;
  readonly accountId: string;
  readonly redirectUri: string | null;
  readonly codeChallenge: string | null;
  readonly expiresAt: number;
}

export interface ProviderRepository {
  findAccount(email: string): Account | undefined;
  /** Replaces the password of an account that there is already. */
  saveAccount(account: Account, now: number): void;
  /** @throws when `newEmail` has an account. */
  renameAccount(email: string, newEmail: string, now: number): void;
  deleteAccount(email: string): void;
  insertCode(code: AuthorizationCode): void;
  /** Takes the code out, so that it works once; undefined when unknown or expired. */
  takeCode(codeHash: string, now: number): (AuthorizationCode & { email: string }) | undefined;
  /** Failures of a subject in its current window; 0 when the window has passed. */
  countFailures(subject: string, window: FailureWindow): number;
  addFailure(subject: string, window: FailureWindow): void;
  clearFailures(subject: string): void;
  /** Takes one failure back: the attempt that was counted ahead turned out well. */
  forgiveFailure(subject: string): void;
  deleteExpired(now: number, failuresBefore: number): void;
}

const isCurrent = ({ after, now }: FailureWindow) =>
  sql`(${signInFailures.windowStartedAt} > ${after} AND ${signInFailures.windowStartedAt} <= ${now})`;

export function createProviderRepository({ orm }: MainDatabase): ProviderRepository {
  return {
    findAccount: (email) => orm.select().from(accounts).where(eq(accounts.email, email)).get(),
    saveAccount: (account, now) =>
      void orm
        .insert(accounts)
        .values({ ...account, createdAt: now, updatedAt: now })
        .onConflictDoUpdate({
          target: accounts.email,
          set: {
            passwordHash: account.passwordHash,
            mustChangePassword: account.mustChangePassword,
            updatedAt: now,
          },
        })
        .run(),
    renameAccount: (email, newEmail, now) =>
      void orm
        .update(accounts)
        .set({ email: newEmail, updatedAt: now })
        .where(eq(accounts.email, email))
        .run(),
    deleteAccount: (email) => void orm.delete(accounts).where(eq(accounts.email, email)).run(),
    insertCode: (code) => void orm.insert(authorizationCodes).values(code).run(),
    takeCode(codeHash, now) {
      const code = orm
        .delete(authorizationCodes)
        .where(eq(authorizationCodes.codeHash, codeHash))
        .returning()
        .get();
      if (code === undefined || code.expiresAt <= now) return undefined;
      const account = orm.select().from(accounts).where(eq(accounts.accountId, code.accountId)).get();
      return account && { ...code, email: account.email };
    },
    countFailures: (subject, window) =>
      orm
        .select({ count: signInFailures.count })
        .from(signInFailures)
        .where(and(eq(signInFailures.subject, subject), isCurrent(window)))
        .get()?.count ?? 0,
    addFailure: (subject, window) =>
      void orm
        .insert(signInFailures)
        .values({ subject, count: 1, windowStartedAt: window.now })
        .onConflictDoUpdate({
          target: signInFailures.subject,
          set: {
            count: sql`CASE WHEN ${isCurrent(window)} THEN ${signInFailures.count} + 1 ELSE 1 END`,
            windowStartedAt: sql`CASE WHEN ${isCurrent(window)} THEN ${signInFailures.windowStartedAt} ELSE ${window.now} END`,
          },
        })
        .run(),
    clearFailures: (subject) =>
      void orm.delete(signInFailures).where(eq(signInFailures.subject, subject)).run(),
    forgiveFailure: (subject) =>
      void orm
        .update(signInFailures)
        .set({ count: sql`max(${signInFailures.count} - 1, 0)` })
        .where(eq(signInFailures.subject, subject))
        .run(),
    deleteExpired(now, failuresBefore) {
      orm.delete(authorizationCodes).where(lte(authorizationCodes.expiresAt, now)).run();
      orm.delete(signInFailures).where(lte(signInFailures.windowStartedAt, failuresBefore)).run();
    },
  };
}
