import {
  type AddressBits,
  type AddressRange,
  addressBits,
  isInRange,
  parseRange,
} from "../lib/network/ip-range.ts";
import type { Config } from "../platform/config/config.ts";
import type { Logger } from "../platform/core/log.ts";
import { type AcceptedSockets, addressOf, portOf } from "../platform/network/accepted-sockets.ts";
import { TLS_RECEIVED_BYTES_MAX } from "../platform/network/tls-received.ts";
import type { Clock } from "../platform/time/clock.ts";
import { untilSharedWake } from "../platform/time/periodic.ts";
import { takeFloodedCount } from "./sockets.ts";

/**
 * Limits on HTTP connections that Bun.serve lacks: their number, in total and per address, and the time until the headers of the first request are
 * complete. It checks the sockets of the process in passes and shuts down those beyond a limit. Bun itself closes slow bodies, idle connections and
 * readers that take nothing.
 */
const PASS_INTERVAL_MS_MAX = 1_000;
/** Max. descriptors per step of a pass, so that no step holds the event loop for more than about 1 ms. */
const DESCRIPTORS_PER_STEP = 1_000;
const STEP_INTERVAL_MS = 250;
const REPORT_INTERVAL_MS = 60_000;
/**
 * Max. received bytes of a connection that wait for the server, which reads all of them in one round of the event loop: 500 KB of a body in chunks of
 * one byte take Bun about 1 ms, and hundreds of strangers may send them together. The kernel takes twice as many, for its own part.
 */
export const RECEIVED_BYTES_MAX = { plain: 64 * 1024, tls: TLS_RECEIVED_BYTES_MAX } as const;

export interface ConnectionLimits
  extends Pick<
    Config,
    | "http_connections_max"
    | "http_connections_per_address_max"
    | "http_connections_exempt"
    | "http_first_request_timeout_ms"
    | "trusted_proxies"
  > {}

interface Connection {
  readonly descriptor: number;
  /** True if the connection has no TLS. With TLS, the handshake also sends bytes. */
  readonly isPlain: boolean;
  readonly peer: Uint8Array;
  readonly port: number;
  readonly address: AddressBits;
  /** Key for counting the connection; undefined for exempt addresses. */
  readonly group: AddressBits | undefined;
  /** Monotonic ms. */
  readonly since: number;
  /** Most recent pass that found it. */
  pass: number;
  isCounted: boolean;
  isCountedElsewhere: boolean;
  hasRequested: boolean;
  isRefused: boolean;
}

/** Local ports with limited connections; of `mqttTls`, the MQTT server limits the number. */
interface LimitedPorts {
  readonly plain: number | undefined;
  readonly secure: number | undefined;
  readonly mqttTls: number | undefined;
}

interface RequestPeer {
  readonly address: string;
  readonly port: number;
}

/**
 * Returns the group of an address: IPv4 addresses count individually, IPv6 addresses by their /64, because one machine has any number of addresses
 * in it.
 */
const groupOf = (address: AddressBits): AddressBits =>
  address >> 32n === 0xffffn ? address : address >> 64n;

/**
 * Min. bytes received before the body of a telemetry message. Such a request may exceed the time limit, because its body may be slow and its commit
 * may wait. Incomplete headers of this length are left to Bun, which closes them after 12 s.
 */
const REQUEST_BYTES_MIN = 64;
const mayHaveRequested = ({ received, answered }: { received: number; answered: number }): boolean =>
  answered > 0 || received >= REQUEST_BYTES_MIN;

export class ConnectionGuard {
  readonly #limits: ConnectionLimits;
  readonly #sockets: AcceptedSockets | undefined;
  readonly #ports: () => LimitedPorts;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #exempt: readonly AddressRange[];
  /** Keyed by descriptor. */
  readonly #connections = new Map<number, Connection>();
  /** Group → its counted connections. */
  readonly #perGroup = new Map<AddressBits, number>();
  #count = 0;
  /** Pass of the last request, by peer port. Ports are sufficient: a mistake spares a connection, and Bun closes it later. */
  readonly #requested = new Uint32Array(65_536);
  /** Addresses of handed-over connections by peer port. */
  readonly #handedOver = new Map<number, { address: AddressBits | undefined; pass: number }>();
  #fresh: Connection[] = [];
  #descriptors: number[] = [];
  #ownPorts: LimitedPorts = { plain: undefined, secure: undefined, mqttTls: undefined };
  /** Passes begin at 2, so that an empty entry is older than the previous pass. */
  #pass = 2;
  #closed = { tooMany: 0, tooManyOfAddress: 0, withoutRequest: 0, tooManyFrames: 0 };
  #nextReport = 0;
  #cancel: () => void = () => undefined;

  constructor(deps: {
    limits: ConnectionLimits;
    sockets: AcceptedSockets | undefined;
    ports: () => LimitedPorts;
    clock: Clock;
    log: Logger;
  }) {
    this.#limits = deps.limits;
    this.#sockets = deps.sockets;
    this.#ports = deps.ports;
    this.#clock = deps.clock;
    this.#log = deps.log;
    const { http_connections_exempt: exempt, trusted_proxies: proxies = "" } = deps.limits;
    this.#exempt = [...exempt.split(","), ...proxies.split(",")].flatMap(
      (entry) => parseRange(entry.trim()) ?? [],
    );
  }

  /**
   * Records complete headers. Looking up the peer costs a tenth of a telemetry message, so those are not recorded: responses, and the length of a
   * short request in received bytes, also count.
   */
  requested(peer: RequestPeer | null | undefined): void {
    if (peer) this.#requested[peer.port] = this.#pass;
  }

  /** Stops counting a connection that has another limit, such as that of the MQTT server. */
  handOver(peer: RequestPeer | null | undefined): void {
    if (peer) this.#handedOver.set(peer.port, { address: addressBits(peer.address), pass: this.#pass });
  }

  get #passIntervalMs(): number {
    return Math.min(PASS_INTERVAL_MS_MAX, this.#limits.http_first_request_timeout_ms);
  }

  start(): void {
    const sockets = this.#sockets;
    if (sockets === undefined) {
      this.#log.info("number of HTTP connections not limited on this system");
      return;
    }
    this.#nextReport = this.#clock.monotonic();
    this.#ownPorts = this.#ports();
    for (const descriptor of sockets.descriptors()) this.#limitListener(sockets, descriptor);
    this.#schedule(sockets, this.#passIntervalMs);
  }

  stop(): void {
    this.#cancel();
  }

  #schedule(sockets: AcceptedSockets, ms: number): void {
    this.#cancel = this.#clock.schedule(ms, () => {
      this.#step(sockets);
      const isPassing = this.#descriptors.length > 0;
      this.#schedule(
        sockets,
        isPassing ? STEP_INTERVAL_MS : untilSharedWake(this.#clock, this.#passIntervalMs),
      );
    });
  }

  #step(sockets: AcceptedSockets): void {
    if (this.#descriptors.length === 0) {
      this.#pass++;
      this.#descriptors = sockets.descriptors();
      this.#ownPorts = this.#ports();
    }
    for (const descriptor of this.#descriptors.splice(-DESCRIPTORS_PER_STEP))
      this.#inspect(sockets, descriptor);
    if (this.#descriptors.length > 0) return;
    this.#forgetGone();
    for (const connection of this.#fresh) this.#admit(sockets, connection);
    this.#fresh = [];
    this.#report();
  }

  #inspect(sockets: AcceptedSockets, descriptor: number): void {
    const peer = sockets.peerOf(descriptor);
    if (peer === undefined) {
      this.#limitListener(sockets, descriptor); // with a new certificate, there is a new one
      return;
    }
    const connection = this.#connections.get(descriptor);
    if (connection !== undefined && Buffer.compare(connection.peer, peer) === 0) {
      this.#check(sockets, connection);
      return;
    }
    if (connection !== undefined) this.#forget(connection);
    const local = sockets.localPortOf(descriptor);
    if (!this.#isOwn(local)) return;
    const fresh = this.#connectionOf(descriptor, peer, local === this.#ownPorts.plain);
    this.#connections.set(descriptor, fresh);
    this.#fresh.push(fresh);
    this.#check(sockets, fresh);
  }

  #isOwn(port: number | undefined): boolean {
    const { plain, secure } = this.#ownPorts;
    return port !== undefined && (port === plain || port === secure);
  }

  #limitListener(sockets: AcceptedSockets, descriptor: number): void {
    const port = sockets.localPortOf(descriptor);
    if (port === undefined) return;
    const { plain, secure, mqttTls } = this.#ownPorts;
    if (port === plain) sockets.limitReceived(descriptor, RECEIVED_BYTES_MAX.plain);
    else if (port === secure || port === mqttTls) sockets.limitReceived(descriptor, RECEIVED_BYTES_MAX.tls);
  }

  #connectionOf(descriptor: number, peer: Uint8Array, isPlain: boolean): Connection {
    const address = addressOf(peer);
    return {
      descriptor,
      isPlain,
      peer: peer.slice(),
      port: portOf(peer),
      address,
      group: this.#exempt.some((range) => isInRange(address, range)) ? undefined : groupOf(address),
      since: this.#clock.monotonic(),
      pass: this.#pass,
      isCounted: false,
      isCountedElsewhere: false,
      hasRequested: false,
      isRefused: false,
    };
  }

  #check(sockets: AcceptedSockets, connection: Connection): void {
    connection.pass = this.#pass;
    const handedOver = this.#handedOver.get(connection.port);
    if (handedOver?.address === connection.address) {
      this.#handedOver.delete(connection.port);
      connection.isCountedElsewhere = true;
      connection.hasRequested = true;
      this.#leave(connection);
    }
    if (connection.hasRequested || connection.isRefused) return;
    connection.hasRequested =
      (this.#requested[connection.port] ?? 0) >= this.#pass - 1 ||
      (connection.isPlain && mayHaveRequested(sockets.trafficOf(connection.descriptor)));
    if (connection.hasRequested) return;
    const isLate = this.#clock.monotonic() - connection.since > this.#limits.http_first_request_timeout_ms;
    // After a busy moment its request may wait in the kernel.
    if (!isLate || sockets.hasUnread(connection.descriptor)) return;
    this.#closed.withoutRequest++;
    connection.isRefused = true;
    sockets.shutdown(connection.descriptor);
  }

  #admit(sockets: AcceptedSockets, connection: Connection): void {
    const { group, isCountedElsewhere, isRefused } = connection;
    if (isCountedElsewhere || isRefused) return;
    const ofGroup = group === undefined ? 0 : (this.#perGroup.get(group) ?? 0);
    const isTooMany = this.#count >= this.#limits.http_connections_max;
    if (!isTooMany && ofGroup < this.#limits.http_connections_per_address_max) {
      connection.isCounted = true;
      this.#count++;
      if (group !== undefined) this.#perGroup.set(group, ofGroup + 1);
      return;
    }
    // Between the steps of a pass, the descriptor may have been reused.
    const peer = sockets.peerOf(connection.descriptor);
    if (peer === undefined || Buffer.compare(peer, connection.peer) !== 0) return;
    this.#closed[isTooMany ? "tooMany" : "tooManyOfAddress"]++;
    connection.isRefused = true;
    sockets.shutdown(connection.descriptor);
  }

  #leave(connection: Connection): void {
    if (!connection.isCounted) return;
    connection.isCounted = false;
    this.#count--;
    if (connection.group === undefined) return;
    const left = (this.#perGroup.get(connection.group) ?? 1) - 1;
    if (left === 0) this.#perGroup.delete(connection.group);
    else this.#perGroup.set(connection.group, left);
  }

  #forget(connection: Connection): void {
    this.#leave(connection);
    this.#connections.delete(connection.descriptor);
  }

  #forgetGone(): void {
    for (const connection of this.#connections.values())
      if (connection.pass !== this.#pass) this.#forget(connection);
    for (const [port, { pass }] of this.#handedOver) if (pass < this.#pass - 1) this.#handedOver.delete(port);
  }

  #report(): void {
    this.#closed.tooManyFrames += takeFloodedCount();
    const { withoutRequest, ...refused } = this.#closed;
    const refusedCount = refused.tooMany + refused.tooManyOfAddress + refused.tooManyFrames;
    if (refusedCount + withoutRequest === 0 || this.#clock.monotonic() < this.#nextReport) return;
    this.#nextReport = this.#clock.monotonic() + REPORT_INTERVAL_MS;
    this.#closed = { tooMany: 0, tooManyOfAddress: 0, withoutRequest: 0, tooManyFrames: 0 };
    const text = "http connections were closed";
    // Browsers open connections in advance, so these alone are not unusual.
    if (refusedCount > 0) this.#log.warn(text, { ...refused, withoutRequest });
    else this.#log.debug(text, { withoutRequest });
  }
}
