// Lists of lines of the log, the newest first.
import type { LogLine } from "./log-api.ts";

/** As many as the gateway keeps. */
const LINES_MAX = 2_000;

/** Numbers of lines start again with the gateway, so that the time belongs to the identity of a line. */
export const keyOfLine = ({ sequence, time }: LogLine): string => `${sequence}-${time}`;

const indexOfLine = (lines: readonly LogLine[], line: LogLine): number => {
  const key = keyOfLine(line);
  return lines.findIndex((item) => keyOfLine(item) === key);
};

/**
 * Returns `newest` with the older ones of `shown` behind them. Without a line in both, lines may be missing between them: then the
 * older ones are left out.
 */
export function withNewest(shown: readonly LogLine[], newest: readonly LogLine[]): readonly LogLine[] {
  const oldest = newest.at(-1);
  const index = oldest === undefined ? -1 : indexOfLine(shown, oldest);
  return index < 0 ? newest : [...newest, ...shown.slice(index + 1)].slice(0, LINES_MAX);
}

/** Returns `lines` without those that are newer than the first of `shown`, so that a reader keeps the place. */
export function withoutNewer(shown: readonly LogLine[], lines: readonly LogLine[]): readonly LogLine[] {
  const [first] = shown;
  return first === undefined ? lines : lines.slice(Math.max(0, indexOfLine(lines, first)));
}

/** Returns the logger, the message and the fields of a line, without the time and the level in front of them. */
export function messageOf({ text, time, level }: LogLine): string {
  const prefix = `${time} ${level.toUpperCase().padEnd(7)} `;
  return text.startsWith(prefix) ? text.slice(prefix.length) : text;
}
