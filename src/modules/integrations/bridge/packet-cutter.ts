const PUBLISH = 3;
/** The length of a packet takes up to four bytes of seven bits (MQTT 5, 1.5.5). */
const LENGTH_BYTES_MAX = 4;
/** Topic, packet id and properties of a message that is too large stand before its payload; more of it is not kept. */
const HEAD_BYTES_MAX = 80 * 1024;

export interface CutPacket {
  /** The first byte: type and flags. */
  readonly header: number;
  /** With its header and length. */
  readonly bytes: Buffer;
  /** A message of more bytes than are taken: only its beginning is here, the rest was let go by. */
  readonly isCut: boolean;
}

const joined = (parts: readonly Buffer[]): Buffer => {
  const [only] = parts;
  return only !== undefined && parts.length === 1 ? only : Buffer.concat(parts);
};

/**
 * Cuts what a broker sends into packets. A message that is too large is never kept: its beginning comes out, so that it can be
 * acknowledged (the broker would send it for ever), and the rest is counted away.
 */
export class PacketCutter {
  readonly #bytesMax: number;
  #kept: Buffer = Buffer.alloc(0);
  /** Bytes of a large message that are still to come and are dropped. */
  #toDrop = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  push(chunk: Buffer): void {
    const dropped = Math.min(this.#toDrop, chunk.length);
    this.#toDrop -= dropped;
    const rest = chunk.subarray(dropped);
    if (rest.length > 0) this.#kept = this.#kept.length === 0 ? rest : joined([this.#kept, rest]);
  }

  /** The next whole packet; undefined when more bytes are needed. @throws Error on what is no MQTT. */
  next(): CutPacket | undefined {
    const kept = this.#kept;
    const header = kept[0];
    if (header === undefined) return undefined;
    let length = 0;
    for (let at = 1; at <= LENGTH_BYTES_MAX; at++) {
      const byte = kept[at];
      if (byte === undefined) return undefined;
      length += (byte & 0x7f) * 128 ** (at - 1);
      if ((byte & 0x80) === 0) return this.#take(header, at + 1 + length);
    }
    throw new Error("the broker sent something that is no MQTT");
  }

  #take(header: number, total: number): CutPacket | undefined {
    const kept = this.#kept;
    if (total <= this.#bytesMax) {
      if (kept.length < total) return undefined;
      this.#kept = kept.subarray(total);
      return { header, bytes: kept.subarray(0, total), isCut: false };
    }
    if (header >> 4 !== PUBLISH) throw new Error(`the broker sent a packet of ${total} bytes`);
    const head = Math.min(total, HEAD_BYTES_MAX);
    if (kept.length < head) return undefined;
    const dropped = Math.min(total, kept.length);
    this.#kept = kept.subarray(dropped);
    this.#toDrop = total - dropped;
    return { header, bytes: kept.subarray(0, head), isCut: true };
  }
}
