/** Part of a file for one request, and its end in the file. */
export interface ImportPart {
  readonly text: string;
  /** Share of the file that is read once this part is, 0 to 1. */
  readonly share: number;
}

const PART_CHARACTERS = 2_000_000;

/** Index behind the last line end that is not inside quotes; 0 when there is none. */
function lastLineEnd(text: string, isCsv: boolean): number {
  if (!isCsv) return text.lastIndexOf("\n") + 1;
  let quoted = false;
  let end = 0;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (character === '"') quoted = !quoted;
    else if (character === "\n" && !quoted) end = index + 1;
  }
  return end;
}

/** Cuts a file at line ends into parts that the gateway takes; each part of a CSV file begins with the file's header. */
export async function* importParts(
  file: { readonly size: number; stream(): ReadableStream<Uint8Array> },
  format: "csv" | "ndjson",
): AsyncGenerator<ImportPart> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const reader = file.stream().getReader();
  const isCsv = format === "csv";
  let header = "";
  let isFirst = true;
  let waiting = "";
  let bytes = 0;
  const part = (text: string): ImportPart => {
    const whole = isFirst ? text : header + text;
    if (isFirst && isCsv) header = text.slice(0, text.indexOf("\n") + 1);
    isFirst = false;
    return { text: whole, share: file.size === 0 ? 1 : bytes / file.size };
  };
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.length;
    waiting += decoder.decode(value, { stream: true });
    if (waiting.length < PART_CHARACTERS) continue;
    const end = lastLineEnd(waiting, isCsv);
    if (end === 0) continue;
    yield part(waiting.slice(0, end));
    waiting = waiting.slice(end);
  }
  waiting += decoder.decode();
  if (waiting.trim() !== "") yield part(waiting);
}
