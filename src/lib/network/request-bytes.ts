import { type DomainError, tooLarge } from "../core/domain-error.ts";
import { parseJson } from "../json/sent-json.ts";

/** Size from which simultaneous bodies are decoded one after the other, with other work in between. */
export const LARGE_BODY_BYTES = 64 * 1024;

/**
 * Reads the body of a request with at most `bytesMax` bytes.
 * @throws DomainError `body.too_large`, or the error of `refusal`; before the body is read if its length is announced
 */
export async function readBytes(
  request: Request,
  bytesMax: number,
  refusal: () => DomainError = () => tooLarge("body.too_large", { max: bytesMax }),
): Promise<Uint8Array> {
  if (Number(request.headers.get("content-length") ?? 0) > bytesMax) throw refusal();
  const bytes = new Uint8Array(await request.arrayBuffer());
  if (bytes.byteLength > bytesMax) throw refusal();
  return bytes;
}

/** Reads a JSON body, so that it can be parsed in a turn of its own: many may have arrived together. */
export async function receiveJson(request: Request): Promise<void> {
  const text = await request.text();
  Object.assign(request, { text: async () => text, json: async () => JSON.parse(text) });
}

/** Parses a JSON body, in which long integers keep their digits; undefined for other types. @throws SyntaxError */
export const readExactJson = ({ request, contentType }: { request: Request; contentType: string }) =>
  contentType === "application/json" ? request.text().then((text) => parseJson(text)) : undefined;
