/** Number of parts of a form in which its file is searched. */
const PARTS_MAX = 100;
const BOUNDARY = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i;
const FILE = /^content-disposition:[^\r\n]*;\s*filename\*?=/im;

/**
 * Returns the content of the first file of a form (RFC 7578); undefined if its first parts contain none. The reader of Bun takes a second for the
 * hundreds of thousands of parts that a large form may have.
 */
export function fileOfForm(form: Uint8Array, contentType: string | null): Uint8Array | undefined {
  const [, quoted, plain] = BOUNDARY.exec(contentType ?? "") ?? [];
  if (quoted === undefined && plain === undefined) return undefined;
  const bytes = Buffer.from(form.buffer, form.byteOffset, form.byteLength);
  const delimiter = `--${quoted ?? plain}`;
  let start = bytes.indexOf(delimiter);
  for (let count = 0; start >= 0 && count < PARTS_MAX; count++) {
    const headEnd = bytes.indexOf("\r\n\r\n", start);
    const end = bytes.indexOf(`\r\n${delimiter}`, start + delimiter.length);
    if (headEnd < 0 || end < 0) return undefined;
    const isFile = headEnd < end && FILE.test(bytes.toString("utf8", start + delimiter.length, headEnd));
    if (isFile) return bytes.subarray(Math.min(headEnd + 4, end), end);
    start = end + 2;
  }
  return undefined;
}
