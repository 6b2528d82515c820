import type { Text } from "../../../lib/texts/text.ts";
import type {
  backupRun,
  settingsBody,
  settingsInput,
  snapshotBody,
  testInput,
} from "../../../modules/backups/backups.schemas.ts";
import type { Refined, Wire } from "../../lib/wire.ts";
import { get, getPage, post, put } from "../../platform/api-client.ts";

type Problem = Text & { readonly message: string };
export type BackupRun = Refined<Wire<typeof backupRun>, { error?: Problem }>;
export type BackupSettings = Refined<
  Wire<typeof settingsBody>,
  { newestGood?: BackupRun; problem?: Problem }
>;
export type BackupSettingsInput = Wire<typeof settingsInput>;
export type BackupTestInput = Wire<typeof testInput>;
export type BackupSnapshot = Wire<typeof snapshotBody>;

const BASE = "/api/gateway/backup";

export const backupsApi = {
  settings: () => get<BackupSettings>(BASE),
  save: (settings: BackupSettingsInput) => put<BackupSettings>(BASE, settings),
  test: (input: BackupTestInput) => post(`${BASE}/test`, input),
  runs: (limit: number) => getPage<BackupRun>(`${BASE}/runs`, { limit }),
  run: () => post<BackupRun>(`${BASE}/runs`),
  snapshots: (limit: number) => getPage<BackupSnapshot>(`${BASE}/snapshots`, { limit, sort: "-createdAt" }),
  /** Returns the path for downloading one backup as a file, encrypted as at the place. */
  downloadPath: async (id: string) =>
    (await post<{ path: string }>(`${BASE}/snapshots/${encodeURIComponent(id)}/download-link`)).path,
};
