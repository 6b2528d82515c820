import { setImmediate as nextRound } from "node:timers/promises";
import { DomainError, unavailable } from "../../lib/core/domain-error.ts";
import { FrameReader, fromForeignBroker } from "../../lib/mqtt/frame-reader.ts";
import { PacketCursor } from "../../lib/mqtt/packet-cursor.ts";
import { acknowledgement, PUBACK, PUBCOMP, PUBREC } from "../../lib/mqtt/packet-writer.ts";
import { type PublishPacket, readAcknowledgement, readPublish } from "../../lib/mqtt/packets.ts";
import { ProtocolError } from "../../lib/mqtt/reason.ts";
import type { Text } from "../../lib/texts/text.ts";
import { workShare } from "../load/fair-share.ts";
import type { InboundSession, Outcome } from "./inbound-session.ts";
import type { TenantSpace } from "./inbound-space.ts";

/** Max. bytes of a message, including its topic. */
export const PACKET_BYTES_MAX = 1024 * 1024;
/** Max. messages in progress, sent to brokers with MQTT 5 as the receive maximum. */
export const WINDOW = 400;
/** Messages that are started without a pause. Afterwards, the gateway writes them to disk and does other work. */
export const SLICE = 100;
/** Bytes of packets that are started in a row: decoding 64 KB takes up to 20 ms. Afterwards, connections take turns. */
const SLICE_BYTES = 64 * 1024;
const WINDOW_BYTES = 4 * PACKET_BYTES_MAX;
/** Type, flags and length of the largest packet. */
const HEADER_BYTES = 4;
/** Kept bytes of a message that is too large: topic, packet id and properties are before its payload. */
const TRUNCATED_BYTES = 80 * 1024;

/** Max. body of other packets: 8,192 granted filters with reason strings of the same size. The packet decoder takes 300 ms for 1 MB of them. */
const OTHER_BYTES_MAX = 16 * 1024;

const CONNACK = 2;
const PUBLISH = 3;
const PUBREL = 6;

export interface InboundLaneDeps {
  readonly protocolVersion: 4 | 5;
  readonly session: InboundSession;
  readonly space?: TenantSpace | undefined;
  /** Processes a message; never rejects. */
  readonly take: (message: PublishPacket) => Promise<Outcome>;
  readonly tooLarge: (message: PublishPacket) => void;
  /** Passes on bytes for mqtt.js: all packets except messages. */
  readonly pass: (bytes: Uint8Array) => void;
  /** Sends acknowledgements to the broker. */
  readonly send: (bytes: Uint8Array) => void;
  /** Ends the connection if a message cannot be accepted now, or if the broker does not speak MQTT. */
  readonly fail: (error: Error) => void;
  /** Called when there is room again, after `push` returned false. */
  readonly onRoom: () => void;
}

interface InFlight {
  readonly message: PublishPacket;
  outcome: Outcome | undefined;
}

/** Thrown if no message can be accepted at the moment; the broker keeps the message. */
export class NotTaken extends DomainError {
  constructor(reason: Text) {
    super("unavailable", reason);
  }
}

/**
 * Processes messages of a broker. mqtt.js passes on one message only after the acknowledgement of the previous one, which would need one commit per
 * message. Here, messages up to the window are processed together and acknowledged in the order of arrival (MQTT 5, 4.6), each after it was
 * accepted. mqtt.js handles all other packets.
 */
export class InboundLane {
  readonly #deps: InboundLaneDeps;
  readonly #reader = new FrameReader(fromForeignBroker, PACKET_BYTES_MAX - HEADER_BYTES, {
    truncatedBytes: TRUNCATED_BYTES,
    otherBytesMax: OTHER_BYTES_MAX,
  });
  readonly #inFlight: InFlight[] = [];
  #bytes = 0;
  /** True if nothing is started until an acknowledgement or the next slice. */
  #isFull = false;
  #isClosed = false;
  #isBetweenSlices = false;
  #isSettling = false;
  /** Resolves `finish` when no message is in progress. */
  #finished: (() => void) | undefined;

  constructor(deps: InboundLaneDeps) {
    this.#deps = deps;
  }

  /** Returns false if the sender must wait for `onRoom`. */
  push(chunk: Uint8Array): boolean {
    if (this.#isClosed) return true;
    this.#reader.push(chunk);
    this.#work();
    return !this.#isFull;
  }

  /** Starts no additional messages. Resolves when the messages in progress are acknowledged or the connection is closed. */
  finish(): Promise<void> {
    return new Promise((resolve) => {
      this.#finished = resolve;
      if (this.#inFlight.length === 0) resolve();
    });
  }

  /** Marks the connection as closed. Messages in progress continue, without acknowledgement. */
  close(): void {
    this.#isClosed = true;
    this.#inFlight.length = 0;
    this.#finished?.();
  }

  #work(): void {
    if (this.#isBetweenSlices) return;
    try {
      this.#readSlice();
    } catch (error) {
      if (error instanceof ProtocolError)
        this.#fail(unavailable("broker_error.protocol", { reason: error.message }));
      else this.#fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #readSlice(): void {
    let bytes = 0;
    for (let count = 0; !this.#isClosed && this.#finished === undefined; count++) {
      this.#isFull = this.#isWindowFull;
      if (this.#isFull) return;
      if (count === SLICE || bytes >= SLICE_BYTES) {
        this.#pause(bytes >= SLICE_BYTES ? workShare.next() : nextRound());
        return;
      }
      if (!this.#reader.next()) return;
      bytes += this.#reader.end - this.#reader.packetStart;
      this.#read();
    }
  }

  /** One message may always be in progress: its acknowledgement lets the connection go on. */
  get #isWindowFull(): boolean {
    const { length } = this.#inFlight;
    return (
      length >= WINDOW || this.#bytes >= WINDOW_BYTES || (length > 0 && this.#deps.space?.isFull === true)
    );
  }

  #pause(until: Promise<unknown>): void {
    this.#isFull = true;
    this.#isBetweenSlices = true;
    void until.then(() => {
      this.#isBetweenSlices = false;
      this.#goOn();
    });
  }

  #goOn(): void {
    if (!this.#isFull || this.#isClosed) return;
    this.#work();
    if (!this.#isFull) this.#deps.onRoom();
  }

  #read(): void {
    const { session, pass, send, protocolVersion } = this.#deps;
    const { buffer, header, packetStart, start, end, isTruncated } = this.#reader;
    const cursor = new PacketCursor(buffer, start, end);
    const type = header >> 4;
    if (type === PUBLISH) this.#take(readPublish(header, cursor, protocolVersion), isTruncated);
    else if (type === PUBREL) {
      const { packetId } = readAcknowledgement(cursor, protocolVersion);
      session.release(packetId);
      send(acknowledgement(PUBCOMP, packetId));
    } else {
      // Its first flag says whether the broker still has the session. Messages may follow immediately.
      if (type === CONNACK && (cursor.u8() & 1) === 0) session.forget();
      pass(buffer.subarray(packetStart, end));
    }
  }

  #take(message: PublishPacket, isTruncated: boolean): void {
    const { session, take, tooLarge } = this.#deps;
    const entry: InFlight = { message, outcome: undefined };
    this.#inFlight.push(entry);
    this.#bytes += message.payload.length;
    const giveBack = this.#deps.space?.take(message.payload.length);
    if (isTruncated) tooLarge(message);
    const outcome = isTruncated
      ? Promise.resolve<Outcome>({ kind: "taken" })
      : session.take(message, () => take(message));
    void outcome.then((existingOutcome) => {
      entry.outcome = existingOutcome;
      this.#bytes -= message.payload.length;
      giveBack?.();
      this.#settleSoon();
    });
  }

  /** Schedules one write for all acknowledgements of a commit. */
  #settleSoon(): void {
    if (this.#isSettling) return;
    this.#isSettling = true;
    setImmediate(() => {
      this.#isSettling = false;
      if (!this.#isClosed) this.#settle();
    });
  }

  /** Acknowledges accepted messages, up to the first message in progress. */
  #settle(): void {
    const acknowledgements: Uint8Array[] = [];
    for (let [first] = this.#inFlight; first?.outcome !== undefined; [first] = this.#inFlight) {
      const { message, outcome } = first;
      // The broker does not resend QoS 0 messages.
      if (outcome.kind === "later" && message.packetId !== 0) {
        if (acknowledgements.length > 0) this.#deps.send(Buffer.concat(acknowledgements));
        this.#fail(new NotTaken(outcome.reason));
        return;
      }
      this.#inFlight.shift();
      if (message.packetId !== 0) acknowledgements.push(this.#acknowledge(message.packetId, message.qos));
    }
    if (acknowledgements.length > 0) this.#deps.send(Buffer.concat(acknowledgements));
    if (this.#inFlight.length === 0) this.#finished?.();
    this.#goOn();
  }

  #acknowledge(packetId: number, qos: PublishPacket["qos"]): Uint8Array {
    if (qos === 1) this.#deps.session.release(packetId);
    return acknowledgement(qos === 2 ? PUBREC : PUBACK, packetId);
  }

  #fail(error: Error): void {
    if (this.#isClosed) return;
    this.close();
    this.#deps.fail(error);
  }
}
