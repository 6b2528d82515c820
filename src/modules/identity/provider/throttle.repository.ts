import { and, asc, eq, gt, lte, sql } from "drizzle-orm";
import type { MainDatabase } from "../../../platform/database/database.ts";
import { lazyStatement } from "../../../platform/database/lazy-statement.ts";
import { occurrences, throttles } from "./provider.tables.ts";

export function createThrottleRepository({ orm }: MainDatabase) {
  const bySubject = lazyStatement(() =>
    orm
      .select({ recoversAt: throttles.recoversAt })
      .from(throttles)
      .where(eq(throttles.subject, sql.placeholder("subject"))),
  );
  const upsert = lazyStatement(() =>
    orm
      .insert(throttles)
      .values({ subject: sql.placeholder("subject"), recoversAt: sql.placeholder("recoversAt") })
      .onConflictDoUpdate({ target: throttles.subject, set: { recoversAt: sql`excluded.recovers_at` } }),
  );
  return {
    /** Returns the time at which the subject's budget is fully restored (epoch ms). */
    find: (subject: string): number | undefined => bySubject.get({ subject })?.recoversAt,
    save: (subject: string, recoversAt: number): void => void upsert.run({ subject, recoversAt }),
    delete: (subject: string): void => void orm.delete(throttles).where(eq(throttles.subject, subject)).run(),
    deleteRecovered: (now: number): void =>
      void orm.delete(throttles).where(lte(throttles.recoversAt, now)).run(),
    addOccurrence: (subject: string, timeMs: number): void =>
      void orm.insert(occurrences).values({ subject, at: timeMs }).run(),
    /** Lists the occurrences in (after, until], oldest first. Later ones come from a wrong clock. */
    listOccurrences: (subject: string, { after, until }: { after: number; until: number }): number[] =>
      orm
        .select({ at: occurrences.at })
        .from(occurrences)
        .where(and(eq(occurrences.subject, subject), gt(occurrences.at, after), lte(occurrences.at, until)))
        .orderBy(asc(occurrences.at))
        .all()
        .map((row) => row.at),
    deleteOccurrences: (before: number): void =>
      void orm.delete(occurrences).where(lte(occurrences.at, before)).run(),
  };
}

export type ThrottleRepository = ReturnType<typeof createThrottleRepository>;
