/** Returns the first bytes of the body without reading further. */
export async function firstBytes(response: Response, bytesMax: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  if (response.body !== null)
    for await (const chunk of response.body) {
      chunks.push(chunk.subarray(0, bytesMax - bytes));
      bytes += chunk.length;
      if (bytes >= bytesMax) break;
    }
  return Buffer.concat(chunks);
}
