import { inEnglish } from "../../lib/core/domain-error.ts";
import { HOUR_MS } from "../../lib/core/units.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { Problem } from "../core/health.ts";
import type { Logger } from "../core/log.ts";
import type { Stamp } from "../database/database-stamp.ts";
import type { Part } from "../process/lifecycle.ts";
import type { Clock } from "../time/clock.ts";
import { createPeriodic } from "../time/periodic.ts";
import { FilesInPlace } from "./files-in-place.ts";
import { lockIdOf } from "./gateway-lock.ts";
import {
  type InventoryRecord,
  type Loss,
  unlisted,
  writeRecord,
  writeRecordInBackground,
} from "./inventory-record.ts";

/** Max. starts and hours between checks of all files: 30 days. */
const CHECK_HOURS = 720;
/** Max. losses kept, including acknowledged losses. */
const LOSSES_MAX = 200;

interface InventoryKeeperDeps {
  readonly dataPath: string;
  readonly record: InventoryRecord;
  /** Files that were missing at the start without loss of data. */
  readonly warnings: readonly Text[];
  readonly clock: Clock;
  readonly log: Logger;
}

/** Databases that are never set aside while the gateway runs. */
const LASTING_FILES = ["lineside.db", "identity.db", "telemetry.db"];

/** Stamps a database. Resolves once the stamp is on the disk. */
type Stamper = (stamp: Stamp) => Promise<void>;

/**
 * Updates the inventory while the gateway runs: at start and stop, every hour and before each checkpoint, it increments the generation, first in all
 * databases, then in the inventory. It also records losses until an owner acknowledges them.
 */
export class InventoryKeeper implements Part {
  readonly name = "inventory";
  readonly #deps: InventoryKeeperDeps;
  readonly #stampers: Stamper[] = [];
  readonly #hourly: { start(): void; stop(): void };
  readonly #files: FilesInPlace;
  #record: InventoryRecord;
  #isBegun = false;
  #advancing: Promise<void> = Promise.resolve();
  /** Last write of the inventory. */
  #saving: Promise<unknown> = Promise.resolve();

  constructor(deps: InventoryKeeperDeps) {
    this.#deps = deps;
    this.#record = deps.record;
    this.#files = new FilesInPlace(deps.dataPath, LASTING_FILES);
    const { clock, log } = deps;
    this.#hourly = createPeriodic({ clock, log, intervalMs: HOUR_MS, work: () => this.#beginHour() });
  }

  /** Adds the function that writes the stamp of a database in each round of `advance`. */
  addStamper(stamper: Stamper): void {
    this.#stampers.push(stamper);
  }

  /**
   * Records that the gateway runs. Call it once all large databases are open, before anything is acknowledged. An earlier failure of the start
   * changes nothing.
   */
  begin(): void {
    const { dataPath } = this.#deps;
    this.#record = { ...this.#record, lock: lockIdOf(dataPath), isAdvancing: true };
    writeRecord(dataPath, this.#record);
    this.#isBegun = true;
  }

  /** Whether `begin` was called. */
  get isBegun(): boolean {
    return this.#isBegun;
  }

  start(): void {
    void this.note(this.#deps.warnings);
    this.#beginHour();
    this.#hourly.start();
  }

  async stop(): Promise<void> {
    this.#hourly.stop();
    await this.advance(); // so that a copy from before the stop is older
  }

  /**
   * Returns whether all files should be checked: at least once a month, and after every start except the first, because files may be damaged while
   * no gateway runs.
   */
  get isCheckDue(): boolean {
    const { generation, hours } = this.#deps.record;
    const checkedHours = this.#record.checked?.hours ?? 0;
    const isOfThisStart = checkedHours > hours;
    return (generation > 0 && !isOfThisStart) || this.#record.hours - checkedHours >= CHECK_HOURS;
  }

  /** End of the newest check of all files, in epoch ms. */
  get checkedAt(): number | undefined {
    return this.#record.checked?.at;
  }

  /** Records that a check of all files has finished. Resolves once it is on the disk, or the failure is logged. */
  async noteCheck(): Promise<void> {
    const checkedAt = this.#deps.clock.now();
    this.#record = { ...this.#record, checked: { at: checkedAt, hours: this.#record.hours } };
    await this.#save();
  }

  /** Unacknowledged losses. */
  get losses(): readonly Loss[] {
    return this.#record.losses.filter(({ acknowledged }) => acknowledged !== true);
  }

  problem(): Problem | undefined {
    const { length } = this.losses;
    if (length === 0) return undefined;
    return { severity: "WARNING", code: "storage.lost", params: { count: length } };
  }

  /** Allows a damaged file to be recreated, and records the loss. Both are on the disk on return, before the file is moved. */
  replace(name: string, loss: Text): void {
    this.#record = { ...this.#record, accepted: [...this.#record.accepted, name] };
    void this.note([loss]); // writes again what a write in progress may replace
    try {
      writeRecord(this.#deps.dataPath, this.#record);
    } catch (error) {
      this.#deps.log.warn("inventory not written", { error });
    }
  }

  /** Records new losses. Resolves once they are on the disk, or the failure is logged. */
  async note(texts: readonly Text[]): Promise<void> {
    const added = unlisted(texts, this.#record.losses);
    if (added.length === 0) return;
    const { clock, log } = this.#deps;
    for (const text of added) log.error("data damaged or missing", { problem: inEnglish(text) });
    const foundAt = clock.now();
    const losses = [...this.#record.losses, ...added.map((text) => ({ at: foundAt, ...text }))].slice(
      -LOSSES_MAX,
    );
    this.#record = { ...this.#record, losses };
    await this.#save();
  }

  /** Acknowledges all losses. Resolves once this is on the disk, or the failure is logged. */
  async acknowledge(): Promise<void> {
    const losses = this.#record.losses.map((loss) => ({ ...loss, acknowledged: true }));
    this.#record = { ...this.#record, losses };
    await this.#save();
  }

  /** Increments the generation. Resolves once all databases and the inventory have it, or the failure is logged. */
  advance(): Promise<void> {
    this.#advancing = this.#advancing
      .then(() => this.#advance())
      .catch((error) => this.#deps.log.warn("inventory not updated", { error }));
    return this.#advancing;
  }

  #beginHour(): void {
    this.#record = { ...this.#record, hours: this.#record.hours + 1 };
    void this.advance();
  }

  async #advance(): Promise<void> {
    // Without it on the disk, a database that is one ahead would be refused.
    if (!this.#record.isAdvancing && !(await this.#save({ isAdvancing: true }))) return;
    const { gateway, keys } = this.#record;
    const generation = this.#record.generation + 1;
    for (const stamp of this.#stampers) await stamp({ gateway, generation, keys });
    await this.#save({ generation, accepted: [], cutLogs: [], isAdvancing: false });
  }

  /**
   * Writes the inventory with these changes, which take effect only once they are on the disk: the databases may be only one generation ahead of it.
   * Returns false if it could not be written; a full or read-only disk is reported elsewhere, and the next write contains everything. Writes nothing
   * if other files were put in the place of the open databases, because their inventory belongs to them.
   */
  #save(changes: Partial<InventoryRecord> = {}): Promise<boolean> {
    const write = async () => {
      try {
        const moved = await this.#files.findMoved();
        if (moved !== undefined) throw new Error(`${moved} was deleted or replaced`);
        await writeRecordInBackground(this.#deps.dataPath, { ...this.#record, ...changes });
        this.#record = { ...this.#record, ...changes };
        return true;
      } catch (error) {
        this.#deps.log.warn("inventory not written", { error });
        return false;
      }
    };
    const saved = this.#saving.then(write);
    this.#saving = saved;
    return saved;
  }
}
