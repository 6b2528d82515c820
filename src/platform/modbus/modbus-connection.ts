import { connect, type Socket } from "node:net";
import { timedOut } from "../../lib/core/domain-error.ts";
import { createFrameCodec, type FrameCodec, type ModbusFrame } from "../../lib/modbus/modbus-frames.ts";
import { defaultSerial, type ModbusFraming, type SerialSettings } from "../../lib/modbus/modbus-lists.ts";
import { ensureResponses, ModbusProtocolError } from "../../lib/modbus/modbus-pdu.ts";
import { EndingConnection } from "../network/ending-connection.ts";
import { openFirst } from "../network/first-reachable.ts";
import type { OutboundRule } from "../network/outbound-address.ts";
import { SerialPort } from "../serial/serial-port.ts";
import type { Clock } from "../time/clock.ts";

export interface ModbusConnectionOptions {
  /** Address or name; for a serial port, its path. */
  readonly host: string;
  readonly port: number;
  readonly framing: ModbusFraming;
  /** Settings of a serial port. */
  readonly serial: SerialSettings | null;
  /** Timeout of the connection, and of each response, in ms. */
  readonly timeoutMs: number;
  readonly addresses: Pick<OutboundRule, "resolve">;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const TRANSACTIONS = 0x1_0000;
const GIVEN_UP_MAX = 16;
/** Max. consecutive responses without a request. The connection ends beyond it, because a server could send them without end. */
const STRAYS_MAX = 32;
/** Consecutive requests without a response after which a connection counts as dead: a router may drop it silently. */
const UNANSWERED_MAX = 5;

/** Transport that carries the bytes. */
interface Line {
  write(bytes: Uint8Array): void;
  /** Called when no response is pending. */
  rest(): void;
  close(): void;
}

interface LineEvents {
  onData(chunk: Uint8Array): void;
  onEnd(error: Error): void;
}

interface Pending {
  readonly transaction: number;
  readonly unitId: number;
  readonly pdu: Uint8Array;
  /** Transaction of a received response that belongs to no request. */
  strayTransaction?: number;
  resolve(pdu: Uint8Array): void;
  reject(error: Error): void;
}

function lineOf(socket: Socket, { onData, onEnd }: LineEvents): Line {
  socket.on("data", onData);
  socket.on("error", onEnd);
  socket.on("close", () => onEnd(Object.assign(new Error("closed"), { code: "ECONNRESET" })));
  return { write: (bytes) => socket.write(bytes), rest: () => undefined, close: () => socket.destroy() };
}

function openSocket(address: string, options: ModbusConnectionOptions): Promise<Socket> {
  const { port, timeoutMs, signal } = options;
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket = connect({ host: address, port });
  const giveUp = () => socket.destroy();
  const failWith = (code: string) => () => reject(Object.assign(new Error(code), { code }));
  socket.setTimeout(timeoutMs, () =>
    socket.destroy(Object.assign(new Error("no response"), { code: "ETIMEDOUT" })),
  );
  signal.addEventListener("abort", giveUp);
  socket.once("error", reject);
  socket.once("close", failWith("ECONNRESET"));
  socket.once("connect", () => {
    socket.setTimeout(0);
    socket.setNoDelay(true);
    socket.setKeepAlive(true, 30_000);
    resolve(socket);
  });
  return promise.finally(() => signal.removeEventListener("abort", giveUp));
}

/** Open connection to a Modbus server, which answers one request at a time. */
export class ModbusConnection extends EndingConnection {
  readonly #line: Line;
  readonly #options: ModbusConnectionOptions;
  readonly #frames: FrameCodec;
  #transaction = 0;
  #pending: Pending | undefined;
  /** Consecutive requests without a response. */
  #unanswered = 0;
  /** Consecutive responses without a request. */
  #strays = 0;
  /** Transactions of abandoned requests, whose responses may arrive late. */
  readonly #givenUp: number[] = [];
  /** Units that refused functions 5 and 6, and accept 15 and 16. */
  readonly writingMany = new Set<number>();

  private constructor(options: ModbusConnectionOptions, openLine: (events: LineEvents) => Line) {
    super();
    this.#options = options;
    this.#frames = createFrameCodec(options.framing);
    this.#line = openLine({
      onData: (chunk) => this.#receive(chunk),
      onEnd: (error) => this.end(error),
    });
  }

  /**
   * Opens the serial port, or connects to the first address that responds.
   * @throws Error of the network, or DomainError for a port that cannot be opened or an address that is not allowed
   */
  static async open(options: ModbusConnectionOptions): Promise<ModbusConnection> {
    const { host: path, framing, serial, clock } = options;
    if (framing === "SERIAL") {
      const settings = serial ?? defaultSerial;
      return new ModbusConnection(options, (events) => new SerialPort({ path, settings, clock, ...events }));
    }
    return openFirst(options, async (address) => {
      const socket = await openSocket(address, options);
      return new ModbusConnection(options, (events) => lineOf(socket, events));
    });
  }

  /**
   * Sends a request and resolves to its response. Serial lines do not number requests: after a request without a response the connection ends, so
   * that a late response is not assigned to the next request.
   * @throws DomainError `timed_out`, ModbusProtocolError, or Error of the network
   */
  async request(unitId: number, pdu: Uint8Array): Promise<Uint8Array> {
    this.ensureOpen();
    const { clock, timeoutMs, framing } = this.#options;
    this.#transaction = (this.#transaction + 1) % TRANSACTIONS;
    const transaction = framing === "TCP" ? this.#transaction : 0;
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    const pending: Pending = { transaction, unitId, pdu, resolve, reject };
    this.#pending = pending;
    const cancel = clock.schedule(timeoutMs, () => {
      const error = this.#silenceOf(pending);
      this.#unanswered++;
      this.#givenUp.push(transaction);
      this.#frames.clear();
      if (this.#givenUp.length > GIVEN_UP_MAX) this.#givenUp.shift();
      if (framing !== "TCP" || this.#unanswered >= UNANSWERED_MAX) this.end(error);
      else reject(error);
    });
    const frame = this.#frames.encode({ transaction, unitId, pdu });
    this.#frames.sent(frame);
    this.#line.write(frame);
    try {
      return await promise;
    } finally {
      cancel();
      this.#line.rest();
      this.#pending = undefined;
    }
  }

  /** Returns the error of a request without a response, depending on whether any bytes have arrived. */
  #silenceOf({ unitId, transaction, strayTransaction }: Pending): Error {
    return strayTransaction === undefined
      ? timedOut("modbus.no_response", { unitId, ms: this.#options.timeoutMs })
      : new ModbusProtocolError(
          `answered with another transaction number (${strayTransaction} instead of ${transaction})`,
        );
  }

  #receive(chunk: Uint8Array): void {
    try {
      this.#frames.add(chunk);
      for (let frame = this.#frames.next(); frame !== undefined; frame = this.#frames.next())
        this.#take(frame);
    } catch (error) {
      this.end(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /**
   * Assigns a response to its request. On a serial line, later responses could not be distinguished from responses to earlier requests. @throws
   * ModbusProtocolError for an unexpected response on a serial line
   */
  #take({ transaction, unitId, pdu }: ModbusFrame): void {
    const pending = this.#pending;
    const isSerial = this.#options.framing !== "TCP";
    if (pending === undefined || transaction !== pending.transaction) {
      if (isSerial || ++this.#strays > STRAYS_MAX)
        throw new ModbusProtocolError("a response came that no request waits for");
      // The response to an abandoned request may arrive late.
      if (pending !== undefined && !this.#givenUp.includes(transaction))
        pending.strayTransaction = transaction;
      return;
    }
    this.#pending = undefined;
    this.#strays = 0;
    this.noteResponse();
    this.#unanswered = 0;
    try {
      if (unitId !== pending.unitId)
        throw new ModbusProtocolError(`response of unit ${unitId} instead of ${pending.unitId}`);
      ensureResponses(pending.pdu, pdu);
      pending.resolve(Uint8Array.from(pdu));
    } catch (error) {
      pending.reject(error instanceof Error ? error : new Error(String(error)));
      if (isSerial) throw error;
    }
  }

  protected release(error: Error): void {
    this.#line.close();
    this.#pending?.reject(error);
  }
}
