import { SQLiteError } from "bun:sqlite";
import { DomainError } from "../lib/domain-error.ts";
import { renderIn } from "../lib/texts/catalogues.ts";
import { ConfigError } from "../platform/config.ts";
import { isDamage } from "../platform/database-check.ts";
import { StartupError } from "../platform/startup-error.ts";
import { terminalLanguage } from "./terminal-language.ts";

/** What to do about an error of the operating system, by its code. */
const SYSTEM_ERRORS: Readonly<Record<string, string>> = {
  ENOSPC: "The disk is full. Free some space, then try again.",
  EDQUOT: "The disk quota is used up. Free some space, then try again.",
  EROFS: "The disk is read-only. Check its file system, then mount it writable.",
  EACCES: "Access was denied. Check the owner and the permissions.",
  EPERM: "Access was denied. Check the owner and the permissions.",
  ENOENT: "A file or folder does not exist.",
  EMFILE: "Too many files are open. Raise the limit (LimitNOFILE of the service, or ulimit -n).",
  ENFILE: "Too many files are open on this machine. Raise fs.file-max.",
};

/** Describes an error of the operating system or of SQLite, which names the path; undefined for a mistake of ours. */
function describeSystemError(error: unknown): string | undefined {
  if (error instanceof SQLiteError) {
    if (isDamage(error))
      return `A database is damaged (${error.message}). To find out which, run: lineside check`;
    if (error.code === "SQLITE_FULL") return SYSTEM_ERRORS.ENOSPC;
    if (error.code?.startsWith("SQLITE_READONLY")) return SYSTEM_ERRORS.EROFS;
    return error.code?.startsWith("SQLITE_IOERR") ? `The disk failed (${error.message}).` : undefined;
  }
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return undefined;
  const advice = SYSTEM_ERRORS[error.code];
  const path = "path" in error && typeof error.path === "string" ? ` (${error.path})` : "";
  return advice && `${advice}${path}`;
}

/** Describes an error in one sentence for a person who can mend it; undefined for a mistake of ours. */
function describe(error: unknown): string | undefined {
  if (error instanceof DomainError) return renderIn(terminalLanguage(), error);
  if (error instanceof StartupError) return error.message;
  return describeSystemError(error);
}

/** Prints one sentence for what a person can mend, the stack only for our own mistakes; gives the exit code. */
export function explain(error: unknown, prefix = "Lineside cannot start:"): number {
  if (error instanceof ConfigError) {
    console.error([prefix, ...error.mistakes.map((mistake) => `  - ${mistake}`)].join("\n"));
    return 1;
  }
  const sentence = describe(error);
  if (sentence === undefined) console.error(prefix, error);
  else console.error(`${prefix} ${sentence}`);
  return 1;
}
