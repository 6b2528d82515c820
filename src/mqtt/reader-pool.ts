import { FrameReader, fromClient } from "../lib/mqtt/frame-reader.ts";

/** Max. unused readers in the pool; few connections are in the middle of a packet simultaneously. */
const IDLE_MAX = 64;

/** Pool of readers. A connection needs one only while it has bytes that are not cut into packets yet. */
export class ReaderPool {
  readonly #idle: FrameReader[] = [];

  /** @param bodyBytesMax largest body that is accepted, in bytes */
  take(bodyBytesMax: number): FrameReader {
    const reader = this.#idle.pop();
    if (reader === undefined) return new FrameReader(fromClient, bodyBytesMax);
    reader.bodyBytesMax = bodyBytesMax;
    return reader;
  }

  /** Takes a reader back that holds no bytes. */
  giveBack(reader: FrameReader): void {
    if (this.#idle.length < IDLE_MAX) this.#idle.push(reader);
  }
}
