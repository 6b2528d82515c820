import { type DomainError, tooLarge } from "../core/domain-error.ts";
import { parseJson } from "../json/sent-json.ts";

/** Larger bodies that arrive simultaneously are decoded one after the other, with other work in between. */
export const LARGE_BODY_BYTES = 64 * 1024;

/**
 * Reads the body of a request that may have `bytesMax` bytes.
 * @throws DomainError `body.too_large`, or what `refusal` makes, before the body is read where its length says so.
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

/** Reads a body of JSON, in which long integers keep their digits; undefined for another type. @throws SyntaxError */
export const readExactJson = ({ request, contentType }: { request: Request; contentType: string }) =>
  contentType === "application/json" ? request.text().then((text) => parseJson(text)) : undefined;
