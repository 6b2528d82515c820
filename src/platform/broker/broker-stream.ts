import { connect as connectPlain, isIP, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { unavailable } from "../../lib/domain-error.ts";
import type { OutboundRule } from "../outbound-address.ts";
import type { BrokerSettings } from "./broker.types.ts";
import { parseBrokerUrl } from "./broker-url.ts";
import { createWebSocketWire, type WebSocketWire } from "./websocket-wire.ts";

/** Addresses of a name that are tried one after the other. */
const ADDRESSES_MAX = 3;
const CONNECT_MS_MAX = 10_000;

export interface BrokerStreamDeps {
  readonly settings: BrokerSettings;
  readonly addresses: Pick<OutboundRule, "resolve">;
  /** Authorities that are trusted where the settings name none; the usual ones when undefined. */
  readonly authorities?: readonly string[] | undefined;
  /** Bytes of the broker; false when no more are to come until `resume`. */
  readonly receive: (chunk: Buffer) => boolean;
}

/**
 * The way to a broker as mqtt.js wants it: one stream, whatever carries it. The address is judged when the connection is made, and
 * connected to by number. Bytes of the broker go to `receive`, which hands on what mqtt.js is to read by `push`.
 */
export class BrokerStream extends Duplex {
  readonly #deps: BrokerStreamDeps;
  #socket: Socket | undefined;
  #wire: WebSocketWire | undefined;
  /** Callback of the write or the end that waits for the connection. */
  #waiting: (() => void) | undefined;
  #isOpen = false;

  constructor(deps: BrokerStreamDeps) {
    super({ allowHalfOpen: false });
    this.#deps = deps;
    this.#connect().catch((error) => this.destroy(error instanceof Error ? error : new Error(String(error))));
  }

  /** The broker may go on sending. */
  resumeReceiving(): void {
    this.#socket?.resume();
  }

  async #connect(): Promise<void> {
    const { settings, addresses } = this.#deps;
    const { host, port } = parseBrokerUrl(settings.brokerUrl);
    const found = (await addresses.resolve(host, port)).slice(0, ADDRESSES_MAX);
    let failure: unknown = unavailable("network_error.no_address");
    for (const address of found) {
      if (this.destroyed) return;
      try {
        this.#begin(await this.#open(address));
        return;
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  #open(address: string): Promise<Socket> {
    const { settings, authorities } = this.#deps;
    const { host, port, isTls } = parseBrokerUrl(settings.brokerUrl);
    const { promise, resolve, reject } = Promise.withResolvers<Socket>();
    const { credentials = {}, tls = {} } = settings;
    // The certificate is held against the name, not the address that it led to.
    const name = tls.serverName ?? host;
    const ca = credentials.ca === undefined ? authorities : [credentials.ca];
    const socket = isTls
      ? process.getBuiltinModule("node:tls").connect({
          host: address,
          port,
          ...(isIP(name) === 0 && { servername: name }),
          rejectUnauthorized: tls.rejectUnauthorized ?? true,
          ...(ca && { ca: [...ca] }),
          ...(credentials.cert !== undefined && { cert: credentials.cert }),
          ...(credentials.key !== undefined && { key: credentials.key }),
        })
      : connectPlain({ host: address, port });
    this.#socket = socket;
    socket.setTimeout(CONNECT_MS_MAX, () =>
      socket.destroy(Object.assign(new Error("no answer"), { code: "ETIMEDOUT" })),
    );
    socket.once("error", reject);
    socket.once("close", () => reject(Object.assign(new Error("closed"), { code: "ECONNRESET" })));
    socket.once(isTls ? "secureConnect" : "connect", () => {
      socket.setTimeout(0);
      socket.setNoDelay(true); // acknowledgements are small, and the broker waits for them
      resolve(socket);
    });
    if (this.destroyed) socket.destroy();
    return promise;
  }

  #begin(socket: Socket): void {
    const { url, isWebSocket } = parseBrokerUrl(this.#deps.settings.brokerUrl);
    // Once mqtt.js has read what came last: why the broker hangs up.
    socket.on("error", (error) => setImmediate(() => this.destroy(error)));
    socket.on("close", () => setImmediate(() => this.destroy()));
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("drain", () => this.#proceed());
    if (isWebSocket) {
      this.#wire = createWebSocketWire(url, (bytes) => socket.write(bytes));
      socket.write(this.#wire.request);
    } else this.#openUp();
  }

  #openUp(): void {
    this.#isOpen = true;
    this.#proceed();
  }

  #proceed(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.();
  }

  #receive(chunk: Buffer): void {
    try {
      const contents = this.#wire === undefined ? [chunk] : this.#wire.read(chunk);
      if (this.#wire?.isOpen && !this.#isOpen) this.#openUp();
      let mayGoOn = true;
      for (const content of contents) if (!this.#deps.receive(content)) mayGoOn = false;
      if (!mayGoOn) this.#socket?.pause();
    } catch (error) {
      this.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  }

  override _read(): void {
    // What mqtt.js reads is little: messages do not come this way.
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    const send = () => {
      const socket = this.#socket;
      if (socket === undefined) return done(new Error("not connected"));
      if (socket.write(this.#wire?.frame(chunk) ?? chunk)) done();
      else this.#waiting = done;
    };
    if (this.#isOpen) send();
    else this.#waiting = send;
  }

  override _writev(parts: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this._write(Buffer.concat(parts.map(({ chunk }) => chunk)), "buffer", done);
  }

  override _final(done: (error?: Error | null) => void): void {
    if (this.#isOpen) this.#socket?.end();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket?.destroy();
    done(error);
  }
}
