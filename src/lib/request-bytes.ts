import { type DomainError, tooLarge } from "./domain-error.ts";

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
