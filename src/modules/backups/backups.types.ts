import type { Text } from "../../lib/texts/text.ts";
import type { Retention } from "./retention.ts";
import type { BackupPlace } from "./snapshot.types.ts";

export interface BackupSettings extends Retention {
  /** Location of backups; null before it is configured. */
  readonly place: BackupPlace | null;
  readonly passphrase: string | null;
  /** Schedule of backups: five cron fields in a time zone. Null: manual only. */
  readonly schedule: { readonly expression: string; readonly timezone: string } | null;
  /** Max. age of the newest good backup in hours, before the gateway warns. */
  readonly maxAgeHours: number;
  /** Max. days until every stored object is read back. */
  readonly verifyDays: number;
  /** Timestamp of the last change of the location. */
  readonly placeSince: number;
  /** Epoch ms of the last change, which starts the schedule. */
  readonly savedAt: number;
}

export type BackupTrigger = "SCHEDULE" | "USER";
/** `DAMAGED`: the backup is complete but contains damaged data, so it does not count as good. */
export type BackupRunState = "RUNNING" | "DONE" | "DAMAGED" | "FAILED";

export interface RunFilter {
  readonly limit: number;
  readonly offset: number;
  readonly search?: string | undefined;
}

export interface StoredBackupRun {
  readonly runId: number;
  readonly trigger: BackupTrigger;
  readonly state: BackupRunState;
  readonly startedAt: number;
  readonly finishedAt: number | null;
  readonly snapshotId: string | null;
  readonly bytes: number | null;
  readonly addedBytes: number | null;
  readonly openedAll: boolean;
  /** Reason for the failure, or the damage found. */
  readonly error: Text | null;
}
