import { inEnglish } from "../../lib/core/domain-error.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { Problem } from "../core/health.ts";
import type { Logger } from "../core/log.ts";
import type { Stamp } from "../database/database-stamp.ts";
import type { Part } from "../process/lifecycle.ts";
import type { Clock } from "../time/clock.ts";
import { createPeriodic } from "../time/periodic.ts";
import { lockIdOf } from "./gateway-lock.ts";
import { type InventoryRecord, type Loss, unlisted, writeRecord } from "./inventory-record.ts";

const HOUR_MS = 3_600_000;
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
  #record: InventoryRecord;
  #isBegun = false;
  #advancing: Promise<void> = Promise.resolve();

  constructor(deps: InventoryKeeperDeps) {
    this.#deps = deps;
    this.#record = deps.record;
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
    this.note(this.#deps.warnings);
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

  /** Records that a check of all files has finished. */
  noteCheck(): void {
    const checkedAt = this.#deps.clock.now();
    this.#write({ ...this.#record, checked: { at: checkedAt, hours: this.#record.hours } });
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

  /** Allows a damaged file to be recreated, and records the loss. */
  replace(name: string, loss: Text): void {
    this.#record = { ...this.#record, accepted: [...this.#record.accepted, name] };
    this.note([loss]);
    this.#write(this.#record);
  }

  /** Records new losses. */
  note(texts: readonly Text[]): void {
    const added = unlisted(texts, this.#record.losses);
    if (added.length === 0) return;
    const { clock, log } = this.#deps;
    for (const text of added) log.error("data damaged or missing", { problem: inEnglish(text) });
    const foundAt = clock.now();
    const losses = [...this.#record.losses, ...added.map((text) => ({ at: foundAt, ...text }))].slice(
      -LOSSES_MAX,
    );
    this.#write({ ...this.#record, losses });
  }

  /** Acknowledges all losses. */
  acknowledge(): void {
    const losses = this.#record.losses.map((loss) => ({ ...loss, acknowledged: true }));
    this.#write({ ...this.#record, losses });
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
    if (!this.#record.isAdvancing) this.#write({ ...this.#record, isAdvancing: true });
    if (!this.#record.isAdvancing) return;
    const { gateway, keys } = this.#record;
    const generation = this.#record.generation + 1;
    for (const stamp of this.#stampers) await stamp({ gateway, generation, keys });
    this.#write({
      ...this.#record,
      generation,
      accepted: [],
      cutLogs: [],
      isAdvancing: false,
    });
  }

  #write(record: InventoryRecord): void {
    try {
      writeRecord(this.#deps.dataPath, record);
      this.#record = record;
    } catch (error) {
      // A full or read-only disk is reported elsewhere, and the next change writes the whole inventory. Until then, the generation stays: the
      // databases may be only one ahead of it.
      const { generation, isAdvancing } = this.#record;
      this.#record = { ...record, generation, isAdvancing };
      this.#deps.log.warn("inventory not written", { error });
    }
  }
}
