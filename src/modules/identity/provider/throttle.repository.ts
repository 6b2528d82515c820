import { and, asc, eq, gt, lte, sql } from "drizzle-orm";
import type { MainDatabase } from "../../../platform/database.ts";
import { occurrences, throttles } from "./provider.tables.ts";

export interface ThrottleRepository {
  /** When the subject's budget is whole again (epoch ms). */
  find(subject: string): number | undefined;
  save(subject: string, recoversAt: number): void;
  delete(subject: string): void;
  deleteRecovered(now: number): void;
  addOccurrence(subject: string, at: number): void;
  /** In (after, until], the oldest first; later ones are what a clock left that was wrong. */
  listOccurrences(subject: string, window: { after: number; until: number }): number[];
  deleteOccurrences(before: number): void;
}

export function createThrottleRepository({ orm }: MainDatabase): ThrottleRepository {
  const bySubject = orm
    .select({ recoversAt: throttles.recoversAt })
    .from(throttles)
    .where(eq(throttles.subject, sql.placeholder("subject")))
    .prepare();
  const upsert = orm
    .insert(throttles)
    .values({ subject: sql.placeholder("subject"), recoversAt: sql.placeholder("recoversAt") })
    .onConflictDoUpdate({ target: throttles.subject, set: { recoversAt: sql`excluded.recovers_at` } })
    .prepare();
  return {
    find: (subject) => bySubject.get({ subject })?.recoversAt,
    save: (subject, recoversAt) => void upsert.run({ subject, recoversAt }),
    delete: (subject) => void orm.delete(throttles).where(eq(throttles.subject, subject)).run(),
    deleteRecovered: (now) => void orm.delete(throttles).where(lte(throttles.recoversAt, now)).run(),
    addOccurrence: (subject, at) => void orm.insert(occurrences).values({ subject, at }).run(),
    listOccurrences: (subject, { after, until }) =>
      orm
        .select({ at: occurrences.at })
        .from(occurrences)
        .where(and(eq(occurrences.subject, subject), gt(occurrences.at, after), lte(occurrences.at, until)))
        .orderBy(asc(occurrences.at))
        .all()
        .map((row) => row.at),
    deleteOccurrences: (before) => void orm.delete(occurrences).where(lte(occurrences.at, before)).run(),
  };
}
