import { configureSync, getLogger, type LogRecord, resetSync } from "@logtape/logtape";

export type LogLevel = "debug" | "info" | "warning" | "error";

/** A structured logger: a constant message and the facts as fields. Never logs secrets. */
export interface Logger {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
  child(name: string): Logger;
}

const plain = (value: unknown): unknown =>
  value instanceof Error
    ? { name: value.name, message: value.message, stack: value.stack, cause: plain(value.cause) }
    : value;

function fieldText(value: unknown): string {
  if (value instanceof Error) return value.stack ?? value.message;
  return typeof value === "string" && !/[\s"=]/.test(value) ? value : JSON.stringify(plain(value));
}

/** Formats a record as one line: JSON for machines, or time, level, logger and `key=value` fields for people. */
export function formatRecord(record: LogRecord, format: "text" | "json"): string {
  const time = new Date(record.timestamp).toISOString();
  const logger = record.category.slice(1).join(".") || "lineside";
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

/** Sends every record at or above `level` to `write` (stderr unless given), one line each. */
export function configureLogging(options: {
  level: LogLevel;
  format: "text" | "json";
  write?: (line: string) => void;
}): void {
  const write = options.write ?? ((line: string) => process.stderr.write(`${line}\n`));
  resetSync();
  configureSync({
    sinks: { out: (record) => write(formatRecord(record, options.format)) },
    loggers: [
      { category: ["lineside"], lowestLevel: options.level, sinks: ["out"] },
      { category: ["logtape", "meta"], lowestLevel: "error", sinks: ["out"] },
    ],
  });
}

/** Silent until `configureLogging` was called. */
export function createLogger(...name: string[]): Logger {
  const logger = getLogger(["lineside", ...name]);
  // The message is a constant, never a template: braces in it would be read as placeholders.
  const text = (message: string) => message.replaceAll("{", "{{").replaceAll("}", "}}");
  return {
    debug: (message, fields = {}) => logger.debug(text(message), fields),
    info: (message, fields = {}) => logger.info(text(message), fields),
    warn: (message, fields = {}) => logger.warn(text(message), fields),
    error: (message, fields = {}) => logger.error(text(message), fields),
    child: (child) => createLogger(...name, child),
  };
}
