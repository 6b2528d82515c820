import { and, eq, isNull, lte, sql } from "drizzle-orm";
import type { MainDatabase } from "../../platform/database.ts";
import { signUps } from "./identity.tables.ts";

export type SignUp = typeof signUps.$inferSelect;

export interface SignUpRepository {
  find(email: string): SignUp | undefined;
  /** Replaces an earlier sign-up with the address. */
  save(signUp: SignUp): void;
  /** False when there is no try left. */
  takeTry(email: string): boolean;
  confirm(email: string, confirmedAt: number): void;
  delete(email: string): void;
  /** Those that nobody confirmed. */
  deleteAbandoned(codeExpiredBefore: number): void;
}

export function createSignUpRepository({ orm }: MainDatabase): SignUpRepository {
  // Prepared, as whatever guesses run into.
  const byEmail = orm
    .select()
    .from(signUps)
    .where(eq(signUps.email, sql.placeholder("email")))
    .prepare();
  return {
    find: (email) => byEmail.get({ email }),
    save: (signUp) =>
      void orm
        .insert(signUps)
        .values(signUp)
        .onConflictDoUpdate({ target: signUps.email, set: signUp })
        .run(),
    takeTry: (email) =>
      orm
        .update(signUps)
        .set({ triesLeft: sql`${signUps.triesLeft} - 1` })
        .where(and(eq(signUps.email, email), sql`${signUps.triesLeft} > 0`))
        .returning()
        .get() !== undefined,
    confirm: (email, confirmedAt) =>
      void orm.update(signUps).set({ confirmedAt, triesLeft: 0 }).where(eq(signUps.email, email)).run(),
    delete: (email) => void orm.delete(signUps).where(eq(signUps.email, email)).run(),
    deleteAbandoned: (codeExpiredBefore) =>
      void orm
        .delete(signUps)
        .where(and(isNull(signUps.confirmedAt), lte(signUps.codeExpiresAt, codeExpiredBefore)))
        .run(),
  };
}
