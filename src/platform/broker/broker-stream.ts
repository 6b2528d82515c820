import { createHash, randomBytes } from "node:crypto";
import { connect as connectPlain, isIP, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { detail, invalid, unavailable } from "../../lib/core/domain-error.ts";
import type { Text } from "../../lib/texts/text.ts";
import { workShare } from "../load/fair-share.ts";
import type { OutboundRule } from "../network/outbound-address.ts";
import { limitTlsReceived } from "../network/tls-received.ts";
import type { BrokerSettings } from "./broker.types.ts";

const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const RESPONSE_BYTES_MAX = 16 * 1024;
const FRAME_BYTES_MAX = 2 * 1024 * 1024;
/** Max. frames read in a row. The response to a ping of two bytes takes 50 µs. */
const FRAMES_PER_READ = 64;

const CONTINUATION = 0;
const BINARY = 2;
const CLOSE = 8;
const PING = 9;
const PONG = 10;

function frameOf(opcode: number, content: Buffer): Buffer {
  const length = content.length;
  const extra = length < 126 ? 0 : length < 65_536 ? 2 : 8;
  const head = Buffer.alloc(2 + extra + 4);
  head[0] = 0x80 | opcode;
  head[1] = 0x80 | (extra === 0 ? length : extra === 2 ? 126 : 127);
  if (extra === 2) head.writeUInt16BE(length, 2);
  if (extra === 8) head.writeBigUInt64BE(BigInt(length), 2);
  const mask = randomBytes(4);
  mask.copy(head, 2 + extra);
  const masked = Buffer.allocUnsafe(length);
  for (let index = 0; index < length; index++) masked[index] = (content[index] ?? 0) ^ (mask[index & 3] ?? 0);
  return Buffer.concat([head, masked]);
}

interface Frame {
  readonly opcode: number;
  readonly content: Buffer;
  /** Position of the next frame. */
  readonly end: number;
}

const extraBytes: Record<number, number> = { 126: 2, 127: 8 };

/** Returns the first frame of the bytes, or the number of bytes needed for the next decision. */
function readFrame(bytes: Buffer): Frame | number {
  const [first, second] = bytes;
  if (first === undefined || second === undefined) return 2;
  const short = second & 0x7f;
  const start = 2 + (extraBytes[short] ?? 0);
  if (bytes.length < start) return start;
  const length =
    short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short;
  if (length > FRAME_BYTES_MAX) throw unavailable("broker_error.frame_too_large", { bytes: length });
  if ((second & 0x80) !== 0) throw unavailable("broker_error.frame_masked");
  const end = start + length;
  return bytes.length < end ? end : { opcode: first & 0x0f, content: bytes.subarray(start, end), end };
}

/** @param reply sends the responses that the protocol requires: pongs, and the response to a close frame. */
export function createWebSocketWire(url: URL, reply: (bytes: Buffer) => void) {
  const key = randomBytes(16).toString("base64");
  const expected = createHash("sha1")
    .update(key + GUID)
    .digest("base64");
  let isOpen = false;
  let kept: Buffer = Buffer.alloc(0);
  /** Bytes received after `kept`. They are copied only when they complete something. */
  let added: Buffer[] = [];
  let addedBytes = 0;
  /** Total number of bytes needed before anything can be read. */
  let wantedBytes = 1;

  /** Returns whether `kept` may contain something to read. */
  function gather(): boolean {
    if (kept.length + addedBytes < wantedBytes) return false;
    if (added.length > 0) kept = Buffer.concat([kept, ...added]);
    added = [];
    addedBytes = 0;
    return true;
  }

  /** Returns whether the whole response to the request has arrived. */
  function readResponse(): boolean {
    const end = kept.indexOf("\r\n\r\n");
    if (end < 0) {
      if (kept.length > RESPONSE_BYTES_MAX) throw unavailable("broker_error.websocket_endless");
      return false;
    }
    const [status = "", ...lines] = kept.subarray(0, end).toString("latin1").split("\r\n");
    const headers = new Map(
      lines.map((line) => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const code = /^HTTP\/1\.1 (\d{3})/.exec(status)?.[1];
    if (code === undefined) throw unavailable("network_error.no_http");
    if (code !== "101") throw unavailable("broker_error.websocket_status", { status: Number(code) });
    if (headers.get("sec-websocket-accept") !== expected) throw unavailable("broker_error.no_websocket");
    kept = kept.subarray(end + 4);
    isOpen = true;
    return true;
  }

  /** Returns the next frame; undefined until it is complete. */
  function nextFrame(): Frame | undefined {
    const frame = readFrame(kept);
    wantedBytes = typeof frame === "number" ? frame : 2;
    if (typeof frame === "number") return undefined;
    kept = kept.subarray(frame.end);
    return frame;
  }

  /** Returns the content of a frame. Responds to control frames. */
  function contentOf({ opcode, content }: Frame): Buffer | undefined {
    if (opcode === BINARY || opcode === CONTINUATION) return content;
    if (opcode === PING) reply(frameOf(PONG, content));
    else if (opcode === CLOSE) reply(frameOf(CLOSE, content.subarray(0, 2)));
    else if (opcode !== PONG) throw unavailable("broker_error.websocket_text");
    return undefined;
  }

  return {
    /** Opening request. */
    request: Buffer.from(
      [
        `GET ${url.pathname || "/"}${url.search} HTTP/1.1`,
        `Host: ${url.host}`,
        "Upgrade: websocket",
        "Connection: Upgrade",
        `Sec-WebSocket-Key: ${key}`,
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Protocol: mqtt",
        "",
        "",
      ].join("\r\n"),
      "latin1",
    ),
    /** Returns whether the peer has accepted, and `frame` may be used. */
    get isOpen(): boolean {
      return isOpen;
    },
    /** Adds received bytes. */
    add(chunk: Buffer): void {
      added.push(chunk);
      addedBytes += chunk.length;
    },
    /** Returns the joined contents of the next frames; undefined if no complete frame is left. @throws Error for anything but WebSocket frames */
    read(): Buffer | undefined {
      if (!gather() || (!isOpen && !readResponse())) return undefined;
      const contents: Buffer[] = [];
      let count = 0;
      for (; count < FRAMES_PER_READ; count++) {
        const frame = nextFrame();
        if (frame === undefined) break;
        const content = contentOf(frame);
        if (content !== undefined) contents.push(content);
      }
      return count === 0 ? undefined : Buffer.concat(contents);
    },
    frame: (content: Buffer): Buffer => frameOf(BINARY, content),
  };
}

/** Client side of a WebSocket (RFC 6455) that carries MQTT. The boundaries of frames have no meaning for MQTT. */
type WebSocketWire = ReturnType<typeof createWebSocketWire>;

const schemes: Record<
  string,
  { readonly port: number; readonly isTls: boolean; readonly isWebSocket: boolean }
> = {
  "mqtt:": { port: 1883, isTls: false, isWebSocket: false },
  "mqtts:": { port: 8883, isTls: true, isWebSocket: false },
  "ws:": { port: 80, isTls: false, isWebSocket: true },
  "wss:": { port: 443, isTls: true, isWebSocket: true },
};

interface BrokerAddress {
  readonly url: URL;
  /** Host without the brackets of an IPv6 address. */
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  readonly isWebSocket: boolean;
}

/** @throws DomainError `invalid` */
function parseBrokerUrl(text: string): BrokerAddress {
  const refuse = (rule: Text) => invalid("integration.broker_url", { rule });
  if (!URL.canParse(text)) throw refuse(detail("rule.broker_url"));
  const url = new URL(text);
  const scheme = schemes[url.protocol];
  if (scheme === undefined) throw refuse(detail("rule.broker_scheme"));
  if (url.hostname === "") throw refuse(detail("rule.host_missing"));
  // Shown to everybody who may read the integration.
  if (url.username !== "" || url.password !== "") throw refuse(detail("rule.broker_credentials"));
  return {
    url,
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port === "" ? scheme.port : Number(url.port),
    isTls: scheme.isTls,
    isWebSocket: scheme.isWebSocket,
  };
}

/** Max. addresses of a name that are tried, one after the other. */
const ADDRESSES_MAX = 3;
const CONNECT_MS_MAX = 10_000;
/** Max. memory of unsent replies, such as acknowledgements and pongs. Nothing is received while more bytes wait. */
export const REPLY_BYTES_MAX = 1024 * 1024;
/** Approximate memory of an unsent reply in addition to its bytes. */
const REPLY_HEAD_BYTES = 256;

export interface BrokerStreamDeps {
  readonly settings: BrokerSettings;
  readonly addresses: Pick<OutboundRule, "resolve">;
  /** Trusted authorities if the settings name none; undefined for the default authorities. */
  readonly authorities?: readonly string[] | undefined;
  /** Receives bytes of the broker. Returns false if no more bytes are accepted until `resumeReceiving`. */
  readonly receive: (chunk: Buffer) => boolean;
}

/**
 * Stream between mqtt.js and a broker, for all transports. The address is checked when the connection opens, which uses the checked IP address.
 * Bytes of the broker go to `receive`, which passes bytes for mqtt.js to `push`.
 */
export class BrokerStream extends Duplex {
  readonly #deps: BrokerStreamDeps;
  #socket: Socket | undefined;
  #wire: WebSocketWire | undefined;
  /** Callback of the write or end that waits for the connection. */
  #waiting: (() => void) | undefined;
  #isOpen = false;
  #replyBytes = 0;
  /** True if `receive` accepts nothing until `resumeReceiving`. */
  #isFull = false;
  #isReading = false;
  /** Resolves when the received frames have been read, as far as there is room. */
  #reading: Promise<void> = Promise.resolve();

  constructor(deps: BrokerStreamDeps) {
    super({ allowHalfOpen: false });
    this.#deps = deps;
    this.#connect().catch((error) => this.destroy(error instanceof Error ? error : new Error(String(error))));
  }

  /** Lets the broker send again. */
  resumeReceiving(): void {
    this.#isFull = false;
    this.#resume();
  }

  /** True if the broker does not read its replies, or mqtt.js has not read the received bytes. */
  get isHeldBack(): boolean {
    return this.#replyBytes >= REPLY_BYTES_MAX || this.readableLength >= this.readableHighWaterMark;
  }

  /** Sends a reply to a message of the broker. */
  reply(bytes: Uint8Array): void {
    this.write(bytes, this.#replySent(bytes));
  }

  /** Counts a reply. Returns the function to call once it is sent. */
  #replySent({ length }: Uint8Array): () => void {
    const bytes = length + REPLY_HEAD_BYTES;
    this.#replyBytes += bytes;
    return () => {
      this.#replyBytes -= bytes;
      this.#resume();
    };
  }

  get #hasRoom(): boolean {
    return !this.#isFull && !this.isHeldBack;
  }

  #resume(): void {
    if (!this.#hasRoom) return;
    if (this.#wire === undefined) this.#socket?.resume();
    else this.#readFrames(this.#wire);
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
      ? limitTlsReceived(
          process.getBuiltinModule("node:tls").connect({
            host: address,
            port,
            ...(isIP(name) === 0 && { servername: name }),
            rejectUnauthorized: tls.rejectUnauthorized ?? true,
            ...(ca && { ca: [...ca] }),
            ...(credentials.cert !== undefined && { cert: credentials.cert }),
            ...(credentials.key !== undefined && { key: credentials.key }),
          }),
        )
      : connectPlain({ host: address, port });
    this.#socket = socket;
    socket.setTimeout(CONNECT_MS_MAX, () =>
      socket.destroy(Object.assign(new Error("no response"), { code: "ETIMEDOUT" })),
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
    // After mqtt.js has read the last packet, which may say why the broker disconnects.
    const endBy = async (error?: Error) => {
      await this.#reading;
      setImmediate(() => this.destroy(error));
    };
    socket.on("error", (error) => void endBy(error));
    socket.on("close", () => void endBy());
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("drain", () => this.#proceed());
    if (isWebSocket) {
      this.#wire = createWebSocketWire(url, (bytes) => socket.write(bytes, this.#replySent(bytes)));
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
    if (this.#wire === undefined) {
      if (!this.#deps.receive(chunk)) this.#isFull = true;
      if (!this.#hasRoom) this.#socket?.pause();
    } else {
      this.#wire.add(chunk);
      this.#readFrames(this.#wire);
    }
  }

  /** Reads received frames, unless this is already in progress. */
  #readFrames(wire: WebSocketWire): void {
    if (!this.#isReading) this.#reading = this.#readInTurns(wire);
  }

  /** Reads frames in turns, because hundreds of thousands of frames may arrive together. */
  async #readInTurns(wire: WebSocketWire): Promise<void> {
    this.#isReading = true;
    this.#socket?.pause();
    try {
      while (!this.destroyed && this.#hasRoom) {
        const content = wire.read();
        if (wire.isOpen && !this.#isOpen) this.#openUp();
        if (content === undefined) break;
        if (content.length > 0 && !this.#deps.receive(content)) this.#isFull = true;
        await workShare.next();
      }
    } catch (error) {
      this.destroy(error instanceof Error ? error : new Error(String(error)));
    }
    this.#isReading = false;
    if (this.#hasRoom) this.#socket?.resume();
  }

  override read(size?: number): Buffer | null {
    const bytes = super.read(size);
    this.#resume();
    return bytes;
  }

  override _read(): void {
    // mqtt.js reads little, because messages bypass it.
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
