/** Frame: its length in four bytes, little-endian, followed by that many bytes of JSON. */

/** Max. length of a frame; a peer that announces more is broken or compromised. */
export const FRAME_BYTES_MAX = 4 * 1024 * 1024;

export function encodeFrame(value: unknown): Uint8Array {
  const text = Buffer.from(JSON.stringify(value));
  const frame = Buffer.allocUnsafe(4 + text.length);
  frame.writeUInt32LE(text.length, 0);
  text.copy(frame, 4);
  return frame;
}

/** Assembles frames from pieces of any size. */
export class FrameAssembler {
  #pending: Buffer = Buffer.alloc(0);

  /** Returns the frames completed by these bytes. @throws Error if a frame cannot begin like this */
  add(bytes: Uint8Array): unknown[] {
    this.#pending = this.#pending.length === 0 ? Buffer.from(bytes) : Buffer.concat([this.#pending, bytes]);
    const frames: unknown[] = [];
    while (this.#pending.length >= 4) {
      const length = this.#pending.readUInt32LE(0);
      if (length > FRAME_BYTES_MAX) throw new Error(`a frame of ${length} bytes`);
      if (this.#pending.length < 4 + length) break;
      frames.push(JSON.parse(this.#pending.toString("utf8", 4, 4 + length)));
      this.#pending = this.#pending.subarray(4 + length);
    }
    return frames;
  }
}
