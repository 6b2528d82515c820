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

/** Parses a JSON body, in which long integers keep their digits; undefined for other types. @throws SyntaxError */
export const readExactJson = ({ request, contentType }: { request: Request; contentType: string }) =>
  contentType === "application/json" ? request.text().then((text) => parseJson(text)) : undefined;
