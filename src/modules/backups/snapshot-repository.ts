import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from "node:crypto";
import { realpathSync } from "node:fs";
import {
  conflict,
  DomainError,
  forbidden,
  invalid,
  notFound,
  unavailable,
} from "../../lib/core/domain-error.ts";
import { omit } from "../../lib/core/omit.ts";
import { MB } from "../../lib/core/units.ts";
import { unpackZstd } from "../../lib/data/zstd.ts";
import { isJsonObject } from "../../lib/json/json.ts";
import { ensureShape } from "../../lib/json/json-shape.ts";
import { runsCopyOf } from "../../platform/files/gateway-lock.ts";
import { bytesMaxOf, MAPS_BYTES_MAX, RECORDS_BYTES_MAX, RECORDS_MAX } from "./object-limits.ts";
import { sha256Of } from "./pack-writer.ts";
import { PageMap } from "./page-map.ts";
import type {
  BackupPlace,
  BackupTarget,
  EncryptionRecord,
  RepositoryRecord,
  SnapshotRecord,
  StoredObject,
} from "./snapshot.types.ts";
import { checkedRecord } from "./snapshot-contents.ts";
import { FolderTarget } from "./targets/folder-target.ts";
import { S3Target } from "./targets/s3-target.ts";

const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const SALT_BYTES = 16;
/** N of scrypt with r = 8: 32 MB and about 0.1 s (RFC 7914; OWASP recommends at least 2^15 with p = 3, and a file can be attacked offline). */
const SCRYPT_COST = 2 ** 15;
const SCRYPT_MEMORY_BYTES_MAX = 64 * 1024 * 1024;
const PROBE = Buffer.from("lineside backup");

const keyOf = (passphrase: string, salt: string, cost: number): Buffer =>
  scryptSync(passphrase.normalize("NFKC"), Buffer.from(salt, "base64"), KEY_BYTES, {
    N: cost,
    r: 8,
    p: 3,
    maxmem: SCRYPT_MEMORY_BYTES_MAX,
  });

/** Encrypts with AES-256-GCM: 12 bytes of IV, the ciphertext, 16 bytes of tag. The tag also authenticates the object's name. */
function encrypt(key: Buffer, name: string, bytes: Uint8Array): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, iv, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(name));
  return Buffer.concat([iv, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(key: Buffer, name: string, bytes: Uint8Array): Buffer | undefined {
  if (bytes.length < IV_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(name));
  decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
  try {
    return Buffer.concat([
      decipher.update(bytes.subarray(IV_BYTES, bytes.length - TAG_BYTES)),
      decipher.final(),
    ]);
  } catch {
    return undefined;
  }
}

function newEncryption(passphrase: string): EncryptionRecord {
  const salt = randomBytes(SALT_BYTES).toString("base64");
  const probe = encrypt(keyOf(passphrase, salt, SCRYPT_COST), "probe", PROBE).toString("base64");
  return { cipher: "aes-256-gcm", kdf: "scrypt", salt, cost: SCRYPT_COST, probe };
}

/**
 * Returns a target that encrypts writes and decrypts reads. Names and sizes of objects stay visible.
 * @throws DomainError `forbidden` for a wrong passphrase; `invalid` for a modified object
 */
function encryptedTarget(target: BackupTarget, record: EncryptionRecord, passphrase: string): BackupTarget {
  const key = keyOf(passphrase, record.salt, record.cost);
  if (decrypt(key, "probe", Buffer.from(record.probe, "base64")) === undefined)
    throw forbidden("backup.passphrase_wrong");
  return {
    list: (prefix) => target.list(prefix),
    async sizes(prefix) {
      const sizes = await target.sizes(prefix);
      return new Map([...sizes].map(([name, bytes]) => [name, bytes - IV_BYTES - TAG_BYTES]));
    },
    remove: (name) => target.remove(name),
    removeUnfinished: () => target.removeUnfinished(),
    write: (name, bytes) => target.write(name, encrypt(key, name, bytes)),
    async read(name) {
      const bytes = decrypt(key, name, await target.read(name));
      if (bytes === undefined) throw invalid("backup.object_damaged", { name });
      return bytes;
    },
  };
}

const REPOSITORY = "repository.json";
/** Second copy of the record, because nothing encrypted can be read without its salt. */
const REPOSITORY_COPY = "repository-copy.json";
const SNAPSHOTS = "snapshots/";
const PACKS = "packs/";
const MAPS = "maps/";
const FORMAT = 1;
const READS_PARALLEL_MAX = 8;
/** Bytes of records after which garbage is collected explicitly: parsed, they are several times as large. */
const COLLECTED_BYTES = 8 * 1024 * 1024;

const toBytes = (value: unknown) => Buffer.from(JSON.stringify(value));

const sumOf = (name: string, record: unknown) => sha256Of(toBytes([name, record]));

/** Returns the stored form of a record, with a checksum that distinguishes damage from a record of a newer version. */
const seal = (name: string, record: object) => toBytes({ record, sha256: sumOf(name, record) });

/**
 * Parses the JSON of an object, which any source may have written.
 * @throws DomainError `invalid` for text that is not JSON or holds more lists and objects than a gateway writes
 */
export function parseObject(name: string, bytes: Uint8Array, namesMax?: number): unknown {
  const text = Buffer.from(bytes).toString();
  try {
    ensureShape(text, namesMax);
    return JSON.parse(text);
  } catch {
    throw invalid("backup.object_damaged", { name });
  }
}

/** @throws DomainError `invalid` for a damaged record and for a record of a newer version */
function unseal<Value extends { format: number }>(name: string, bytes: Uint8Array): Value {
  const stored = parseObject(name, bytes);
  const { record, sha256 } = isJsonObject(stored) ? stored : {};
  if (!isJsonObject(record) || sumOf(name, record) !== sha256)
    throw invalid("backup.object_damaged", { name });
  const value = record as unknown as Value; // written by a gateway, as its checksum says; a snapshot's is checked as a whole
  if (value.format !== FORMAT) throw invalid("backup.format_newer");
  return value;
}

/** Id in an object's name: `000042-20261122T124500Z-1f2e3d4c`. */
const SNAPSHOT_ID = /(?<!\d)\d{6,12}-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-[0-9a-f]{8}/;

/** Returns the snapshot for which an object was written; `undefined` for a foreign object. */
export function writtenFor(name: string): { id: string; createdAt: number } | undefined {
  const [id, ...time] = SNAPSHOT_ID.exec(name) ?? [];
  if (id === undefined) return undefined;
  const [year = 0, month = 1, ...rest] = time.map(Number);
  return { id, createdAt: Date.UTC(year, month - 1, ...rest) };
}

/** Returns whether an object is missing or damaged; other errors come from the location and may be temporary. */
export const isDamage = (error: unknown): boolean =>
  error instanceof DomainError &&
  ["backup.object_missing", "backup.object_damaged", "backup.sum_wrong"].includes(error.code);

const tooLittleMemory = (needed: number, available: number) =>
  unavailable("backup.too_little_memory", {
    neededMb: Math.ceil(needed / MB),
    availableMb: Math.floor(available / MB),
  });

/** Records of all snapshots at a location. */
export interface Survey {
  /** Oldest first. */
  readonly records: readonly SnapshotRecord[];
  /** Names of unreadable records. */
  readonly unreadable: readonly string[];
}

/** Settings for opening a gateway's backup location. */
export interface PlaceAccess {
  readonly passphrase: string | undefined;
  readonly gateway: string;
  /** `undefined` for a machine without an id, which is then not compared. */
  readonly machine: string | undefined;
  /** Data directory that is backed up; absent if nothing is written. */
  readonly dataPath?: string;
  /** False for a place that had backups; default: true. */
  readonly mayCreate?: boolean | undefined;
}

/** Refuses a second writer with a copy of the gateway's data: each would remove the objects that the other is writing. @throws DomainError `conflict` */
function ensureWriter(kept: RepositoryRecord, { machine, dataPath }: PlaceAccess): void {
  if (machine !== undefined && kept.machine !== undefined && kept.machine !== machine)
    throw conflict("backup.other_machine");
  if (dataPath !== undefined && kept.directory !== undefined && runsCopyOf(dataPath, kept.directory))
    throw conflict("backup.other_copy", { path: kept.directory });
}

export function openTarget(place: BackupPlace): BackupTarget {
  return place.kind === "folder" ? new FolderTarget(place.path) : new S3Target(place);
}

/** Snapshots at one location. Objects are `repository.json`, `snapshots/*.json`, `maps/*` and `packs/*`. */
export class BackupRepository {
  readonly #target: BackupTarget;
  /** Gateway that owns the snapshots. */
  readonly gateway: string;
  #uncollected = 0;
  /** Name of the record of the snapshot that was written. */
  #written: string | undefined;

  private constructor(target: BackupTarget, record: RepositoryRecord, passphrase: string | undefined) {
    this.#target = decrypting(target, record, passphrase);
    this.gateway = record.gateway;
  }

  get target(): BackupTarget {
    return this.#target;
  }

  /**
   * Opens the repository at a target.
   * @throws DomainError `not_found` for an empty location, `forbidden` for a wrong or missing passphrase
   */
  static async open(target: BackupTarget, passphrase: string | undefined): Promise<BackupRepository> {
    return new BackupRepository(target, await readRecord(target), passphrase);
  }

  /**
   * Opens the repository, or creates it at an empty location.
   * @throws DomainError `conflict` if another gateway or machine, or a running copy, keeps its backups there, if the encryption differs, or if the
   * place has lost its backups
   */
  static async openOrCreate(target: BackupTarget, access: PlaceAccess): Promise<BackupRepository> {
    const { passphrase, gateway, machine, dataPath, mayCreate = true } = access;
    const directory = dataPath === undefined ? {} : { directory: realpathSync(dataPath) };
    const kept = await readRecordIfAny(target);
    if (kept !== undefined) {
      if (kept.gateway !== gateway) throw conflict("backup.other_gateway");
      if (kept.encryption === undefined && passphrase !== undefined) throw conflict("backup.not_encrypted");
      const repository = new BackupRepository(target, kept, passphrase);
      ensureWriter(kept, access);
      await writeRecord(target, { ...kept, ...(machine !== undefined && { machine }), ...directory });
      return repository;
    }
    if (!mayCreate) throw conflict("backup.place_empty");
    const record: RepositoryRecord = {
      format: FORMAT,
      gateway,
      ...(machine !== undefined && { machine }),
      ...directory,
      ...(passphrase !== undefined && { encryption: newEncryption(passphrase) }),
    };
    await writeRecord(target, record);
    return new BackupRepository(target, record, passphrase);
  }

  /**
   * Makes this machine the writer of a location, after the gateway has moved to it.
   * @throws DomainError `not_found` for an empty location, `conflict` for another gateway's location, `forbidden` for a wrong passphrase
   */
  static async takeOver(target: BackupTarget, { passphrase, gateway, machine }: PlaceAccess): Promise<void> {
    const kept = await readRecord(target);
    if (kept.gateway !== gateway) throw conflict("backup.other_gateway");
    decrypting(target, kept, passphrase);
    const record = omit(kept, "machine");
    await writeRecord(target, { ...record, ...(machine !== undefined && { machine }) });
  }

  /** Returns whether a target has backups. */
  static async exists(target: BackupTarget): Promise<boolean> {
    return (await target.list("repository")).length > 0;
  }

  /** Reads the records of all snapshots, some at a time, skipping damaged ones. @throws DomainError for more than a gateway writes */
  async survey(): Promise<Survey> {
    const names = (await this.#target.list(SNAPSHOTS)).filter(isRecord);
    if (names.length > RECORDS_MAX) throw unavailable("backup.records_too_long");
    const found = new Map<string, SnapshotRecord>();
    let bytes = 0;
    for (let start = 0; start < names.length; start += READS_PARALLEL_MAX)
      await Promise.all(
        names.slice(start, start + READS_PARALLEL_MAX).map(async (name) => {
          try {
            const { record, length } = await this.#readRecord(name);
            found.set(name, record);
            bytes += length;
          } catch (error) {
            if (!isDamage(error)) throw error;
          }
          if (bytes > RECORDS_BYTES_MAX) throw unavailable("backup.records_too_long");
        }),
      );
    return {
      records: names.flatMap((name) => found.get(name) ?? []),
      unreadable: names.filter((name) => !found.has(name)),
    };
  }

  /** Returns all readable records of snapshots, oldest first. */
  async snapshots(): Promise<readonly SnapshotRecord[]> {
    return (await this.survey()).records;
  }

  /**
   * Returns a snapshot by its id, or the newest snapshot with a readable record.
   * @param survey records that were read already; the caller then knows which newer ones are unreadable
   * @throws DomainError `not_found`
   */
  async snapshot(id: string | undefined, survey?: Survey): Promise<SnapshotRecord> {
    if (id === undefined) return this.#newest(survey ?? (await this.survey()));
    if (!(await this.#target.list(SNAPSHOTS)).includes(snapshotName(id)))
      throw notFound("backup.snapshot_missing", { id });
    return (await this.#readRecord(snapshotName(id))).record;
  }

  /** @throws DomainError `unavailable` if the place has a newer snapshot that was not listed */
  async #newest({ records, unreadable }: Survey): Promise<SnapshotRecord> {
    const [newest, name] = [records.at(-1), unreadable.at(-1)];
    const listed = unreadable.flatMap((record) => writtenFor(record)?.id ?? []);
    const newer = new Set<string>();
    for (const prefix of OBJECT_PREFIXES)
      for (const object of await this.#target.list(prefix)) {
        const { id } = writtenFor(object) ?? {};
        if (id !== undefined && id > (newest?.id ?? "")) newer.add(id);
      }
    await this.#ensureListed(newer.difference(new Set(listed)));
    if (newest !== undefined) return newest;
    throw name === undefined ? notFound("backup.none") : invalid("backup.object_damaged", { name });
  }

  async #readRecord(name: string): Promise<{ record: SnapshotRecord; length: number }> {
    const bytes = await this.#target.read(name);
    this.#uncollected += bytes.length;
    if (this.#uncollected >= COLLECTED_BYTES) {
      this.#uncollected = 0;
      Bun.gc(true);
    }
    const record = checkedRecord(unseal<SnapshotRecord>(name, bytes));
    if (record === undefined) throw invalid("backup.object_damaged", { name });
    return { record, length: bytes.length };
  }

  /**
   * Returns the page maps of a snapshot by database.
   * @throws DomainError `unavailable` for maps that take more than `memoryMax` bytes
   */
  async maps(record: SnapshotRecord, memoryMax = Number.POSITIVE_INFINITY): Promise<Map<string, PageMap>> {
    const { name: mapsObject, sha256 } = record.maps;
    const packed = await this.#target.read(mapsObject);
    if (sha256Of(packed) !== sha256) throw invalid("backup.object_damaged", { name: mapsObject });
    // The pages that the record names limit what is unpacked.
    const pagesMemory = PageMap.memoryOf(
      record.databases.reduce((sum, { pages }) => sum + pages, 0),
      0,
    );
    if (pagesMemory > memoryMax) throw tooLittleMemory(pagesMemory, memoryMax);
    const mapBytes = record.databases.reduce((sum, { pages }) => sum + 8 + PageMap.bytesMax(pages), 0);
    const bytesMax = Math.min(mapBytes, MAPS_BYTES_MAX);
    try {
      const bytes = unpackZstd(packed, bytesMax);
      const maps = new Map<string, PageMap>();
      let position = 0;
      let memory = 0;
      for (const { name } of record.databases) {
        const length = Number(bytes.readBigUInt64LE(position));
        const map = bytes.subarray(position + 8, position + 8 + length);
        memory += PageMap.memoryOf(bytes.readUInt32LE(position + 8), bytes.readUInt32LE(position + 12));
        if (memory > memoryMax) throw tooLittleMemory(memory, memoryMax);
        maps.set(name, PageMap.decode(map));
        position += 8 + length;
      }
      return maps;
    } catch (error) {
      throw error instanceof DomainError ? error : invalid("backup.object_damaged", { name: mapsObject });
    }
  }

  /** Writes page maps, in the order of the databases. */
  async writeMaps(name: string, maps: readonly Uint8Array[]): Promise<StoredObject> {
    const parts = maps.flatMap((map) => {
      const length = Buffer.alloc(8);
      length.writeBigUInt64LE(BigInt(map.length));
      return [length, map];
    });
    const bytes = Bun.zstdCompressSync(Buffer.concat(parts), { level: 1 });
    await this.#target.write(name, bytes);
    return { name, bytes: bytes.length, sha256: sha256Of(bytes) };
  }

  /** Writes the record, which makes the snapshot valid. */
  async commit(record: SnapshotRecord): Promise<void> {
    const name = snapshotName(record.id);
    const bytes = seal(name, record);
    if (bytes.length + IV_BYTES + TAG_BYTES >= bytesMaxOf(name)) throw unavailable("backup.record_too_long");
    await this.#target.write(name, bytes);
    this.#written ??= name; // records of older snapshots may follow, which are repaired by it
  }

  /**
   * Removes snapshots, then every object that no remaining snapshot uses, such as leftovers of interrupted runs. Keeps all objects that a
   * snapshot with an unreadable record may use, because the record may become readable again.
   * @throws DomainError `unavailable` for an incomplete list
   */
  async prune(removed: readonly string[]): Promise<void> {
    for (const id of removed) await this.#target.remove(snapshotName(id));
    const { records, unreadable } = await this.survey();
    this.#ensureNewest([...records.map(({ id }) => snapshotName(id)), ...unreadable]);
    const used = new Set(records.flatMap((record) => objectsOf(record).map(({ name }) => name)));
    const lastUnreadable = unreadable.flatMap((name) => writtenFor(name)?.id ?? []).at(-1) ?? "";
    const unused: { name: string; id: string }[] = [];
    const missing = new Set(
      records
        .flatMap((record) => (snapshotName(record.id) === this.#written ? objectsOf(record) : []))
        .map(({ name }) => name),
    );
    for (const prefix of OBJECT_PREFIXES)
      for (const name of await this.#target.list(prefix)) {
        missing.delete(name);
        const id = writtenFor(name)?.id;
        if (!used.has(name) && id !== undefined && id > lastUnreadable) unused.push({ name, id });
      }
    await this.#ensureListed(
      new Set(unused.map(({ id }) => id)).difference(new Set([...removed, ...records.map(({ id }) => id)])),
    );
    for (const { name } of unused) await this.#target.remove(name);
    // Such as those that another program has removed, for which they were unused until the record was written.
    for (const name of missing) throw notFound("backup.object_missing", { name });
    await this.#target.removeUnfinished();
  }

  /**
   * Ensures that the snapshot that was written is the newest one. Otherwise a list was incomplete, now or when the snapshot got its number, and a
   * restoration would take an older one.
   */
  #ensureNewest(listed: readonly string[]): void {
    const written = this.#written;
    if (written === undefined) return;
    const name = listed.includes(written) ? listed.find((other) => other > written) : written;
    if (name !== undefined) throw unavailable("backup.list_incomplete", { name });
  }

  /**
   * Ensures that snapshots that were not listed do not exist. Otherwise one incomplete list of a faulty server would delete the objects of good
   * snapshots. Each snapshot has objects with its id.
   */
  async #ensureListed(ids: ReadonlySet<string>): Promise<void> {
    for (const id of ids) {
      const name = snapshotName(id);
      if (await exists(this.#target, name)) throw unavailable("backup.list_incomplete", { name });
    }
  }

  /** Returns the names of all objects that a snapshot needs, in archive order. */
  static objectsOf(record: SnapshotRecord): string[] {
    return [REPOSITORY, ...objectsOf(record).map(({ name }) => name), snapshotName(record.id)];
  }
}

/** Packs and page maps of a snapshot. */
export const objectsOf = ({ packs, maps }: SnapshotRecord): StoredObject[] => [...packs, maps];
export const OBJECT_PREFIXES = [PACKS, MAPS];
const snapshotName = (id: string) => `${SNAPSHOTS}${id}.json`;
/** Returns whether a name is one of a record. Copies, conflicts of file synchronization and side files of macOS (`._…`) bear the id of a snapshot, too. */
const isRecord = (name: string) => name === snapshotName(writtenFor(name)?.id ?? "");
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

async function writeRecord(target: BackupTarget, record: RepositoryRecord): Promise<void> {
  for (const name of [REPOSITORY_COPY, REPOSITORY]) await target.write(name, seal(name, record));
}

async function readRecord(target: BackupTarget): Promise<RepositoryRecord> {
  const record = await readRecordIfAny(target);
  if (record === undefined) throw notFound("backup.none");
  return record;
}

async function readRecordIfAny(target: BackupTarget): Promise<RepositoryRecord | undefined> {
  await target.list("repository"); // whose error says more about a place that is missing
  // Not by the list: if a faulty server lists nothing for once, a new record with another salt would replace the one of all backups.
  try {
    return unseal<RepositoryRecord>(REPOSITORY, await target.read(REPOSITORY));
  } catch (error) {
    if (!isDamage(error)) throw error;
    if (await exists(target, REPOSITORY_COPY))
      return unseal<RepositoryRecord>(REPOSITORY_COPY, await target.read(REPOSITORY_COPY));
    if (isMissing(error)) return undefined;
    throw error;
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof DomainError && error.code === "backup.object_missing";

/** Returns whether there is an object, also if it is damaged. */
async function exists(target: BackupTarget, name: string): Promise<boolean> {
  try {
    await target.read(name);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return !isMissing(error);
  }
  return true;
}
