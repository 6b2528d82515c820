import { gunzip } from "node:zlib";
import { invalid, tooLarge, unsupported } from "../../lib/domain-error.ts";
import { readBytes } from "../../lib/request-bytes.ts";

/** Of the body as it is sent, and as it is when decompressed. */
const BODY_BYTES_MAX = 5 * 1024 * 1024;
/** Empty lines and comments count. */
const LINES_MAX = 100_000;
const LINE_FEED = 0x0a;

const bodyTooLarge = () => tooLarge("body.too_large", { max: BODY_BYTES_MAX });

/** Decompresses beside the main thread. @throws DomainError `body.too_large` or `line_protocol.gzip_invalid`. */
const decompress = (bytes: Uint8Array): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    gunzip(bytes, { maxOutputLength: BODY_BYTES_MAX }, (error, result) => {
      if (error === null) resolve(result);
      else reject(error instanceof RangeError ? bodyTooLarge() : invalid("line_protocol.gzip_invalid"));
    });
  });

function ensureFewLines(bytes: Uint8Array): void {
  let lines = 1;
  let position = bytes.indexOf(LINE_FEED);
  for (; position >= 0; position = bytes.indexOf(LINE_FEED, position + 1))
    if (++lines > LINES_MAX) throw tooLarge("line_protocol.too_many_lines", { max: LINES_MAX });
}

/** @throws DomainError of kind `too_large`, `unsupported` or `invalid`. */
export async function readLines(request: Request): Promise<Uint8Array> {
  const encoding = (request.headers.get("content-encoding") ?? "").trim().toLowerCase();
  if (!["", "identity", "gzip"].includes(encoding)) throw unsupported("line_protocol.encoding_unknown");
  const sent = await readBytes(request, BODY_BYTES_MAX, bodyTooLarge);
  const bytes = encoding === "gzip" ? await decompress(sent) : sent;
  ensureFewLines(bytes);
  return bytes;
}

/** Returns the body as text. Bytes that are no UTF-8 are replaced, so that only their lines are lost. */
export function toText(bytes: Uint8Array): { text: string; isLossy: boolean } {
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes), isLossy: false };
  } catch {
    return { text: new TextDecoder().decode(bytes), isLossy: true };
  }
}
