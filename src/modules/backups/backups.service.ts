import { VERIFY_DAYS_DEFAULT } from "../../lib/console/form-limits.ts";
import { conflict, DomainError, detail, inEnglish, invalid, toText } from "../../lib/core/domain-error.ts";
import { messageOf } from "../../lib/core/error-message.ts";
import { HOUR_MS } from "../../lib/core/units.ts";
import type { Text } from "../../lib/texts/text.ts";
import { ConfigError } from "../../platform/config/config.ts";
import type { Logger } from "../../platform/core/log.ts";
import type { FolderCheck } from "../../platform/files/folder-check.ts";
import { isNamedOutside } from "../../platform/files/outside-folder.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { createPeriodic } from "../../platform/time/periodic.ts";
import { nextTime, parseSchedule } from "../scheduler/schedule.ts";
import type { SettingsService } from "../settings/settings.service.ts";
import { ensureOperator } from "../tenants/tenants.errors.ts";
import type { TenantsService } from "../tenants/tenants.service.ts";
import type { Principal } from "../users/users.types.ts";
import { gatewayIdOf } from "./backup-job.ts";
import {
  type BackupConfig,
  ensureUnfixed,
  type FixedKey,
  fixedKeysOf,
  settingsInForce,
} from "./backup-settings.ts";
import type { BackupRequest, BackupThread } from "./backup-thread.ts";
import type { BackupsRepository } from "./backups.repository.ts";
import type { BackupSettings, BackupTrigger, RunFilter, StoredBackupRun } from "./backups.types.ts";
import type { ListedSnapshot } from "./place-requests.ts";
import type { PlaceThread } from "./place-thread.ts";
import type { BackupPlace, BackupResult } from "./snapshot.types.ts";
import { openTarget } from "./snapshot-repository.ts";
import { ARCHIVE_HEAD, archiveEntryHead } from "./targets/archive-target.ts";

const CHECK_INTERVAL_MS = 30_000;
/** Retry delay of a failed scheduled backup. */
const RETRY_AFTER_MS = HOUR_MS;
const WEEK_MS = 7 * 24 * HOUR_MS;
/** Reading rate; a small part of a disk's speed, so that other work is not disturbed. */
const BYTES_PER_SECOND = 50_000_000;
const SETTINGS = "backup";
/** Setting with the place that had a good backup since it was saved. */
const USED_PLACE = "backup.used_place";
const OVERDUE = "backup.overdue";
/** Findings of a run that need action. */
const DAMAGE = ["backup.source_damaged", "backup.place_damaged"];

export interface BackupStatus {
  readonly running: { readonly startedAt: number; readonly share: number } | undefined;
  readonly newestGood: StoredBackupRun | undefined;
  readonly nextAt: number | undefined;
  /** Overdue backup, failed run or damage. */
  readonly problems: readonly Text[];
}

export interface BackupsDeps {
  readonly repository: BackupsRepository;
  readonly settings: SettingsService;
  readonly thread: BackupThread;
  readonly places: PlaceThread;
  readonly folders: Pick<FolderCheck, "ensureOutside">;
  readonly tenants: Pick<TenantsService, "find">;
  readonly config: BackupConfig;
  readonly dataPath: string;
  readonly lineside: string;
  /** Id of this machine; `undefined` if it has none. */
  readonly machine: string | undefined;
  /** Resolves once all acknowledged data is on disk. */
  readonly durable: () => Promise<unknown>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Backups of the whole gateway: settings, schedule, runs and stored snapshots. For owners of the gateway's own tenant. */
export class BackupsService {
  readonly #deps: BackupsDeps;
  readonly #timer: { start(): void; stop(): void };
  #running: { startedAt: number; share: number } | undefined;
  #work: Promise<void> = Promise.resolve();
  #settings: BackupSettings;
  #warned = false;

  constructor(deps: BackupsDeps) {
    this.#deps = deps;
    const { clock, log, config } = deps;
    this.#settings = settingsInForce(deps.settings.read<BackupSettings>(SETTINGS), config);
    this.#ensureUsable();
    this.#timer = createPeriodic({ clock, log, intervalMs: CHECK_INTERVAL_MS, work: () => this.#check() });
  }

  start(): void {
    const { repository, clock } = this.#deps;
    repository.endInterrupted(clock.now(), detail("backup.interrupted"));
    this.#timer.start();
  }

  async stop(): Promise<void> {
    this.#timer.stop();
    this.#deps.thread.stop();
    this.#deps.places.stop();
    await this.#work;
  }

  /** @throws DomainError `forbidden` for tenants other than the gateway's own, because a backup contains the data of all */
  ensureOperator(principal: Pick<Principal, "tenantId" | "devices">): void {
    ensureOperator(this.#deps.tenants, principal);
  }

  get settings(): BackupSettings {
    return this.#settings;
  }

  /** Configured keys, which take precedence over settings. */
  get fixed(): readonly FixedKey[] {
    return fixedKeysOf(this.#deps.config);
  }

  /** @throws ConfigError for invalid settings in the configuration */
  #ensureUsable(): void {
    const { config, clock, dataPath } = this.#deps;
    const { place, schedule } = this.#settings;
    try {
      // The start does not wait for the disk of the backups. Each run resolves links.
      if (config.backup_to !== undefined && place?.kind === "folder" && !isNamedOutside(place.path, dataPath))
        throw invalid("backup.folder_invalid");
      if (config.backup_schedule !== undefined && schedule !== null)
        parseSchedule({ kind: "cron", ...schedule }, clock.now());
    } catch (error) {
      throw new ConfigError([`${this.fixed.join(", ")}: ${error instanceof Error ? error.message : error}`]);
    }
  }

  /** @throws DomainError `invalid`; `unavailable` for a folder whose disk does not respond */
  async save(settings: Omit<BackupSettings, "savedAt" | "placeSince">): Promise<BackupSettings> {
    const { settings: settingsStore, clock, folders, config } = this.#deps;
    ensureUnfixed(settings, { inForce: this.#settings, config });
    if (settings.place?.kind === "folder") await folders.ensureOutside(settings.place.path);
    if (settings.schedule !== null) parseSchedule({ kind: "cron", ...settings.schedule }, clock.now());
    const isSamePlace = JSON.stringify(settings.place) === JSON.stringify(this.#settings.place);
    const savedAt = clock.now();
    const saved = { ...settings, placeSince: isSamePlace ? this.#settings.placeSince : savedAt, savedAt };
    settingsStore.save(SETTINGS, saved, saved.savedAt);
    // Saving confirms that the place may be empty.
    settingsStore.delete(USED_PLACE);
    this.#settings = saved;
    return saved;
  }

  status(): BackupStatus {
    const { repository } = this.#deps;
    const newestGood = repository.newestGoodRun(this.#past(this.#settings.placeSince));
    const newest = repository.newestRun();
    return {
      running: this.#running,
      newestGood,
      nextAt: this.#nextAt(newest),
      problems: this.#problems(newest, newestGood),
    };
  }

  /** Returns the problems of `status`; does not query the database if no location is set. */
  problems(): readonly Text[] {
    return this.#settings.place === null ? [] : this.status().problems;
  }

  runs(filter: RunFilter): { items: StoredBackupRun[]; total: number } {
    return this.#deps.repository.listRuns(filter);
  }

  /** Starts a backup. @throws DomainError `conflict` while one runs, or if no location is set */
  begin(trigger: BackupTrigger): StoredBackupRun {
    const { place } = this.#settings;
    if (place === null) throw conflict("backup.no_place");
    if (this.#running !== undefined) throw conflict("backup.running");
    const run = this.#deps.repository.beginRun(trigger, this.#deps.clock.now());
    this.#running = { startedAt: run.startedAt, share: 0 };
    this.#work = this.#run(run, place).finally(() => {
      this.#running = undefined;
    });
    return run;
  }

  /**
   * Makes a backup at the configured location, otherwise the given one. Resolves when it is verified.
   * @throws DomainError the backup's error
   */
  async backUp(localPlace: () => BackupPlace): Promise<void> {
    const { repository, thread, dataPath, lineside, durable } = this.#deps;
    if (this.#settings.place !== null) {
      const { runId } = this.begin("USER");
      await this.#work;
      const run = repository.newestRun();
      if (run?.runId !== runId || run.state !== "DONE")
        throw new DomainError("unavailable", run?.error ?? detail("backup.interrupted"));
      return;
    }
    await durable();
    const job = {
      dataPath,
      lineside,
      bytesPerSecond: BYTES_PER_SECOND,
      opensAll: false,
      passphrase: undefined,
      machine: undefined,
      retention: undefined,
      verifyDays: VERIFY_DAYS_DEFAULT,
    };
    const request = { place: localPlace(), isLocal: true, job };
    await thread.run(request, () => undefined);
  }

  /** Writes, reads and removes an object at the location. @throws DomainError the location's error */
  async test(place: BackupPlace, passphrase: string | null): Promise<void> {
    await this.#deps.places.test({
      place,
      passphrase: passphrase ?? undefined,
      gateway: gatewayIdOf(this.#deps.dataPath),
      machine: this.#deps.machine,
    });
  }

  /** Returns the stored snapshots, newest first. */
  async snapshots(): Promise<ListedSnapshot[]> {
    const { place, passphrase } = this.#settings;
    if (place === null) return [];
    return this.#deps.places.snapshots({ place, passphrase: passphrase ?? undefined });
  }

  /** Returns one snapshot as an archive, encrypted like the stored snapshot. @throws DomainError `not_found` */
  async archive(snapshotId: string): Promise<AsyncGenerator<Uint8Array>> {
    const { place, passphrase } = this.#settings;
    if (place === null) throw conflict("backup.no_place");
    const { places } = this.#deps;
    const names = await places.objects({ place, passphrase: passphrase ?? undefined, snapshotId });
    const bucket = openTarget(place);
    // The disk of a folder may be slow or silent.
    const read = (name: string) =>
      place.kind === "folder" ? places.object({ place, name }) : bucket.read(name);
    return (async function* () {
      yield ARCHIVE_HEAD;
      for (const name of names) {
        const bytes = await read(name);
        yield archiveEntryHead(name, bytes.length);
        yield bytes;
      }
    })();
  }

  async #run(run: StoredBackupRun, place: BackupPlace): Promise<void> {
    const { repository, settings, thread, clock, log, durable } = this.#deps;
    try {
      await durable();
      const result = await thread.run({ place, job: this.#job(place) }, (share) => {
        if (this.#running !== undefined) this.#running.share = share;
      });
      const { id: snapshotId, bytes, addedBytes, openedAll } = result;
      const finding = findingOf(result);
      repository.endRun(run.runId, {
        state: result.problems.length > 0 ? "DAMAGED" : "DONE",
        finishedAt: clock.now(),
        snapshotId,
        bytes,
        addedBytes,
        openedAll,
        error: finding ?? null,
      });
      if (!this.#isUsed(place)) settings.save(USED_PLACE, nameOf(place), clock.now());
      log.info("backup made", { snapshotId, bytes, addedBytes, durationMs: Math.round(result.durationMs) });
      if (finding !== undefined)
        log.warn("backup found damage", { finding: inEnglish(finding), ...result.place });
    } catch (error) {
      const text =
        error instanceof DomainError ? toText(error) : detail("backup.failed", { reason: messageOf(error) });
      repository.endRun(run.runId, { state: "FAILED", finishedAt: clock.now(), error: text });
      log.error("backup failed", { error });
    }
  }

  #isUsed(place: BackupPlace): boolean {
    return this.#deps.settings.read<string>(USED_PLACE) === nameOf(place);
  }

  #job(place: BackupPlace): BackupRequest["job"] {
    const { repository, clock, dataPath, lineside, machine } = this.#deps;
    const { passphrase, daily, weekly, verifyDays, placeSince } = this.#settings;
    const newestOpened = repository.newestOpenedRun(this.#past(placeSince));
    return {
      dataPath,
      lineside,
      machine,
      bytesPerSecond: BYTES_PER_SECOND,
      opensAll: clock.now() - this.#past(newestOpened?.startedAt ?? 0) >= WEEK_MS,
      passphrase: passphrase ?? undefined,
      mayCreate: !this.#isUsed(place),
      retention: { daily, weekly },
      verifyDays,
    };
  }

  /** Returns a stored time; 0 for a time of the future, because the clock has been set back since. */
  #past(time: number): number {
    return time > this.#deps.clock.now() ? 0 : time;
  }

  #check(): void {
    if (this.#settings.place === null || this.#settings.schedule === null) return;
    const run = this.#deps.repository.newestRun();
    const nextAt = this.#nextAt(run);
    if (this.#running === undefined && nextAt !== undefined && nextAt <= this.#deps.clock.now())
      this.begin("SCHEDULE");
    const isOverdue = this.status().problems.some(({ code }) => code === OVERDUE);
    if (isOverdue && !this.#warned)
      this.#deps.log.error("no good backup for too long", { maxAgeHours: this.#settings.maxAgeHours });
    this.#warned = isOverdue;
  }

  /** Returns the time of the next backup. A time in the past is due: the gateway was off, or the clock was set. */
  #nextAt(newest: StoredBackupRun | undefined): number | undefined {
    const { schedule, place, savedAt } = this.#settings;
    if (schedule === null || place === null) return undefined;
    const latest = Math.max(this.#past(newest?.startedAt ?? 0), this.#past(savedAt));
    const after = latest || this.#deps.clock.now() - CHECK_INTERVAL_MS;
    const next = nextTime({ kind: "cron", ...schedule }, after);
    if (newest?.state !== "FAILED") return next;
    return Math.min(newest.startedAt + RETRY_AFTER_MS, next ?? Number.POSITIVE_INFINITY);
  }

  #problems(newest: StoredBackupRun | undefined, newestGood: StoredBackupRun | undefined): Text[] {
    const { schedule, place, maxAgeHours } = this.#settings;
    if (place === null) return [];
    const problems: Text[] = [];
    const placeSince = this.#past(this.#settings.placeSince);
    const ageMs = this.#deps.clock.now() - this.#past(newestGood?.startedAt ?? this.#settings.savedAt);
    if (schedule !== null && ageMs > maxAgeHours * HOUR_MS)
      problems.push(detail(OVERDUE, { hours: maxAgeHours }));
    // Problems at another place no longer matter.
    if (newest === undefined || newest.startedAt < placeSince) return problems;
    if (newest.state === "FAILED") problems.push(detail("backup.last_failed"));
    if (newest.error && DAMAGE.includes(newest.error.code)) problems.push(newest.error);
    return problems;
  }
}

/** Returns the name of a place without its keys. */
const nameOf = (place: BackupPlace): string =>
  place.kind === "folder" ? place.path : `${place.endpoint} ${place.bucket}/${place.prefix}`;

/** Returns a run's finding: damage of the data first, then losses at the location, then repairs. */
function findingOf({ problems, place }: BackupResult): Text | undefined {
  const [first] = problems;
  if (first !== undefined) return detail("backup.source_damaged", { count: problems.length, first });
  const { damagedSnapshots, damagedObjects } = place;
  if (damagedSnapshots.length > 0) return detail("backup.place_damaged", { count: damagedSnapshots.length });
  return damagedObjects.length > 0
    ? detail("backup.place_repaired", { count: damagedObjects.length })
    : undefined;
}
