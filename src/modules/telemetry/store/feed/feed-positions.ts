import { PAGE_BYTES, type TelemetryFile } from "../telemetry-file.ts";

/** Max. interval between writes of changed positions. */
const INTERVAL_MS_MAX = 5_000;
const INTERVAL_MS_MIN = 100;
/** Stored bytes per write of positions. A write takes one page, so positions add at most a twentieth to the bytes that a busy store writes. */
const STORE_BYTES_PER_WRITE = 20 * PAGE_BYTES;

export interface FeedPosition {
  readonly no: number;
  /** Id of the last confirmed hot row. */
  position: number;
  /** Position in the file. */
  persisted: number;
}

/** Writes the positions of feeds, often enough that little is resent after a crash, and rarely enough to reduce disk wear. */
export class FeedPositions {
  readonly #file: TelemetryFile;
  #writtenAtMs = performance.now();
  /** Bytes appended to the log at the last write. */
  #loggedBytes = 0;

  constructor(file: TelemetryFile) {
    this.#file = file;
  }

  /** Returns whether changed positions must be written now. */
  areDue(): boolean {
    const ms = performance.now() - this.#writtenAtMs;
    if (ms >= INTERVAL_MS_MAX) return true;
    if (ms < INTERVAL_MS_MIN) return false;
    return this.#file.log.bytesAppended - this.#loggedBytes >= STORE_BYTES_PER_WRITE;
  }

  /** Writes changed positions in one transaction with `work`. They share a page, so all cost as much as one. */
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
