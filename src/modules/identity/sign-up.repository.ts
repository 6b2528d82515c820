import { and, eq, isNull, lte, sql } from "drizzle-orm";
import type { MainDatabase } from "../../platform/database/database.ts";
import { lazyStatement } from "../../platform/database/lazy-statement.ts";
import { signUps } from "./identity.tables.ts";

export type SignUp = typeof signUps.$inferSelect;

export function createSignUpRepository({ orm }: MainDatabase) {
  // Prepared, because guessing clients call it often.
  const byEmail = lazyStatement(() =>
    orm
      .select()
      .from(signUps)
      .where(eq(signUps.email, sql.placeholder("email"))),
  );
  return {
    find: (email: string): SignUp | undefined => byEmail.get({ email }),
    /** Saves a sign-up, replacing an earlier one of the address. */
    save: (signUp: SignUp): void =>
      void orm
        .insert(signUps)
        .values(signUp)
        .onConflictDoUpdate({ target: signUps.email, set: signUp })
        .run(),
    /** Returns `false` if no attempts are left. */
    takeTry: (email: string): boolean =>
      orm
        .update(signUps)
        .set({ triesLeft: sql`${signUps.triesLeft} - 1` })
        .where(and(eq(signUps.email, email), sql`${signUps.triesLeft} > 0`))
        .returning()
        .get() !== undefined,
    confirm: (email: string, confirmedAt: number): void =>
      void orm.update(signUps).set({ confirmedAt, triesLeft: 0 }).where(eq(signUps.email, email)).run(),
    delete: (email: string): void => void orm.delete(signUps).where(eq(signUps.email, email)).run(),
    /** Deletes unconfirmed sign-ups. */
    deleteAbandoned: (codeExpiredBefore: number): void =>
      void orm
        .delete(signUps)
        .where(and(isNull(signUps.confirmedAt), lte(signUps.codeExpiresAt, codeExpiredBefore)))
        .run(),
  };
}

export type SignUpRepository = ReturnType<typeof createSignUpRepository>;
