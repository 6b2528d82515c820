import { conflict, forbidden, invalid, notFound } from "../../lib/domain-error.ts";
import type { BackupPlace, BackupTarget, RepositoryRecord, SnapshotRecord } from "./backup.types.ts";
import { encryptedTarget, newEncryption } from "./encrypted-target.ts";
import { PageMap } from "./page-map.ts";
import { FolderTarget } from "./targets/folder-target.ts";
import { S3Target } from "./targets/s3-target.ts";

const REPOSITORY = "repository.json";
const SNAPSHOTS = "snapshots/";
const PACKS = "packs/";
const MAPS = "maps/";
const FORMAT = 1;

const toBytes = (value: unknown) => Buffer.from(JSON.stringify(value));

function parse<Value extends { format: number }>(name: string, bytes: Uint8Array): Value {
  let value: Value;
  try {
    value = JSON.parse(Buffer.from(bytes).toString()) as Value;
  } catch {
    throw invalid("backup.object_damaged", { name });
  }
  if (value.format !== FORMAT) throw invalid("backup.format_newer");
  return value;
}

export function openTarget(place: BackupPlace): BackupTarget {
  return place.kind === "folder" ? new FolderTarget(place.path) : new S3Target(place);
}

/** The snapshots at one place. Objects are `repository.json`, `snapshots/*.json`, `maps/*` and `packs/*`. */
export class BackupRepository {
  readonly #target: BackupTarget;

  private constructor(target: BackupTarget) {
    this.#target = target;
  }

  get target(): BackupTarget {
    return this.#target;
  }

  /**
   * Opens the repository at a target.
   * @throws DomainError `not_found` for an empty place, `forbidden` for a wrong or missing passphrase.
   */
  static async open(target: BackupTarget, passphrase: string | undefined): Promise<BackupRepository> {
    return new BackupRepository(decrypting(target, await readRecord(target), passphrase));
  }

  /**
   * The same, and creates the repository at an empty place.
   * @throws DomainError `conflict` where another gateway keeps its backups, or where encryption is used otherwise.
   */
  static async openOrCreate(
    target: BackupTarget,
    passphrase: string | undefined,
    gateway: string,
  ): Promise<BackupRepository> {
    const kept = await readRecordIfAny(target);
    if (kept !== undefined) {
      if (kept.gateway !== gateway) throw conflict("backup.other_gateway");
      if (kept.encryption === undefined && passphrase !== undefined) throw conflict("backup.not_encrypted");
      return new BackupRepository(decrypting(target, kept, passphrase));
    }
    const record: RepositoryRecord = {
      format: FORMAT,
      gateway,
      ...(passphrase !== undefined && { encryption: newEncryption(passphrase) }),
    };
    await target.write(REPOSITORY, toBytes(record));
    return new BackupRepository(decrypting(target, record, passphrase));
  }

  /** Returns the records of all complete snapshots, the oldest first. */
  async snapshots(): Promise<SnapshotRecord[]> {
    const names = await this.#target.list(SNAPSHOTS);
    return Promise.all(names.map(async (name) => parse<SnapshotRecord>(name, await this.#target.read(name))));
  }

  /** Returns a snapshot by its id, or the newest one. @throws DomainError `not_found` */
  async snapshot(id: string | undefined): Promise<SnapshotRecord> {
    const names = await this.#target.list(SNAPSHOTS);
    const name = id === undefined ? names.at(-1) : names.find((name) => name === snapshotName(id));
    if (name === undefined)
      throw id === undefined ? notFound("backup.none") : notFound("backup.snapshot_missing", { id });
    return parse<SnapshotRecord>(name, await this.#target.read(name));
  }

  /** Returns the page maps of a snapshot by database. */
  async maps(record: SnapshotRecord): Promise<Map<string, PageMap>> {
    const bytes = Bun.zstdDecompressSync(await this.#target.read(record.maps));
    const maps = new Map<string, PageMap>();
    let position = 0;
    for (const { name } of record.databases) {
      const length = Number(bytes.readBigUInt64LE(position));
      maps.set(name, PageMap.decode(bytes.slice(position + 8, position + 8 + length)));
      position += 8 + length;
    }
    return maps;
  }

  /** Writes page maps, in the order of the databases. Returns the number of bytes. */
  async writeMaps(name: string, maps: readonly Uint8Array[]): Promise<number> {
    const parts = maps.flatMap((map) => {
      const length = Buffer.alloc(8);
      length.writeBigUInt64LE(BigInt(map.length));
      return [length, map];
    });
    const bytes = Bun.zstdCompressSync(Buffer.concat(parts), { level: 1 });
    await this.#target.write(name, bytes);
    return bytes.length;
  }

  /** Writes the record: from now on the snapshot counts. */
  async commit(record: SnapshotRecord): Promise<void> {
    await this.#target.write(snapshotName(record.id), toBytes(record));
  }

  /** Removes snapshots, and after them every object that no remaining snapshot uses, such as those of interrupted runs. */
  async prune(removed: readonly string[]): Promise<void> {
    for (const id of removed) await this.#target.remove(snapshotName(id));
    const remaining = await this.snapshots();
    const used = new Set(remaining.flatMap(({ maps, packs }) => [maps, ...packs.map(({ name }) => name)]));
    for (const prefix of [PACKS, MAPS])
      for (const name of await this.#target.list(prefix))
        if (!used.has(name)) await this.#target.remove(name);
  }

  /** Returns the names of all objects that a snapshot alone needs, in the order of an archive. */
  static objectsOf(record: SnapshotRecord): string[] {
    return [REPOSITORY, ...record.packs.map(({ name }) => name), record.maps, snapshotName(record.id)];
  }
}

const snapshotName = (id: string) => `${SNAPSHOTS}${id}.json`;
export const packName = (id: string) => `${PACKS}${id}`;
export const mapsName = (id: string) => `${MAPS}${id}`;

function decrypting(
  target: BackupTarget,
  { encryption }: RepositoryRecord,
  passphrase: string | undefined,
): BackupTarget {
  if (encryption === undefined) return target;
  if (passphrase === undefined) throw forbidden("backup.passphrase_missing");
  return encryptedTarget(target, encryption, passphrase);
}

async function readRecord(target: BackupTarget): Promise<RepositoryRecord> {
  const record = await readRecordIfAny(target);
  if (record === undefined) throw notFound("backup.none");
  return record;
}

async function readRecordIfAny(target: BackupTarget): Promise<RepositoryRecord | undefined> {
  if ((await target.list(REPOSITORY)).length === 0) return undefined;
  return parse<RepositoryRecord>(REPOSITORY, await target.read(REPOSITORY));
}
