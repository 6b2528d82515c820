import { invalid } from "../core/domain-error.ts";
import { hasLongInteger } from "../json/sent-json.ts";
import { utf8Pieces } from "../strings/text-encoding.ts";
import { slicesOf } from "./csv-records.ts";
import { LINE_BYTES_MAX } from "./history-rows.ts";

/** Lines of an NDJSON file that arrived together. */
export interface LineGroup {
  readonly lines: readonly string[];
  /** True if a line may contain an integer that a double cannot hold. Searching each line takes several times as long as searching the group. */
  readonly hasLongInteger: boolean;
}

/** Reads the lines of an NDJSON file, in groups. @throws DomainError for bytes that are not text, and for a line that is too long */
export async function* historyLines(body: ReadableStream<Uint8Array>): AsyncGenerator<LineGroup> {
  const decoder = new TextDecoder();
  /** Pieces of the incomplete line, joined only once, regardless of the size of chunks. */
  let pieces: string[] = [];
  let pieceCharacters = 0;
  for await (const chunk of slicesOf(utf8Pieces(body, { isStrict: true }))) {
    const text = decoder.decode(chunk, { stream: true });
    const lines = text.split("\n");
    const [first = ""] = lines;
    pieces.push(first);
    pieceCharacters += first.length;
    if (pieceCharacters > LINE_BYTES_MAX) throw invalid("import.line_too_long", { max: LINE_BYTES_MAX });
    if (lines.length === 1) continue;
    const last = lines.pop() ?? "";
    lines[0] = pieces.join("");
    yield { lines, hasLongInteger: hasLongInteger(text) || hasLongInteger(lines[0]) };
    pieces = [last];
    pieceCharacters = last.length;
  }
  const line = pieces.join("") + decoder.decode();
  yield { lines: [line], hasLongInteger: hasLongInteger(line) };
}
