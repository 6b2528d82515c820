import { connect, type Socket } from "node:net";
import { timedOut, unavailable } from "../../lib/domain-error.ts";
import { createFrameCodec, type FrameCodec, type ModbusFraming } from "../../lib/modbus/modbus-frames.ts";
import { ModbusProtocolError } from "../../lib/modbus/modbus-pdu.ts";
import type { Clock } from "../clock.ts";
import type { OutboundRule } from "../outbound-address.ts";

export interface ModbusConnectionOptions {
  readonly host: string;
  readonly port: number;
  readonly framing: ModbusFraming;
  /** Time for the connection, and for each answer, ms. */
  readonly timeoutMs: number;
  readonly addresses: Pick<OutboundRule, "resolve">;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Addresses of a name that are tried one after the other. */
const ADDRESSES_MAX = 3;
const TRANSACTIONS = 0x1_0000;

interface Pending {
  readonly transaction: number;
  readonly unitId: number;
  resolve(pdu: Uint8Array): void;
  reject(error: Error): void;
}

function openSocket(address: string, options: ModbusConnectionOptions): Promise<Socket> {
  const { port, timeoutMs, signal } = options;
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket = connect({ host: address, port });
  const giveUp = () => socket.destroy();
  const failWith = (code: string) => () => reject(Object.assign(new Error(code), { code }));
  socket.setTimeout(timeoutMs, () =>
    socket.destroy(Object.assign(new Error("no answer"), { code: "ETIMEDOUT" })),
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

/** An open connection to a Modbus server, which answers one request at a time. */
export class ModbusConnection {
  readonly #socket: Socket;
  readonly #options: ModbusConnectionOptions;
  readonly #frames: FrameCodec;
  readonly #closed = Promise.withResolvers<void>();
  #transaction = 0;
  #pending: Pending | undefined;
  #failure: Error | undefined;

  private constructor(socket: Socket, options: ModbusConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#frames = createFrameCodec(options.framing);
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("error", (error) => this.#end(error));
    socket.on("close", () => this.#end(Object.assign(new Error("closed"), { code: "ECONNRESET" })));
  }

  /** Connects to the first address that answers. @throws Error of the network, or DomainError for an address that is not allowed */
  static async open(options: ModbusConnectionOptions): Promise<ModbusConnection> {
    const { addresses, host, port, signal } = options;
    let failure: unknown = unavailable("network_error.no_address");
    for (const address of (await addresses.resolve(host, port)).slice(0, ADDRESSES_MAX)) {
      if (signal.aborted) break;
      try {
        return new ModbusConnection(await openSocket(address, options), options);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  get isOpen(): boolean {
    return this.#failure === undefined;
  }

  /** Resolves when the connection has ended. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  /** Error that ended the connection. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /**
   * Sends a request and resolves to its answer. A serial line has no numbers of requests: after one without an answer the connection
   * ends, so that a late answer is not taken for that to the next request.
   * @throws DomainError `timed_out`; ModbusProtocolError; Error of the network
   */
  async request(unitId: number, pdu: Uint8Array): Promise<Uint8Array> {
    if (this.#failure !== undefined) throw this.#failure;
    const { clock, timeoutMs, framing } = this.#options;
    this.#transaction = (this.#transaction + 1) % TRANSACTIONS;
    const transaction = framing === "TCP" ? this.#transaction : 0;
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    this.#pending = { transaction, unitId, resolve, reject };
    const cancel = clock.schedule(timeoutMs, () => {
      const error = timedOut("modbus.no_answer", { unitId, ms: timeoutMs });
      if (framing === "RTU") this.#end(error);
      else reject(error);
    });
    this.#socket.write(this.#frames.encode({ transaction, unitId, pdu }));
    try {
      return await promise;
    } finally {
      cancel();
      this.#pending = undefined;
    }
  }

  close(): void {
    this.#end(new Error("closed"));
  }

  #receive(chunk: Buffer): void {
    try {
      this.#frames.add(chunk);
      for (let frame = this.#frames.next(); frame !== undefined; frame = this.#frames.next()) {
        const pending = this.#pending;
        // A late answer to a request that was given up.
        if (pending === undefined || frame.transaction !== pending.transaction) continue;
        if (frame.unitId !== pending.unitId)
          throw new ModbusProtocolError(`answer of unit ${frame.unitId} instead of ${pending.unitId}`);
        pending.resolve(Uint8Array.from(frame.pdu));
      }
    } catch (error) {
      this.#end(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #end(error: Error): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    this.#socket.destroy();
    this.#pending?.reject(error);
    this.#closed.resolve();
  }
}
