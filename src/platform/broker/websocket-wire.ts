import { createHash, randomBytes } from "node:crypto";
import { unavailable } from "../../lib/domain-error.ts";

const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const ANSWER_BYTES_MAX = 16 * 1024;
const FRAME_BYTES_MAX = 2 * 1024 * 1024;

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
  /** Position at which the next frame begins. */
  readonly end: number;
}

const extraBytes: Record<number, number> = { 126: 2, 127: 8 };

/** The frame that the bytes begin with; undefined when it is not there whole. */
function readFrame(bytes: Buffer): Frame | undefined {
  const [first, second] = bytes;
  if (first === undefined || second === undefined) return undefined;
  const short = second & 0x7f;
  const start = 2 + (extraBytes[short] ?? 0);
  if (bytes.length < start) return undefined;
  const length =
    short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short;
  if (length > FRAME_BYTES_MAX) throw unavailable("broker_error.frame_too_large", { bytes: length });
  if ((second & 0x80) !== 0) throw unavailable("broker_error.frame_masked");
  const end = start + length;
  return bytes.length < end ? undefined : { opcode: first & 0x0f, content: bytes.subarray(start, end), end };
}

/** @param reply sends what the protocol asks for by itself: pongs, and the answer to a closing. */
export function createWebSocketWire(url: URL, reply: (bytes: Buffer) => void) {
  const key = randomBytes(16).toString("base64");
  const expected = createHash("sha1")
    .update(key + GUID)
    .digest("base64");
  let isOpen = false;
  let kept: Buffer = Buffer.alloc(0);

  /** Returns whether the whole answer to the request has arrived. */
  function readAnswer(): boolean {
    const end = kept.indexOf("\r\n\r\n");
    if (end < 0) {
      if (kept.length > ANSWER_BYTES_MAX) throw unavailable("broker_error.websocket_endless");
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

  /** The next frame; undefined when it is not there whole. */
  function nextFrame(): Frame | undefined {
    const frame = readFrame(kept);
    if (frame !== undefined) kept = kept.subarray(frame.end);
    return frame;
  }

  /** Returns the content of a frame; control frames are answered. */
  function contentOf({ opcode, content }: Frame): Buffer | undefined {
    if (opcode === BINARY || opcode === CONTINUATION) return content;
    if (opcode === PING) reply(frameOf(PONG, content));
    else if (opcode === CLOSE) reply(frameOf(CLOSE, content.subarray(0, 2)));
    else if (opcode !== PONG) throw unavailable("broker_error.websocket_text");
    return undefined;
  }

  return {
    /** Bytes that are sent first. */
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
    /** Returns the contents of the frames in the peer's bytes. @throws Error on anything but WebSocket frames. */
    read(chunk: Buffer): Buffer[] {
      kept = kept.length === 0 ? chunk : Buffer.concat([kept, chunk]);
      if (!isOpen && !readAnswer()) return [];
      const contents: Buffer[] = [];
      for (let frame = nextFrame(); frame !== undefined; frame = nextFrame()) {
        const content = contentOf(frame);
        if (content !== undefined) contents.push(content);
      }
      return contents;
    },
    frame: (content: Buffer): Buffer => frameOf(BINARY, content),
  };
}

/** The client's side of a WebSocket (RFC 6455) that carries MQTT: bytes in, bytes out, the frames' limits mean nothing to it. */
export type WebSocketWire = ReturnType<typeof createWebSocketWire>;
