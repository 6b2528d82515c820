// A data directory with a real store of telemetry and a small configuration database, and a folder for its backups.
import { Database } from "bun:sqlite";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BackupJob, runBackup } from "../../../src/modules/backups/backup-job.ts";
import { type RestoreJob, restore } from "../../../src/modules/backups/restore-job.ts";
import type { BackupTarget } from "../../../src/modules/backups/snapshot.types.ts";
import { BackupRepository } from "../../../src/modules/backups/snapshot-repository.ts";
import { FolderTarget } from "../../../src/modules/backups/targets/folder-target.ts";
import { KEY_BYTES, KEY_NAMES } from "../../../src/platform/secrets/secret-keys.ts";
import { StoreFixture } from "../telemetry/store/store-fixture.ts";

export const DAY_MS = 86_400_000;

export class BackupFixture {
  readonly root = mkdtempSync(join(tmpdir(), "lineside-proof-"));
  readonly data = join(this.root, "data");
  readonly stick = join(this.root, "stick");
  now = Date.parse("2026-03-02T03:30:00Z");
  target: BackupTarget = new FolderTarget(this.stick);
  passphrase: string | undefined;
  /** Values that were written, by device and timestamp. */
  readonly written = new Map<string, Map<number, number>>();
  #ts = 0;

  constructor() {
    mkdirSync(join(this.data, "secrets"), { recursive: true });
    mkdirSync(this.stick);
    for (const key of KEY_NAMES) writeFileSync(join(this.data, "secrets", key), "k".repeat(KEY_BYTES));
    for (const name of ["lineside.db", "identity.db", "mqtt.db"])
      this.change(name, (db) => db.run("CREATE TABLE item (id INTEGER PRIMARY KEY, text TEXT)"));
  }

  /** Adds rows to the configuration, and values to the telemetry: sealed ones, and as many that are in its log alone. */
  async fill(values: number): Promise<void> {
    this.change("lineside.db", (db) => {
      const insert = db.prepare("INSERT INTO item (text) VALUES (?)");
      for (let row = 0; row < values; row++) insert.run(crypto.randomUUID().repeat(4));
      insert.finalize();
    });
    const store = new StoreFixture({ blockRowsTarget: 64 }, this.#telemetry(this.data));
    await store.store.start();
    await this.#write(store, values);
    await store.store.compact();
    await this.#write(store, values);
    await store.dispose();
  }

  async #write(store: StoreFixture, values: number): Promise<void> {
    for (const device of ["a", "b", "c"]) {
      const kept = this.written.get(device) ?? new Map<number, number>();
      this.written.set(device, kept);
      const readings = Array.from({ length: values }, (_, index) => {
        const [ts, value] = [this.#ts + index, Math.random()];
        kept.set(ts, value);
        return { ts, values: { n: value } };
      });
      await store.append(device, readings);
    }
    this.#ts += values;
  }

  #telemetry(folder: string): string {
    return join(folder, "telemetry.db");
  }

  change(name: string, work: (db: Database) => void, folder = this.data): void {
    const db = new Database(join(folder, name), { create: true });
    db.run("PRAGMA journal_mode=WAL");
    db.transaction(() => work(db))();
    db.close();
  }

  rows(folder: string, name = "lineside.db"): unknown[] {
    const db = new Database(join(folder, name), { readonly: true });
    try {
      return db.query("SELECT * FROM item ORDER BY id").all();
    } finally {
      db.close();
    }
  }

  /** Reads the telemetry of a directory: how many values are as they were written, and how many are something else. */
  async values(folder: string): Promise<{ right: number; wrong: number }> {
    const store = new StoreFixture({}, this.#telemetry(folder));
    await store.store.start();
    let [right, wrong] = [0, 0];
    for (const [device, kept] of this.written)
      for (const [ts, value] of await store.points(device, "n"))
        if (kept.get(ts) === value) right++;
        else wrong++;
    await store.dispose();
    return { right, wrong };
  }

  get valuesWritten(): number {
    return [...this.written.values()].reduce((sum, { size }) => sum + size, 0);
  }

  job(options: Partial<BackupJob> = {}): BackupJob {
    return {
      dataPath: this.data,
      lineside: "test",
      now: () => this.now,
      bytesPerSecond: 1e12,
      opensAll: true,
      passphrase: this.passphrase,
      machine: undefined,
      retention: undefined,
      verifyDays: 14,
      ...options,
    };
  }

  backUp = (options: Partial<BackupJob> = {}) => runBackup(this.target, this.job(options));

  restore = (folder: string, options: Partial<RestoreJob> = {}) =>
    restore(this.target, { dataPath: folder, passphrase: this.passphrase, snapshot: undefined, ...options });

  repository = () => BackupRepository.open(this.target, this.passphrase);

  /** Path of an object at the place. */
  object = (name: string) => join(this.stick, name);

  /** Flips a byte of an object or of a file. */
  flip(path: string, position: number): void {
    const bytes = readFileSync(path);
    const index = Math.min(bytes.length - 1, position);
    bytes[index] = (bytes[index] ?? 0) ^ 0xff;
    writeFileSync(path, bytes);
  }

  /** Flips bytes in the bodies of blocks, as a flash chip does that forgets. */
  rot(blocks: number): void {
    const path = this.#telemetry(this.data);
    const db = new Database(path, { readwrite: true, create: false });
    const bodies = db
      .query<{ data: Uint8Array }, [number]>("SELECT data FROM body ORDER BY id LIMIT ?")
      .all(blocks);
    db.run("PRAGMA wal_checkpoint(TRUNCATE)");
    db.close();
    const file = readFileSync(path);
    for (const { data } of bodies) {
      const end = data.slice(-24);
      // A page that was freed may hold the block as well.
      for (let index = file.indexOf(end); index >= 0; index = file.indexOf(end, index + 1))
        file[index + 20] = (file[index + 20] ?? 0) ^ 0xff;
    }
    writeFileSync(path, file);
  }

  dispose(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
