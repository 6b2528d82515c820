import { FrameReader, fromClient } from "../../lib/mqtt/frame-reader.ts";

/** Max. unused readers in the pool. Few connections are within a packet simultaneously. */
const IDLE_MAX = 64;

/** Pool of readers. A connection only needs one while it has bytes of an incomplete packet. */
export class ReaderPool {
  readonly #idle: FrameReader[] = [];

  /** @param bodyBytesMax largest body that is accepted, in bytes */
  take(bodyBytesMax: number): FrameReader {
    const reader = this.#idle.pop();
    if (reader === undefined) return new FrameReader(fromClient, bodyBytesMax);
    reader.bodyBytesMax = bodyBytesMax;
    return reader;
  }

  /** Takes back a reader without unread bytes. */
  giveBack(reader: FrameReader): void {
    if (this.#idle.length < IDLE_MAX) this.#idle.push(reader);
  }
}
