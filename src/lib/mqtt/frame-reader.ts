import { malformed, PacketTooLarge } from "./reason.ts";

const PUBLISH_TYPE = 3;

// Fixed-header bytes that are well formed (MQTT 5, 2.1.2-2.1.3): reserved types and flags, QoS 3 and DUP on QoS 0 are absent.
function headerTable(fixed: readonly number[]): Uint8Array {
  const table = new Uint8Array(256);
  for (const header of fixed) table[header] = 1;
  for (let flags = 0; flags < 16; flags++) {
    const qos = (flags >> 1) & 3;
    const duplicateOfQos0 = qos === 0 && flags >= 8;
    if (qos < 3 && !duplicateOfQos0) table[0x30 | flags] = 1;
  }
  return table;
}

/** Allows headers of clients and of servers: the latter are out of place, but not malformed. MQTT 3.1 has no reserved flags in a CONNECT. */
export const fromClient = headerTable([
  ...Array.from({ length: 16 }, (_, flags) => 0x10 | flags),
  ...[0x20, 0x40, 0x50, 0x62, 0x70, 0x82, 0x90, 0xa2, 0xb0, 0xc0, 0xd0, 0xe0, 0xf0],
]);
export const fromBroker = headerTable([0x20, 0x40, 0x50, 0x62, 0x70, 0x90, 0xb0, 0xd0]);

/** Allows every header except CONNECT, reserved type 0 and QoS 3. The decoder of a packet checks the flags of other brokers. */
export const fromForeignBroker = Uint8Array.from({ length: 256 }, (_, header) => {
  const isPublish = header >> 4 === PUBLISH_TYPE;
  return header >= 0x20 && !(isPublish && (header & 6) === 6) ? 1 : 0;
});

/** Reported bytes of a refused packet, sufficient for most topics. */
const REPORTED_BYTES = 512;
/** Type and flags, and a remaining length of up to four bytes. */
const HEADER_BYTES_MAX = 5;
const nothing = new Uint8Array(0);

/**
 * Splits a byte stream into MQTT packets. Chunks with whole packets are never copied: `buffer`, `start` and `end` delimit the body of the current
 * packet. Memory between chunks grows with the received bytes, never with the announced length.
 */
export class FrameReader {
  buffer: Uint8Array = nothing;
  header = 0;
  /** Offset of the current packet's header. */
  packetStart = 0;
  /** Body of the current packet: `buffer[start, end)`. */
  start = 0;
  end = 0;
  /** Max. bytes of a body. */
  bodyBytesMax: number;
  /** True if the current packet is a PUBLISH that is too large: `end` is the end of its kept part. */
  isTruncated = false;
  readonly #headers: Uint8Array;
  readonly #truncatedBytes: number;
  readonly #otherBytesMax: number;
  /** Remaining bytes of a truncated packet, which are dropped. */
  #skip = 0;
  #position = 0;
  #filled = 0;
  #owned = false;
  #length = 0;

  /**
   * @param options.truncatedBytes kept bytes of the body of a PUBLISH that is too large; 0 makes such a packet an error
   * @param options.otherBytesMax max. body of other packets, if it is smaller than that of a PUBLISH
   */
  constructor(
    headers: Uint8Array,
    bodyBytesMax: number,
    {
      truncatedBytes = 0,
      otherBytesMax = Number.POSITIVE_INFINITY,
    }: { truncatedBytes?: number; otherBytesMax?: number } = {},
  ) {
    this.#headers = headers;
    this.bodyBytesMax = bodyBytesMax;
    this.#truncatedBytes = truncatedBytes;
    this.#otherBytesMax = otherBytesMax;
  }

  /** Received bytes that are not yet part of a packet. */
  get pendingBytes(): number {
    return this.#filled - this.#position;
  }

  push(received: Uint8Array): void {
    let chunk = received;
    if (this.#skip > 0) {
      chunk = received.subarray(this.#skip);
      this.#skip -= received.length - chunk.length;
      if (chunk.length === 0) return;
    }
    if (this.#position === this.#filled) {
      this.buffer = chunk;
      this.#position = 0;
      this.#filled = chunk.length;
      this.#owned = false;
      return;
    }
    this.#reserve(chunk.length);
    this.buffer.set(chunk, this.#filled);
    this.#filled += chunk.length;
  }

  /** Moves to the next whole packet. Returns false if more bytes are needed. @throws ProtocolError */
  next(): boolean {
    const { buffer } = this;
    const index = this.#position;
    const filled = this.#filled;
    if (index === filled) return false;
    const header = buffer[index]!;
    if (this.#headers[header] === 0) throw malformed("reserved packet type or flags");
    const start = this.#bodyStart(index + 1);
    if (start === 0) return false;
    if (
      this.#length > this.bodyBytesMax ||
      (this.#length > this.#otherBytesMax && header >> 4 !== PUBLISH_TYPE)
    )
      return this.#truncate(header, start);
    const end = start + this.#length;
    if (end > filled) return false;
    this.header = header;
    this.isTruncated = false;
    this.packetStart = index;
    this.start = start;
    this.end = end;
    this.#position = end;
    return true;
  }

  /** Moves to the kept part of a packet that is too large, and drops the rest. */
  #truncate(header: number, start: number): boolean {
    if (this.#truncatedBytes === 0 || header >> 4 !== PUBLISH_TYPE) {
      const received = Math.min(this.#filled, start + this.#length, start + REPORTED_BYTES);
      throw new PacketTooLarge({ header, bytes: this.#length, start: this.buffer.slice(start, received) });
    }
    const end = start + Math.min(this.#length, this.#truncatedBytes);
    if (end > this.#filled) return false;
    const whole = start + this.#length;
    const received = Math.min(whole, this.#filled);
    this.header = header;
    this.isTruncated = true;
    this.packetStart = this.#position;
    this.start = start;
    this.end = end;
    this.#skip = whole - received;
    this.#position = received;
    return true;
  }

  /** Reads the remaining length at `offset` into `#length`. Returns the offset after it, or 0 if more bytes are needed. */
  #bodyStart(offset: number): number {
    let length = 0;
    let start = offset;
    for (let shift = 0; ; shift += 7) {
      if (shift > 21) throw malformed("remaining length has more than four bytes");
      if (start === this.#filled) return 0;
      const byte = this.buffer[start++]!;
      length |= (byte & 127) << shift;
      if (byte < 128) {
        if (byte === 0 && shift > 0) throw malformed("remaining length is not in its shortest form");
        break;
      }
    }
    this.#length = length;
    return start;
  }

  /** Copies an incomplete packet out of its chunk, so that a few bytes do not keep a large chunk in memory. */
  settle(): void {
    if (this.#position === this.#filled) {
      this.buffer = nothing;
      this.#position = 0;
      this.#filled = 0;
      this.#owned = false;
    } else if (!this.#owned) {
      this.#reserve(0);
    }
  }

  #reserve(extra: number): void {
    const pending = this.#filled - this.#position;
    const needed = pending + extra;
    if (this.#owned && this.#filled + extra <= this.buffer.length) return;
    // Never moved in place: packets already handed out still point into the old buffer.
    // One packet at most, unless its reader is held back and more than one waits: doubling then copies each byte but twice.
    const packetBytesMax = this.bodyBytesMax + HEADER_BYTES_MAX;
    const room = needed > packetBytesMax ? needed * 2 : Math.min(needed * 2, packetBytesMax);
    // After a chunk that is larger than what is pending there is no room: its messages keep all of the buffer in memory.
    const target = new Uint8Array(Math.max(64, needed, extra >= pending ? 0 : room));
    target.set(this.buffer.subarray(this.#position, this.#filled));
    this.buffer = target;
    this.#position = 0;
    this.#filled = pending;
    this.#owned = true;
  }
}
