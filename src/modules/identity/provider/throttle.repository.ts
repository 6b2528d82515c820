import { eq, lte, sql } from "drizzle-orm";
import type { MainDatabase } from "../../../platform/database.ts";
import { throttles } from "./provider.tables.ts";

export interface ThrottleRepository {
  /** When the subject's budget is whole again (epoch ms). */
  find(subject: string): number | undefined;
  save(subject: string, recoversAt: number): void;
  delete(subject: string): void;
  deleteRecovered(now: number): void;
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
  };
}
