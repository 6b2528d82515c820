/** Reads an HTTP/1.1 answer as it comes, as far as a sender of webhooks cares: status, headers, the beginning of the body. */

const HEAD_BYTES_MAX = 32 * 1024;
const BODY_BYTES_MAX = 64 * 1024;
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

/** What chunks carry; undefined for a broken one. Ends early where the last one is not whole yet. */
function dechunk(bytes: Buffer): { body: Buffer; isWhole: boolean } {
  const parts: Buffer[] = [];
  let at = 0;
  for (;;) {
    const end = bytes.indexOf("\r\n", at);
    const size = end < 0 ? undefined : sizeOfChunk(bytes.toString("latin1", at, end));
    if (size === undefined) return { body: Buffer.concat(parts), isWhole: end >= 0 };
    if (size === 0) return { body: Buffer.concat(parts), isWhole: true };
    parts.push(bytes.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
    if (at > bytes.length) return { body: Buffer.concat(parts), isWhole: false };
  }
}

export interface HttpAnswerReader {
  /** True once nothing more needs to be read. @throws Error for a person when it is no HTTP. */
  push(bytes: Buffer): boolean;
  readonly head: HttpHead | undefined;
  readonly body: Buffer;
}

export function createHttpAnswerReader(): HttpAnswerReader {
  let kept = Buffer.alloc(0);
  let head: HttpHead | undefined;

  function readHead(): void {
    while (head === undefined) {
      const end = kept.indexOf(END_OF_HEAD);
      if (end < 0) {
        if (kept.length > HEAD_BYTES_MAX) throw new Error("the headers of the answer are too long");
        return;
      }
      const parsed = parseHead(kept.toString("latin1", 0, end));
      kept = kept.subarray(end + END_OF_HEAD.length);
      if (parsed.status === 101) throw new Error("it answered with another protocol than HTTP");
      if (parsed.status >= 200) head = parsed; // those below only announce it
    }
  }

  const isChunked = () => /chunked/i.test(head?.headers.get("transfer-encoding") ?? "");

  function isWhole(): boolean {
    if (head === undefined) return false;
    if (head.status === 204 || head.status === 304 || kept.length >= BODY_BYTES_MAX) return true;
    if (isChunked()) return dechunk(kept).isWhole;
    const length = head.headers.get("content-length");
    return length !== undefined && kept.length >= Number(length);
  }

  return {
    push(bytes) {
      kept = Buffer.concat([kept, bytes]);
      if (head === undefined) readHead();
      return isWhole();
    },
    get head() {
      return head;
    },
    get body() {
      return head === undefined ? Buffer.alloc(0) : isChunked() ? dechunk(kept).body : kept;
    },
  };
}
