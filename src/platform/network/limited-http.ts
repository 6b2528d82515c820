import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from "node:http";
import { connect, type NetConnectOpts, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { type ConnectionOptions, connect as connectTls } from "node:tls";
import { unavailable } from "../../lib/core/domain-error.ts";
import { limitTlsReceived } from "./tls-received.ts";

/** Bytes parsed before other work gets a turn: tiny messages or chunks take up to a millisecond per KB. */
const PART_BYTES = 8 * 1024;
/** Max. bytes of a response in addition to its body: status lines, headers, trailers, chunk sizes. */
const HEAD_BYTES_MAX = 256 * 1024;
/** Max. informational responses, such as `100 Continue`, before the final response. */
const INFORMATIONAL_MAX = 16;

type Done = (error?: Error | null) => void;

/**
 * Connection of an HTTP client to a foreign server. More bytes than `room` end the connection, regardless of their meaning for the parser: endless
 * trailers, blank lines or chunk extensions are not part of a response that the client could limit.
 */
export class LimitedConnection extends Duplex {
  readonly #socket: Socket;
  /** Bytes that the server may send now. */
  #room = 0;

  constructor(socket: Socket) {
    super();
    this.#socket = socket;
    socket.on("data", (chunk: Buffer) => {
      socket.pause();
      void this.#take(chunk);
    });
    socket.on("end", () => this.push(null));
    socket.on("error", (error) => this.destroy(error));
    socket.on("close", () => this.destroy());
    for (const name of ["connect", "secureConnect", "timeout"]) socket.on(name, () => this.emit(name));
  }

  /** Lets the server send another response, with a body of this size. */
  allow(bodyBytesMax: number): void {
    this.#room = bodyBytesMax + HEAD_BYTES_MAX;
  }

  setTimeout(ms: number, whenSilent?: () => void): this {
    this.#socket.setTimeout(ms);
    if (whenSilent !== undefined && ms > 0) this.once("timeout", whenSilent);
    else if (whenSilent !== undefined) this.off("timeout", whenSilent);
    return this;
  }

  setNoDelay(isOn?: boolean): this {
    this.#socket.setNoDelay(isOn);
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    this.#socket.ref();
    return this;
  }

  /** An idle connection does not keep a command from ending. */
  unref(): this {
    this.#socket.unref();
    return this;
  }

  async #take(chunk: Buffer): Promise<void> {
    for (let start = 0; start < chunk.length && !this.destroyed; start += PART_BYTES) {
      if (start > 0) await setImmediate();
      const part = chunk.subarray(start, start + PART_BYTES);
      this.#room -= part.length;
      if (this.#room < 0) this.destroy(unavailable("network_error.response_too_long"));
      else this.push(part);
    }
    if (!this.destroyed) this.#socket.resume();
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Done): void {
    this.#socket.write(chunk, () => done()); // failures arrive as an event of the socket
  }

  override _final(done: Done): void {
    this.#socket.end();
    done();
  }

  override _destroy(error: Error | null, done: Done): void {
    this.#socket.destroy();
    done(error);
  }
}

/** Connects, with TLS if its options are given. */
export const openLimited = (place: NetConnectOpts, tls: ConnectionOptions | undefined): LimitedConnection =>
  new LimitedConnection(
    tls === undefined
      ? connect(place)
      : limitTlsReceived(connectTls({ ...place, ...tls } as ConnectionOptions)), // TLS options extend those of TCP
  );

export interface LimitedResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Body, cut off at the limit. */
  readonly body: Buffer;
}

function closedEarly(): Error {
  return Object.assign(new Error("the connection was closed"), { code: "ECONNRESET" });
}

/**
 * Resolves with the status once it is known, and the part of the body that arrives within the limits. With `isKept`, the connection stays open after
 * a response that ended within them, and a truncated response is an error.
 */
export function responseTo(
  outgoing: ClientRequest,
  { bodyBytesMax, signal, isKept = false }: { bodyBytesMax: number; signal: AbortSignal; isKept?: boolean },
): Promise<LimitedResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<LimitedResponse>();
  const parts: Buffer[] = [];
  let bodyBytes = 0;
  let informational = 0;
  let incoming: IncomingMessage | undefined;
  const finish = (error: unknown, isWhole = false) => {
    signal.removeEventListener("abort", abort);
    if (!isKept || !isWhole || bodyBytes >= bodyBytesMax) outgoing.destroy();
    if (incoming?.statusCode === undefined || (isKept && !isWhole)) reject(error);
    else resolve({ status: incoming.statusCode, headers: incoming.headers, body: Buffer.concat(parts) });
  };
  const abort = () => finish(signal.reason);
  const inform = () => {
    if (++informational > INFORMATIONAL_MAX) finish(unavailable("network_error.response_too_long"));
  };
  signal.addEventListener("abort", abort);
  if (signal.aborted) abort();
  outgoing.on("socket", (socket) => {
    if (socket instanceof LimitedConnection) socket.allow(bodyBytesMax);
  });
  outgoing.on("information", inform);
  outgoing.on("continue", inform);
  outgoing.on("error", (error) => finish(error));
  outgoing.on("close", () => finish(closedEarly()));
  outgoing.on("upgrade", () => finish(unavailable("network_error.protocol_switched")));
  outgoing.on("response", (response) => {
    incoming = response;
    response.on("error", (error) => finish(error));
    response.on("end", () => finish(undefined, true));
    response.on("data", (chunk: Buffer) => {
      if (bodyBytes < bodyBytesMax) parts.push(chunk.subarray(0, bodyBytesMax - bodyBytes));
      bodyBytes += chunk.length;
      if (bodyBytes >= bodyBytesMax) finish(undefined, true);
    });
  });
  return promise;
}
