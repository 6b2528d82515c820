import { DomainError } from "../../lib/core/domain-error.ts";
import type { FrameReader } from "../../lib/mqtt/frame-reader.ts";
import { PacketCursor } from "../../lib/mqtt/packet-cursor.ts";
import { connack, disconnect } from "../../lib/mqtt/packet-writer.ts";
import {
  type ConnectPacket,
  type ProtocolVersion,
  readConnect,
  readVersion,
  UnsupportedVersion,
} from "../../lib/mqtt/packets.ts";
import { malformed, ProtocolError, Reason } from "../../lib/mqtt/reason.ts";
import type { Peer } from "../../modules/api/request-peer.ts";
import type { Logger } from "../../platform/core/log.ts";
import type { Client } from "../broker/client.ts";
import type { MqttConnectionHandle, MqttLimits, MqttTransport, PeerCertificate } from "../mqtt.types.ts";
import { TICK_MS } from "../topics/server-time.ts";
import type { ConnectionTurns, Turn } from "./connection-turns.ts";
import type { Counters } from "./counters.ts";
import { Output, type WrittenOutputs } from "./output.ts";
import type { ReaderPool } from "./reader-pool.ts";

const CONNECT = 0x10;
/** Max. bytes of a CONNECT, which may contain a will. Until it arrives, a connection gets no more memory. */
const CONNECT_BYTES_MAX = 8 * 1024;
/** Bytes for header, topic and properties in addition to the payload. */
const OVERHEAD_BYTES = 1024;
/** Time after which a peer that takes no waiting output counts as frozen, in ms. */
export const DRAIN_TIMEOUT_MS = 2_000;
/** Time for the peer of a closed connection to take the last bytes, in ms. */
const LINGER_MS = 1_000;
/** Max. bytes that a transport without pause (WebSocket) may send while its commits are pending. */
const HELD_BYTES_MAX = 4 * 1024 * 1024;
/** Max. bytes kept of packets after a CONNECT, until the client is signed in. */
const EARLY_BYTES_MAX = 64 * 1024;
/** Max. time until a client is signed in: password checks queue, and a device without credentials may stay connected to claim some. */
const PATIENCE_MS_MAX = 60_000;

/** Server of a connection, reduced to the needs of the connection. */
export interface ConnectionHost {
  readonly limits: MqttLimits;
  readonly log: Logger;
  readonly counters: Counters;
  readonly connectionTurns: ConnectionTurns;
  readonly readers: ReaderPool;
  readonly written: WrittenOutputs;
  /** Time of the server, see `ServerTime`. */
  readonly now: number;
  /** Signs a client in, or returns the reason of the refusal. */
  admit(connection: Connection, packet: ConnectPacket): Client | number | Promise<Client | number>;
  gone(connection: Connection): void;
  /** Called before a peer is disconnected because of a protocol violation or a packet beyond the limit. */
  broken(connection: Connection, error: ProtocolError): void;
  /** Called for a peer with another protocol level than those of MQTT 3.1, 3.1.1 and 5. */
  unsupported(connection: Connection, level: number): void;
}

/** Byte stream of one client over any transport: first packet, limits and deadlines. A signed-in client is a `Client`. */
export class Connection implements MqttConnectionHandle, Turn {
  readonly output: Output;
  readonly remoteAddress: string;
  readonly #host: ConnectionHost;
  readonly #transport: MqttTransport;
  /** Undefined without unread bytes, because most connections are silent most of the time. */
  #reader: FrameReader | undefined;
  #client: Client | undefined;
  #version: ProtocolVersion | undefined;
  #state: "new" | "authenticating" | "open" | "ended" | "closed" = "new";
  #held = false;
  /** True while it waits for its next turn of the event loop. */
  #waits = false;
  #quiesced = false;
  #since: number;
  #lastSeen: number;
  #congestedSince: number | undefined;

  constructor(host: ConnectionHost, transport: MqttTransport) {
    this.#host = host;
    this.#transport = transport;
    this.output = new Output(transport, host.written);
    this.remoteAddress = transport.remoteAddress;
    this.#since = host.now;
    this.#lastSeen = host.now;
  }

  get peer(): Peer {
    return { address: this.remoteAddress, protocol: this.#transport.protocol ?? "mqtt" };
  }

  get isSignedIn(): boolean {
    return this.#client !== undefined;
  }

  get client(): Client | undefined {
    return this.#client;
  }

  get tenantId(): string | undefined {
    return this.#client?.principal.owner.tenantId;
  }

  get certificate(): PeerCertificate | undefined {
    return this.#transport.certificate;
  }

  get ended(): boolean {
    return this.#state === "ended" || this.#state === "closed";
  }

  data(bytes: Uint8Array): void {
    if (this.ended) return;
    this.#host.counters.bytesIn += bytes.length;
    this.#lastSeen = this.#host.now;
    this.#reader ??= this.#host.readers.take(this.#bodyBytesMax);
    this.#reader.push(bytes);
    if (this.#held) {
      if (this.#reader.pendingBytes > (this.#client ? HELD_BYTES_MAX : EARLY_BYTES_MAX))
        this.end(Reason.quotaExceeded);
    } else this.#continue();
  }

  drain(): void {
    if (this.ended) return;
    this.#congestedSince = undefined;
    this.output.drain();
    if (!this.output.congested) this.#client?.drained();
    this.#hold();
    this.#continue();
  }

  /** Called when the transport is closed. */
  closed(): void {
    if (this.#state === "closed") return;
    this.output.close();
    this.#leave();
    this.#state = "closed";
    this.#host.gone(this);
  }

  /** Called when messages or subscriptions of this client were answered or failed. */
  answered(): void {
    if (this.#client?.intake.failed) this.end(Reason.quotaExceeded);
    if (this.ended || !this.#held) return;
    this.#hold();
    this.#continue();
  }

  /** Ends the connection: sends the reason to an MQTT 5 client, and flushes the last bytes. */
  end(reason: number): void {
    if (this.ended) return;
    if (this.#state === "open" && this.#version === 5 && reason !== Reason.success)
      this.output.write(disconnect(reason));
    this.output.uncork();
    this.output.close();
    this.#leave();
    this.#state = "ended";
    this.#since = this.#host.now;
    // Further data is dropped, but the peer's end must be detected.
    if (this.#held) this.#transport.resume();
    this.#transport.close(reason !== Reason.success);
  }

  /** Ends the connection without waiting for its peer, which Bun does for seconds with TLS, and reads meanwhile. */
  abort(): void {
    this.end(Reason.success);
    this.#transport.close(false);
  }

  /** Stops reading permanently, because the server is stopping. */
  quiesce(): void {
    this.#quiesced = true;
    this.#hold();
  }

  tick(): void {
    const { now } = this.#host;
    if (this.#state === "ended") {
      if (now - this.#since > LINGER_MS) this.#transport.close(false);
    } else if (this.#state === "new") {
      if (now - this.#since >= this.#host.limits.connectTimeoutMs) this.#refuse("no CONNECT in time");
    } else if (this.#state === "authenticating") {
      if (now - this.#since >= PATIENCE_MS_MAX) this.#admitted(Reason.serverBusy);
    } else {
      this.#tickOpen(now);
    }
  }

  #tickOpen(now: number): void {
    // Nothing is read while commits are pending, so silence does not count.
    if (this.#held) this.#lastSeen = now;
    const keepAliveMs = this.#client?.keepAliveMs ?? 0;
    if (keepAliveMs > 0 && now - this.#lastSeen > keepAliveMs + TICK_MS) {
      this.end(Reason.keepAliveTimeout);
    } else if (
      this.#client?.principal.provisioningSession !== undefined &&
      now - this.#since > PATIENCE_MS_MAX
    ) {
      this.end(Reason.notAuthorized);
    } else if (!this.output.congested) {
      this.#congestedSince = undefined;
    } else if (this.#congestedSince === undefined) {
      this.#congestedSince = now;
    } else if (now - this.#congestedSince > DRAIN_TIMEOUT_MS) {
      this.#host.log.info("client disconnected: it does not read", { address: this.remoteAddress });
      this.end(Reason.unspecified);
    }
  }

  get #bodyBytesMax(): number {
    return this.#client === undefined ? CONNECT_BYTES_MAX : this.#host.limits.packetBytesMax + OVERHEAD_BYTES;
  }

  /** Reads on, unless this turn is over: very many connections may have something to read in the same turn. */
  #continue(): void {
    if (this.#held) return;
    if ((this.#reader?.pendingBytes ?? 0) > 0 && this.#host.connectionTurns.isTurnOver) this.#wait();
    else this.#read();
  }

  #read(): void {
    const reader = this.#reader;
    this.output.cork();
    try {
      while (this.#mayRead(reader) && reader.next()) {
        this.#packet(reader);
        if (this.#client?.intake.full || this.output.congested) this.#hold();
        // A short packet may take long as well: pipelines, alarm rules, a sign-in.
        else if (reader.pendingBytes > 0 && this.#host.connectionTurns.isTurnOver) this.#wait();
      }
      this.#client?.intake.flush();
    } catch (error) {
      this.#fail(error);
    }
    this.output.uncork();
    if (this.ended) return;
    if (this.#held) this.#hold();
    else this.#settle();
  }

  /** Returns whether a reader still belongs to this connection: after it was given back, another connection may have it. */
  #mayRead(reader: FrameReader | undefined): reader is FrameReader {
    return !this.#held && !this.ended && reader !== undefined && reader === this.#reader;
  }

  #settle(): void {
    const reader = this.#reader;
    if (reader === undefined) return;
    reader.settle();
    if (reader.pendingBytes > 0) return;
    this.#reader = undefined;
    this.#host.readers.giveBack(reader);
  }

  /** Schedules the remaining bytes for a later turn, so that others are served. */
  #wait(): void {
    if (this.ended || this.#reader === undefined || this.#reader.pendingBytes === 0) return;
    this.#waits = true;
    this.#host.connectionTurns.enqueue(this);
    this.#hold();
  }

  resume(): void {
    this.#waits = false;
    if (this.ended) return;
    this.#hold();
    if (!this.#held) this.#read();
  }

  /** Pauses or resumes reading: paused while commits or output accumulate, and during authentication and subscribing. */
  #hold(): void {
    const isAuthenticating = this.#state === "authenticating";
    const isBehind = this.#client?.intake.full === true || this.output.congested;
    const isSubscribing = this.#client?.isSubscribing === true;
    const full = this.#quiesced || isAuthenticating || this.#waits || isBehind || isSubscribing;
    if (full === this.#held) return;
    this.#held = full;
    if (full) this.#transport.pause();
    else this.#transport.resume();
  }

  #packet(reader: FrameReader): void {
    const client = this.#client;
    if (client !== undefined) {
      if ((reader.header & 0xf0) === 0x30) {
        this.#host.counters.messagesIn++;
        client.intake.publish(reader);
      } else {
        client.packet(reader);
        if (client.isSubscribing) this.#hold();
      }
      return;
    }
    if ((reader.header & 0xf0) !== CONNECT)
      throw new ProtocolError(Reason.protocolError, "the first packet is not CONNECT");
    const cursor = new PacketCursor(reader.buffer, reader.start, reader.end);
    const { version, isBridge } = readVersion(cursor);
    // MQTT 3.1 does not use the flags.
    if (reader.header !== CONNECT && version > 3) throw malformed("CONNECT with reserved flags");
    this.#version = version;
    this.#connect(readConnect(cursor, version, isBridge));
  }

  #connect(packet: ConnectPacket): void {
    const admitted = this.#host.admit(this, packet);
    if (!(admitted instanceof Promise)) {
      this.#admitted(admitted);
      return;
    }
    this.#state = "authenticating";
    this.#since = this.#host.now;
    this.#hold();
    admitted.then(
      (late) => this.#admittedLate(late),
      (error) => this.#fail(error),
    );
  }

  #admittedLate(admitted: Client | number): void {
    if (this.ended) return;
    this.output.cork();
    try {
      this.#admitted(admitted);
    } catch (error) {
      this.#fail(error);
    }
    this.output.uncork();
    if (this.ended) return;
    this.#hold();
    this.#continue();
  }

  #admitted(admitted: Client | number): void {
    if (typeof admitted === "number") {
      this.output.write(connack(this.#version ?? 4, admitted));
      this.#host.counters.refusedConnections++;
      this.end(Reason.success);
      return;
    }
    this.#client = admitted;
    this.#state = "open";
    if (this.#reader !== undefined) this.#reader.bodyBytesMax = this.#bodyBytesMax;
    admitted.start();
    if (admitted.isSubscribing) this.#hold();
  }

  #fail(error: unknown): void {
    if (error instanceof ProtocolError) {
      this.#host.counters.protocolErrors++;
      this.#host.log.debug("protocol error", {
        address: this.remoteAddress,
        reason: error.reason,
        error: error.message,
      });
      if (this.#state === "new") this.#explain(error);
      if (!(error instanceof UnsupportedVersion)) this.#host.broken(this, error);
      this.end(error.reason);
    } else if (error instanceof DomainError && error.kind === "unavailable") {
      this.end(Reason.quotaExceeded);
    } else {
      this.#host.log.error("connection ended by an unexpected error", { address: this.remoteAddress, error });
      this.end(Reason.implementationSpecific);
    }
  }

  /**
   * Answers an unreadable CONNECT. MQTT 5 (4.13.2) has a reason for every error. Earlier versions only have one for an unsupported level (3.1.1,
   * 3.2.2.3). A level above 5 gets that of MQTT 5, except with the mark of a bridge, which would not understand it.
   */
  #explain(error: ProtocolError): void {
    if (error instanceof UnsupportedVersion) {
      this.#host.unsupported(this, error.level);
      this.output.write(connack(error.level > 5 && error.level < 0x80 ? 5 : 4, error.reason));
    } else if (this.#version === 5) this.output.write(connack(5, error.reason));
  }

  #refuse(why: string): void {
    this.#host.counters.refusedConnections++;
    this.#host.log.debug("connection refused", { address: this.remoteAddress, why });
    this.end(Reason.success);
  }

  #leave(): void {
    this.#host.connectionTurns.remove(this);
    const client = this.#client;
    this.#client = undefined;
    this.#reader = undefined;
    client?.left();
  }
}
