/// <reference path="./nodes7.d.ts" />
import type NodeS7 from "nodes7";
import type { Item } from "nodes7";
import { detail, timedOut } from "../../lib/core/domain-error.ts";
import type { S7Address, S7Area } from "../../lib/s7/s7-address.ts";
import type { S7Range } from "../../lib/s7/s7-plan.ts";
import type { Text } from "../../lib/texts/text.ts";
import { EndingConnection } from "../network/ending-connection.ts";
import { openFirst } from "../network/first-reachable.ts";
import type { OutboundRule } from "../network/outbound-address.ts";

export interface S7ConnectionOptions {
  readonly host: string;
  readonly port: number;
  readonly rack: number;
  readonly slot: number;
  /** Timeout of the connection, and of each response, in ms. */
  readonly timeoutMs: number;
  readonly addresses: Pick<OutboundRule, "resolve">;
  readonly signal: AbortSignal;
}

/**
 * Refusal of an address by the controller. `code` is the return code of the address (one byte), or class and code of an error (two bytes) if the
 * controller refuses the whole request; 0 without a code.
 */
export class S7Refusal extends Error {
  constructor(readonly refusalCode: number) {
    super(`S7 return code ${refusalCode}`);
  }
}

/** The controller sent a message that is not a response. */
export class S7ProtocolError extends Error {
  constructor(readonly reason: Text) {
    super(reason.code);
  }
}

/** Version and header length of a frame (RFC 1006). */
const FRAME_VERSION = 3;
const HEADER_BYTES = 4;
const FRAME_BYTES_MIN = 7;
/** Max. bytes of a frame. The library negotiates packets of 960 bytes. */
const FRAME_BYTES_MAX = 2_048;
/** Min. bytes of a packet. Real controllers have at least 240; below 32, the library would not end. */
const PACKET_BYTES_MIN = 112;
const CONNECTED = 4;
/** Positions of the parts of a response, and values of the second part. */
const SEQUENCE_AT = 11;
const KIND_AT = 8;
const ERROR_AT = 17;
const ACK = 2;
const ACK_DATA = 3;
/** Response without data, which the library treats as bad values of the whole packet. */
const EMPTY_RESPONSE = Buffer.from("0300001602f080320300000000000200010000040100", "hex");
/** Max. frames per request. The connection ends beyond it, because a controller could send them without end. */
const FRAMES_MAX = 1_000;

const area = { DB: "", M: "M", I: "I", Q: "Q", PI: "PI" } as const;

/** Returns the address of bytes in the form of the library. All values are read as bytes, because the library replaces unreadable values by texts. */
const bytesAddress = ({ area: of, db, byte, count }: S7Range): string =>
  of === "DB" ? `DB${db},B${byte}.${count}` : `${area[of]}B${byte}.${count}`;

const bitAddress = ({ area: of, db, byte, bit }: S7Address): string =>
  of === "DB" ? `DB${db},X${byte}.${bit}` : `${area[of]}${byte}.${bit}`;

const isByte = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 0xff;

/** Returns the bytes that the library read; undefined after a failed read, for which it returns `BAD 255`. */
function bytesFrom(value: unknown, count: number): Uint8Array | undefined {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.length === count && values.every(isByte) ? Uint8Array.from(values) : undefined;
}

const refusalCodeIn = (errCode: string | undefined): number =>
  Number(/^Invalid Response Code - (\d{1,3})$/.exec(errCode ?? "")?.[1] ?? 0);

const NO_BYTES = Buffer.alloc(0);

/** Returns an item like one of the library, which would allocate 32 kB for each, and twice as much for its copies. */
function itemLike(template: Item, range: S7Range): Item {
  const { area: of, db, byte: offset, count } = range;
  const address = bytesAddress(range);
  const item: Item = {
    ...template,
    addr: address,
    useraddr: address,
    ...(of === "DB" && { dbNumber: db }),
    offset,
    arrayLength: count,
    byteLength: count,
    byteLengthWithFill: count + (count % 2),
    byteBuffer: Buffer.alloc(count),
    qualityBuffer: Buffer.alloc(count),
    writeBuffer: NO_BYTES,
    writeQualityBuffer: NO_BYTES,
    clone: () => ({ ...item }),
  };
  return item;
}

const closedByPeer = () => Object.assign(new Error("closed"), { code: "ECONNRESET" });

/** Splits received bytes into whole frames. The library treats every received piece as a frame. */
class Frames {
  #rest: Buffer = Buffer.alloc(0);

  /** @throws S7ProtocolError */
  add(chunk: Buffer): Buffer[] {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const frames: Buffer[] = [];
    while (this.#rest.length >= HEADER_BYTES) {
      const length = this.#rest.readUInt16BE(2);
      if (this.#rest[0] !== FRAME_VERSION || length < FRAME_BYTES_MIN || length > FRAME_BYTES_MAX)
        throw new S7ProtocolError(detail("s7_protocol.frame"));
      if (this.#rest.length < length) break;
      frames.push(this.#rest.subarray(0, length));
      this.#rest = this.#rest.subarray(length);
    }
    return frames;
  }
}

/**
 * Open connection to a controller, for one request at a time. The library connects and packs reads into packets, but never reconnects here. Every
 * error ends the connection, so that no response is assigned to a later request.
 */
export class S7Connection extends EndingConnection {
  readonly #client: NodeS7;
  readonly #timeoutMs: number;
  #reject: (error: Error) => void = () => undefined;
  /** Ranges of the last read. */
  #ranges: readonly S7Range[] = [];
  /** Items of the library by area. */
  readonly #templates = new Map<S7Area, Item>();
  /** Frames since the last request. */
  #frames = 0;
  /** Refusal of the current request by the controller, if any. */
  #refusal: S7Refusal | undefined;

  private constructor(client: NodeS7, timeoutMs: number) {
    super();
    this.#client = client;
    this.#timeoutMs = timeoutMs;
    this.#guard();
    this.#shrinkItems();
  }

  /** @throws Error of the network, S7ProtocolError, or DomainError: `timed_out`, an address that is not allowed */
  static async open(options: S7ConnectionOptions): Promise<S7Connection> {
    const { default: Client } = await import("nodes7"); // not before a connection needs it
    return openFirst(options, async (address) => {
      const client = new Client({ silent: true });
      client.doNotOptimize = true;
      const connection = new S7Connection(client, options.timeoutMs);
      await connection.#connect(address, options);
      return connection;
    });
  }

  /**
   * Reads ranges. Resolves to the bytes of each range, or to the code of its refusal.
   * @throws DomainError `timed_out`, S7ProtocolError, or Error of the network
   */
  async read(ranges: readonly S7Range[]): Promise<(Uint8Array | S7Refusal)[]> {
    const client = this.#client;
    const addresses = ranges.map(bytesAddress);
    const values = await this.#request<Record<string, unknown>>((resolve) => {
      if (addresses.join() !== this.#ranges.map(bytesAddress).join()) {
        client.removeItems();
        client.addItems(addresses);
        this.#ranges = ranges;
      }
      client.readAllItems((_, read) => resolve(read));
    });
    /** Keyed by address. */
    const items = new Map(client.globalReadBlockList.map((item) => [item.useraddr, item]));
    return ranges.map(({ count }, index) => {
      const address = addresses[index] ?? "";
      const bytes = bytesFrom(values[address], count);
      if (bytes !== undefined) return bytes;
      const parts = items.get(address)?.requestReference ?? [];
      return new S7Refusal(Math.max(0, ...parts.map(({ errCode }) => refusalCodeIn(errCode))));
    });
  }

  writeBit(address: S7Address, value: boolean): Promise<void> {
    return this.#write(bitAddress(address), value);
  }

  writeBytes(range: S7Range, bytes: Uint8Array): Promise<void> {
    return this.#write(bytesAddress(range), bytes.length === 1 ? bytes[0] : [...bytes]);
  }

  /** @throws S7Refusal, and as `read` */
  async #write(address: string, value: unknown): Promise<void> {
    const client = this.#client;
    const isAnyBad = await this.#request<boolean>((resolve) => {
      if (client.writeItems(address, value, resolve) !== 0)
        throw new S7ProtocolError(detail("s7_protocol.unexpected"));
    });
    if (!isAnyBad) return;
    const codes = client.globalWriteBlockList.flatMap(({ requestReference }) =>
      requestReference.map(({ writeResponse = 0 }) => (writeResponse === 0xff ? 0 : writeResponse)),
    );
    throw new S7Refusal(Math.max(0, ...codes));
  }

  async #connect(host: string, { port, rack, slot, timeoutMs, signal }: S7ConnectionOptions): Promise<void> {
    const giveUp = () => this.close();
    signal.addEventListener("abort", giveUp);
    try {
      await this.#request<void>((resolve) => {
        this.#client.initiateConnection({ host, port, rack, slot, timeout: timeoutMs }, () => {
          const { isoConnectionState, maxPDU, maxParallel } = this.#client;
          if (isoConnectionState !== CONNECTED) return;
          if (maxPDU < PACKET_BYTES_MIN || maxParallel < 1)
            this.end(
              new S7ProtocolError(detail("s7_protocol.packets", { bytes: maxPDU, count: maxParallel })),
            );
          else resolve();
        });
        this.#client.connectNow = () => undefined;
      });
    } finally {
      signal.removeEventListener("abort", giveUp);
    }
  }

  /** Runs a request of the library, which calls back. @throws S7Refusal if the controller refuses the whole request */
  async #request<Result>(start: (resolve: (result: Result) => void) => void): Promise<Result> {
    this.ensureOpen();
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#reject = reject;
    this.#frames = 0;
    this.#refusal = undefined;
    this.#try(() =>
      start((result) => (this.#refusal === undefined ? resolve(result) : reject(this.#refusal))),
    );
    return promise;
  }

  #try(action: () => void): void {
    try {
      action();
    } catch (error) {
      this.end(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** Makes the library use small items for reads. */
  #shrinkItems(): void {
    const client = this.#client;
    const add = client.addItemsNow.bind(client);
    client.addItemsNow = () => {
      for (const range of this.#ranges) {
        let template = this.#templates.get(range.area);
        if (template === undefined) {
          add([bytesAddress(range)]);
          const created = client.polledReadBlockList.pop();
          if (created === undefined) throw new S7ProtocolError(detail("s7_protocol.unexpected"));
          template = itemLike(created, range);
          this.#templates.set(range.area, template);
        }
        client.polledReadBlockList.push(itemLike(template, range));
      }
    };
  }

  /** Replaces the error handling of the library, and passes whole frames to it. The library calls these functions from events of its socket. */
  #guard(): void {
    const client = this.#client;
    const frames = new Frames();
    for (const name of ["onISOConnectReply", "onPDUReply", "onResponse"] as const) {
      const original = client[name];
      client[name] = (chunk) =>
        this.#try(() => {
          for (const frame of frames.add(chunk))
            if (this.isOpen) this.#take(frame, (taken) => original.call(client, taken));
        });
    }
    client.onClientDisconnect = () => this.end(closedByPeer());
    client.onClientClose = () => this.end(closedByPeer());
    const silence = () => this.end(timedOut("s7.no_response", { ms: this.#timeoutMs }));
    // A time-out before TCP is connected is reported without an Error.
    client.connectError = (error) =>
      this.end(error instanceof Error ? error : timedOut("network_error.timed_out"));
    client.readWriteError = client.connectError;
    client.connectionReset = () => this.end(new S7ProtocolError(detail("s7_protocol.response")));
    client.packetTimeout = silence;
  }

  #take(frame: Buffer, handle: (frame: Buffer) => void): void {
    if (++this.#frames > FRAMES_MAX) throw new S7ProtocolError(detail("s7_protocol.endless"));
    const client = this.#client;
    const isResponse = client.isoConnectionState === CONNECTED && frame.length > FRAME_BYTES_MIN;
    const taken = isResponse ? this.#answerIn(frame) : frame;
    try {
      handle(taken);
    } catch {
      throw new S7ProtocolError(detail("s7_protocol.response")); // the library reads beyond the end of a frame
    }
    if (isResponse) this.noteResponse();
    // The library would wait for two seconds, and connect again.
    if (client.reconnectTimer !== undefined) throw new S7ProtocolError(detail("s7_protocol.agreement"));
  }

  /**
   * Returns the response for the library, which repeats a write after a duplicate response, and would reconnect after a refusal.
   * @throws S7ProtocolError for a response without a packet in flight
   */
  #answerIn(frame: Buffer): Buffer {
    const { readPacketArray, writePacketArray } = this.#client;
    if (frame.length < ERROR_AT + 2) return frame; // the library finds it too short
    const sequence = frame.readUInt16BE(SEQUENCE_AT);
    const isAwaited = [...readPacketArray, ...writePacketArray].some(
      ({ seqNum, sent, rcvd }) => seqNum === sequence && sent && !rcvd,
    );
    if (!isAwaited) throw new S7ProtocolError(detail("s7_protocol.unexpected"));
    const kind = frame[KIND_AT];
    if ((kind !== ACK && kind !== ACK_DATA) || frame[ERROR_AT] === 0) return frame;
    this.#refusal = new S7Refusal(frame.readUInt16BE(ERROR_AT));
    const empty = Buffer.from(EMPTY_RESPONSE);
    empty.writeUInt16BE(sequence, SEQUENCE_AT);
    return empty;
  }

  protected release(error: Error): void {
    const client = this.#client;
    for (const timer of [client.reconnectTimer, client.rereadTimer, client.resetTimeout]) clearTimeout(timer);
    client.connectionCleanup();
    this.#reject(error);
  }
}
