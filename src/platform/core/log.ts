import { configureSync, getLogger, type LogRecord, resetSync } from "@logtape/logtape";

export type LogLevel = "debug" | "info" | "warning" | "error";

/** Structured logger: a constant message, with facts as fields. Never logs secrets. */
export interface Logger {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
  child(name: string): Logger;
}

const TEXT_CHARACTERS_MAX = 4_000;
/** Max. errors of a chain of causes. */
const CAUSES_MAX = 8;

const shorten = (text: string): string =>
  text.length <= TEXT_CHARACTERS_MAX
    ? text
    : `${text.slice(0, TEXT_CHARACTERS_MAX)} … (${text.length} characters)`;

/** Returns an error as a plain object, other values as they are. A cause that is not an error may be a whole response, with its tokens. */
const plain = (value: unknown, left = CAUSES_MAX): unknown =>
  value instanceof Error
    ? {
        name: value.name,
        message: shorten(value.message),
        ...(value.stack !== undefined && { stack: shorten(value.stack) }),
        ...(value.cause instanceof Error && left > 1 && { cause: plain(value.cause, left - 1) }),
      }
    : value;

function fieldText(value: unknown): string {
  if (value instanceof Error) return shorten(value.stack ?? value.message);
  return typeof value === "string" && !/[\s"=]/.test(value) ? value : JSON.stringify(plain(value));
}

const loggerOf = ({ category }: LogRecord): string => category.slice(1).join(".") || "lineside";

/** Formats a record as one line: JSON for machines, or time, level, logger and `key=value` fields for people. */
export function formatRecord(record: LogRecord, format: "text" | "json"): string {
  const time = new Date(record.timestamp).toISOString();
  const logger = loggerOf(record);
  const message = record.message.join("");
  if (format === "json") {
    const fields = Object.fromEntries(
      Object.entries(record.properties).map(([key, value]) => [key, plain(value)]),
    );
    return JSON.stringify({ time, level: record.level, logger, message, ...fields });
  }
  const fields = Object.entries(record.properties).map(([key, value]) => ` ${key}=${fieldText(value)}`);
  return `${time} ${record.level.toUpperCase().padEnd(7)} ${logger}: ${message}${fields.join("")}`;
}

/** Line of the log for the console. */
export interface LogLine {
  /** Increases with each line. */
  readonly sequence: number;
  /** Timestamp in milliseconds. */
  readonly time: number;
  readonly level: LogLevel;
  readonly logger: string;
  readonly text: string;
}

const LINES_KEPT = 2_000;

/** The newest lines of the log, in memory. */
class RecentLines {
  readonly #lines: LogLine[] = [];
  #next = 0;
  #sequence = 0;

  add(record: LogRecord): void {
    const text = formatRecord(record, "text");
    // "fatal" and "trace" are levels of the library that nothing here uses.
    const level = record.level as LogLevel;
    const line = {
      sequence: ++this.#sequence,
      time: record.timestamp,
      level,
      logger: loggerOf(record),
      text: shorten(text),
    };
    this.#lines[this.#next] = line;
    this.#next = (this.#next + 1) % LINES_KEPT;
  }

  /** Returns the lines, the newest first. */
  list(): LogLine[] {
    return [...this.#lines.slice(this.#next), ...this.#lines.slice(0, this.#next)].reverse();
  }
}

export const recentLines = new RecentLines();

interface LogOptions {
  readonly level: LogLevel;
  readonly format: "text" | "json";
  readonly write?: (line: string) => void;
}

let current: LogOptions | undefined;

/** Returns the level at which lines are written; undefined before `configureLogging`. */
export const logLevel = (): LogLevel | undefined => current?.level;

/** Changes the level of a running program. */
export function setLogLevel(level: LogLevel): void {
  if (current !== undefined) configureLogging({ ...current, level });
}

/** Sends every record at or above `level` to `write` (stderr unless given), one line each. */
export function configureLogging(options: LogOptions): void {
  current = options;
  const write = options.write ?? ((line: string) => process.stderr.write(`${line}\n`));
  resetSync();
  configureSync({
    sinks: {
      out(record) {
        recentLines.add(record);
        write(formatRecord(record, options.format));
      },
    },
    loggers: [
      { category: ["lineside"], lowestLevel: options.level, sinks: ["out"] },
      { category: ["logtape", "meta"], lowestLevel: "error", sinks: ["out"] },
    ],
  });
}

type ErrorListener = (error: unknown) => void;
const errorListeners = new Set<ErrorListener>();

/**
 * Calls back for every error that is logged as a warning or an error, even below the level that is written. Returns a function that ends the watch.
 */
export function watchErrors(listener: ErrorListener): () => void {
  errorListeners.add(listener);
  return () => errorListeners.delete(listener);
}

function tellErrors({ error }: Record<string, unknown>): void {
  if (error !== undefined) for (const listener of errorListeners) listener(error);
}

/** Silent until `configureLogging` was called. */
export function createLogger(...name: string[]): Logger {
  const logger = getLogger(["lineside", ...name]);
  // The message is a constant, never a template: braces in it would be read as placeholders.
  const text = (message: string) => message.replaceAll("{", "{{").replaceAll("}", "}}");
  return {
    debug: (message, fields = {}) => logger.debug(text(message), fields),
    info: (message, fields = {}) => logger.info(text(message), fields),
    warn(message, fields = {}) {
      logger.warn(text(message), fields);
      tellErrors(fields);
    },
    error(message, fields = {}) {
      logger.error(text(message), fields);
      tellErrors(fields);
    },
    child: (child) => createLogger(...name, child),
  };
}
