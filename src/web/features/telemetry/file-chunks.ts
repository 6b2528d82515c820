/** Part of a file for one request. */
export interface ImportPart {
  readonly body: Blob;
  /** The part starts with the first rows of the file, which the import has to skip. */
  readonly hasSample: boolean;
  /** Share of the file that is read after this part, 0 to 1. */
  readonly share: number;
}

export interface PartSizes {
  readonly partBytes: number;
  /**
   * Lines at the beginning of every part of a CSV file: they contain the header and show the gateway how the columns are written. It looks at 1,000
   * rows, or at the rows of 1 MiB.
   */
  readonly sampleLines: number;
  readonly sampleBytes: number;
}

const usualSizes: PartSizes = { partBytes: 4 * 1024 * 1024, sampleLines: 2_000, sampleBytes: 1_200_000 };
const LINE_FEED = 10;
const QUOTE = 34;

/** Finds line ends, except within the quotes of a CSV file. */
class LineEnds {
  readonly #isCsv: boolean;
  #isQuoted = false;
  /** Number of complete lines. */
  lines = 0;
  /** Index after the end of the last line; 0 if there is none. */
  last = 0;

  constructor(isCsv: boolean) {
    this.#isCsv = isCsv;
  }

  /** Reads bytes until `isEnough`. */
  find(bytes: Uint8Array, isEnough: (lines: number, end: number) => boolean): void {
    for (let index = 0; index < bytes.length; index++) {
      const byte = bytes[index];
      if (byte === QUOTE && this.#isCsv) this.#isQuoted = !this.#isQuoted;
      if (byte !== LINE_FEED || this.#isQuoted) continue;
      this.lines++;
      this.last = index + 1;
      if (isEnough(this.lines, this.last)) return;
    }
  }
}

/** Files in UTF-16, which spreadsheets save as "Unicode text", cannot be cut at bytes: they are converted to UTF-8. */
async function asBytes(file: Blob): Promise<ReadableStream<Uint8Array>> {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const mark =
    first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "";
  if (mark === "") return file.stream();
  const text = new TextDecoderStream(mark) as unknown as ReadableWritablePair<string, Uint8Array>; // typed by another version of the library
  return file.stream().pipeThrough(text).pipeThrough(new TextEncoderStream());
}

/** Cuts a file at line ends into parts that the gateway accepts. */
export async function* importParts(
  file: Blob,
  format: "csv" | "ndjson",
  { partBytes, sampleLines, sampleBytes } = usualSizes,
): AsyncGenerator<ImportPart> {
  const isCsv = format === "csv";
  const reader = (await asBytes(file)).getReader();
  let sample: Uint8Array<ArrayBuffer> | undefined;
  let waiting = new Uint8Array(0);
  let bytes = 0;
  const part = (content: Uint8Array<ArrayBuffer>): ImportPart => ({
    body: new Blob(sample === undefined ? [content] : [sample, content]),
    hasSample: sample !== undefined,
    share: file.size === 0 ? 1 : Math.min(1, bytes / file.size),
  });
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.length;
    const joined = new Uint8Array(waiting.length + value.length);
    joined.set(waiting);
    joined.set(value, waiting.length);
    waiting = joined;
    if (waiting.length < partBytes) continue;
    const ends = new LineEnds(isCsv);
    const isFirst = isCsv && sample === undefined;
    ends.find(waiting, (lines, end) => isFirst && (lines >= sampleLines || end >= sampleBytes));
    if (ends.last === 0) continue;
    const content = waiting.slice(0, ends.last);
    yield part(content);
    if (isFirst) sample = content;
    waiting = waiting.slice(ends.last);
  }
  if (waiting.length > 0) yield part(waiting);
}
