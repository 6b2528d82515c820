import { and, eq, ne } from "drizzle-orm";
import type { MainDatabase } from "../../../platform/database/database.ts";
import { integrationAnnouncements as table } from "../integrations.tables.ts";

interface StoredAnnouncement {
  readonly topic: string;
  readonly body: Uint8Array;
}

/** Stores announcements as they were received. */
export function createAnnouncementsRepository({ orm }: MainDatabase) {
  const ofIntegration = (integrationId: string) => eq(table.integrationId, integrationId);
  return {
    /** Lists the announcements from a source, by topic, and deletes those from any other source. */
    takeOver(integrationId: string, source: string): StoredAnnouncement[] {
      orm
        .delete(table)
        .where(and(ofIntegration(integrationId), ne(table.source, source)))
        .run();
      return orm
        .select({ topic: table.topic, body: table.body })
        .from(table)
        .where(ofIntegration(integrationId))
        .orderBy(table.topic)
        .all();
    },
    save(integrationId: string, source: string, { topic, body }: StoredAnnouncement): void {
      const values = { source, body: Buffer.from(body) };
      orm
        .insert(table)
        .values({ integrationId, topic, ...values })
        .onConflictDoUpdate({ target: [table.integrationId, table.topic], set: values })
        .run();
    },
    delete(integrationId: string, topic: string): void {
      orm
        .delete(table)
        .where(and(ofIntegration(integrationId), eq(table.topic, topic)))
        .run();
    },
  };
}

export type AnnouncementsRepository = ReturnType<typeof createAnnouncementsRepository>;
