import { DAY_MS } from "../../lib/core/units.ts";
import { isJsonObject } from "../../lib/json/json.ts";
import { sha256Of } from "./pack-writer.ts";
import type { SnapshotRecord, StoredObject } from "./snapshot.types.ts";
import {
  type BackupRepository,
  isDamage,
  OBJECT_PREFIXES,
  objectsOf,
  parseObject,
  type Survey,
  writtenFor,
} from "./snapshot-repository.ts";

/** Object with the times of the last readings. If missing, objects count as read when they were written. */
const CHECKS = "checks.json";
const FORMAT = 1;

interface Check {
  /** Timestamp of the last reading. */
  readonly at: number;
  readonly isDamaged?: true;
}

export interface PlaceCheckOptions {
  readonly now: number;
  readonly verifyDays: number;
}

/**
 * Verifies the stored objects. Every run finds missing and truncated objects by their sizes, and reads some objects back, least recently read first,
 * so that each object is read within `verifyDays`.
 */
export class PlaceCheck {
  readonly #repository: BackupRepository;
  readonly #options: PlaceCheckOptions;
  readonly #objects: ReadonlyMap<string, StoredObject>;
  readonly #records: readonly SnapshotRecord[];
  #checks: Record<string, Check> = {};
  readonly #damaged = new Set<string>();
  checkedObjects = 0;

  constructor(repository: BackupRepository, { records }: Survey, options: PlaceCheckOptions) {
    this.#repository = repository;
    this.#options = options;
    this.#records = records;
    this.#objects = new Map(records.flatMap(objectsOf).map((object) => [object.name, object]));
  }

  /** Names of missing, truncated or damaged objects. */
  get damaged(): ReadonlySet<string> {
    return this.#damaged;
  }

  isWhole(record: SnapshotRecord): boolean {
    return objectsOf(record).every(({ name }) => !this.#damaged.has(name));
  }

  /** @throws DomainError `unavailable` if the location does not respond */
  async run(): Promise<void> {
    this.#checks = await load(this.#repository);
    for (const name of damagedIn(this.#checks)) if (this.#objects.has(name)) this.#damaged.add(name);
    await this.#compareSizes();
    for (const object of this.#due()) await this.#read(object);
  }

  /** Records an object that another reader found damaged. */
  note(name: string): void {
    this.#damaged.add(name);
    this.#checks[name] = { at: this.#options.now, isDamaged: true };
  }

  /** Stores the state of objects that are still needed. */
  async save(): Promise<void> {
    const needed = Object.entries(this.#checks).filter(([name]) => this.#objects.has(name));
    if (needed.length > 0)
      await this.#repository.target.write(
        CHECKS,
        Buffer.from(JSON.stringify({ format: FORMAT, objects: Object.fromEntries(needed) })),
      );
  }

  async #compareSizes(): Promise<void> {
    const sizes = new Map<string, number>();
    for (const prefix of OBJECT_PREFIXES)
      for (const [name, bytes] of await this.#repository.target.sizes(prefix)) sizes.set(name, bytes);
    for (const { name, bytes } of this.#objects.values()) if (sizes.get(name) !== bytes) this.note(name);
  }

  /** Returns the objects to read in this run: a share by the time since the last run, and all objects that would be overdue by the next run. */
  #due(): StoredObject[] {
    const { now, verifyDays } = this.#options;
    const verifyMs = verifyDays * DAY_MS;
    const sinceLastMs = Math.max(0, now - (this.#records.at(-1)?.createdAt ?? now));
    const aged = [...this.#objects.values()]
      .map((object) => ({ object, ageMs: this.#ageOf(object.name) }))
      .sort((a, b) => b.ageMs - a.ageMs);
    const share = Math.ceil(aged.length * Math.min(1, sinceLastMs / verifyMs));
    const late = aged.filter(({ ageMs }) => ageMs + sinceLastMs >= verifyMs).length;
    return aged.slice(0, Math.max(share, late)).map(({ object }) => object);
  }

  /**
   * Returns the time since an object was read or written; infinite for a future time caused by a wrong clock, and for a damaged object: a server may
   * have sent something else only once.
   */
  #ageOf(name: string): number {
    const { at, isDamaged = false } = this.#checks[name] ?? {};
    const readAt = at ?? writtenFor(name)?.createdAt ?? 0;
    return isDamaged || readAt > this.#options.now ? Number.POSITIVE_INFINITY : this.#options.now - readAt;
  }

  async #read({ name, sha256 }: StoredObject): Promise<void> {
    this.checkedObjects++;
    if (await this.#isSound(name, sha256)) {
      this.#damaged.delete(name);
      this.#checks[name] = { at: this.#options.now };
    } else this.note(name);
  }

  async #isSound(name: string, sha256: string): Promise<boolean> {
    try {
      return sha256Of(await this.#repository.target.read(name)) === sha256;
    } catch (error) {
      if (isDamage(error)) return false;
      throw error;
    }
  }
}

const damagedIn = (checks: Record<string, Check>): string[] =>
  Object.keys(checks).filter((name) => checks[name]?.isDamaged);

/** Returns the names of objects that earlier runs found damaged. */
export const damagedObjectsOf = async (repository: BackupRepository): Promise<ReadonlySet<string>> =>
  new Set(damagedIn(await load(repository)));

async function load(repository: BackupRepository): Promise<Record<string, Check>> {
  try {
    const value = parseObject(CHECKS, await repository.target.read(CHECKS), Number.POSITIVE_INFINITY);
    const { format, objects } = isJsonObject(value) ? value : {};
    if (format !== FORMAT || !isJsonObject(objects)) return {};
    // With a time that is not one, an object would never be due.
    return Object.fromEntries(
      Object.entries(objects as Record<string, Check>).filter(([, check]) => Number.isFinite(check?.at)),
    );
  } catch (error) {
    // If it is unreadable for any reason, objects count as read when they were written.
    if (isDamage(error)) return {};
    throw error;
  }
}
