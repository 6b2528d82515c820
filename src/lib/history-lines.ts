import { slicesOf } from "./csv-records.ts";
import { invalid } from "./domain-error.ts";
import { LINE_BYTES_MAX } from "./history-rows.ts";
import { utf8Pieces } from "./text-encoding.ts";

/** Reads the lines of an NDJSON file, in groups. @throws DomainError for bytes that are not text, and for a line that is too long */
export async function* historyLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder();
  /** Pieces of the line that has not ended yet: joined once, however small the chunks are. */
  let pieces: string[] = [];
  let pieceCharacters = 0;
  for await (const chunk of slicesOf(utf8Pieces(body, { isStrict: true }))) {
    const group = decoder.decode(chunk, { stream: true }).split("\n");
    const [first = ""] = group;
    pieces.push(first);
    pieceCharacters += first.length;
    if (pieceCharacters > LINE_BYTES_MAX) throw invalid("import.line_too_long", { max: LINE_BYTES_MAX });
    if (group.length === 1) continue;
    const last = group.pop() ?? "";
    group[0] = pieces.join("");
    yield group;
    pieces = [last];
    pieceCharacters = last.length;
  }
  yield [pieces.join("") + decoder.decode()];
}
