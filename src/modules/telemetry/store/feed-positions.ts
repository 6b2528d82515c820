import { PAGE_BYTES, type TelemetryFile } from "./telemetry-file.ts";

/** Positions are written at least this often while they change. */
const INTERVAL_MS_MAX = 5_000;
const INTERVAL_MS_MIN = 100;
/** A write of positions takes one page, so positions add at most a twentieth to what the store writes while it is busy. */
const STORE_BYTES_PER_WRITE = 20 * PAGE_BYTES;

export interface FeedPosition {
  readonly no: number;
  /** Id of the last hot row that was confirmed. */
  position: number;
  /** Position in the file. */
  persisted: number;
}

/** Writes the positions of feeds, often enough that little is sent again after a crash, and seldom enough to spare the disk. */
export class FeedPositions {
  readonly #file: TelemetryFile;
  #writtenAtMs = performance.now();
  /** What the log had taken at the last write, in bytes. */
  #loggedBytes = 0;

  constructor(file: TelemetryFile) {
    this.#file = file;
  }

  /** Returns whether changed positions are to be written now. */
  areDue(): boolean {
    const ms = performance.now() - this.#writtenAtMs;
    if (ms >= INTERVAL_MS_MAX) return true;
    if (ms < INTERVAL_MS_MIN) return false;
    return this.#file.log.bytesAppended - this.#loggedBytes >= STORE_BYTES_PER_WRITE;
  }

  /** Writes those that have changed, in one transaction with `work`. They share a page, so all cost as much as one. */
  write(feeds: Iterable<FeedPosition>, work: () => void = () => undefined): void {
    const changed = [...feeds].filter(({ position, persisted }) => position !== persisted);
    const update = this.#file.db.query("UPDATE feed SET position = ? WHERE no = ?");
    this.#file.transactLazily(() => {
      work();
      for (const { no, position } of changed) update.run(position, no);
    });
    for (const feed of changed) feed.persisted = feed.position;
    this.#writtenAtMs = performance.now();
    this.#loggedBytes = this.#file.log.bytesAppended;
  }
}
