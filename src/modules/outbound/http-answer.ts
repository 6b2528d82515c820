/** Reads an HTTP/1.1 answer as it comes, as far as a sender of webhooks cares: status, headers, the beginning of the body. */

const HEAD_BYTES_MAX = 32 * 1024;
const BODY_BYTES_MAX = 64 * 1024;
/** A chunk's size with whatever a server adds to it. */
const CHUNK_LINE_BYTES_MAX = 1024;
const END_OF_HEAD = Buffer.from("\r\n\r\n");

export interface HttpHead {
  readonly status: number;
  /** By name in small letters; of one that comes twice, the last. */
  readonly headers: ReadonlyMap<string, string>;
}

function parseHead(text: string): HttpHead {
  const [line = "", ...rest] = text.split("\r\n");
  const status = /^HTTP\/1\.[01] ([1-5]\d\d)(?: |$)/.exec(line)?.[1];
  if (status === undefined) throw new Error("what answers there does not speak HTTP/1.1");
  const headers = new Map<string, string>();
  for (const header of rest) {
    const colon = header.indexOf(":");
    if (colon > 0) headers.set(header.slice(0, colon).toLowerCase(), header.slice(colon + 1).trim());
  }
  return { status: Number(status), headers };
}

/** Undefined for what is none: with a sign before it, reading would go back instead of on. */
function sizeOfChunk(line: string): number | undefined {
  const digits = /^\s*([0-9a-f]{1,8})(?=[\s;]|$)/i.exec(line)?.[1];
  return digits === undefined ? undefined : Number.parseInt(digits, 16);
}

/** Joins what chunks carry. Each is looked at once, however small the pieces are in which they come. */
class ChunkReader {
  readonly parts: Buffer[] = [];
  /** Of what has not been read: the beginning of a chunk, or of the line before it. */
  #rest: Buffer = Buffer.alloc(0);
  /** Bytes that the open chunk still has, its line break included. */
  #left = 0;
  /** True after the last chunk, and after one that is broken. */
  isWhole = false;

  push(bytes: Buffer): void {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    let at = 0;
    while (!this.isWhole && at < this.#rest.length) {
      if (this.#left > 0) {
        const taken = this.#rest.subarray(at, at + this.#left);
        this.parts.push(taken.subarray(0, Math.max(0, Math.min(taken.length, this.#left - 2))));
        at += taken.length;
        this.#left -= taken.length;
        continue;
      }
      const end = this.#rest.indexOf("\r\n", at);
      if (end < 0) {
        this.isWhole = this.#rest.length - at > CHUNK_LINE_BYTES_MAX;
        break;
      }
      const size = sizeOfChunk(this.#rest.toString("latin1", at, end));
      this.isWhole = size === undefined || size === 0;
      this.#left = (size ?? 0) + 2;
      at = end + 2;
    }
    this.#rest = this.#rest.subarray(at);
  }
}

export interface HttpAnswerReader {
  /** True once nothing more needs to be read. @throws Error for a person when it is no HTTP. */
  push(bytes: Buffer): boolean;
  readonly head: HttpHead | undefined;
  readonly body: Buffer;
}

export function createHttpAnswerReader(): HttpAnswerReader {
  /** Until the head is whole; after it, what came with it. */
  let start = Buffer.alloc(0);
  let head: HttpHead | undefined;
  let chunks: ChunkReader | undefined;
  const parts: Buffer[] = [];
  let bodyBytes = 0;

  /** Undefined until a head is whole. */
  function takeHead(): HttpHead | undefined {
    const end = start.indexOf(END_OF_HEAD);
    if (end < 0) {
      if (start.length > HEAD_BYTES_MAX) throw new Error("the headers of the answer are too long");
      return undefined;
    }
    const parsed = parseHead(start.toString("latin1", 0, end));
    if (parsed.status === 101) throw new Error("it answered with another protocol than HTTP");
    start = start.subarray(end + END_OF_HEAD.length);
    return parsed;
  }

  function readHead(): void {
    let parsed = takeHead();
    while (parsed !== undefined && parsed.status < 200) parsed = takeHead(); // those below 200 only announce it
    head = parsed;
    if (/chunked/i.test(head?.headers.get("transfer-encoding") ?? "")) chunks = new ChunkReader();
  }

  function addBody(bytes: Buffer): void {
    bodyBytes += bytes.length;
    if (chunks === undefined) parts.push(bytes);
    else chunks.push(bytes);
  }

  function isWhole(): boolean {
    if (head === undefined) return false;
    if (head.status === 204 || head.status === 304 || bodyBytes >= BODY_BYTES_MAX) return true;
    if (chunks !== undefined) return chunks.isWhole;
    const length = head.headers.get("content-length");
    return length !== undefined && bodyBytes >= Number(length);
  }

  return {
    push(bytes) {
      if (head !== undefined) addBody(bytes);
      else {
        start = Buffer.concat([start, bytes]);
        readHead();
        if (head !== undefined) addBody(start);
      }
      return isWhole();
    },
    get head() {
      return head;
    },
    get body() {
      return Buffer.concat(chunks?.parts ?? parts);
    },
  };
}
