import { timingSafeEqual } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { giveToFolderOwner } from "../files/file-owner.ts";

/**
 * Proof that a command may read the files of the gateway: it writes a random text into the data directory and sends the same text. A user who can
 * write there can read all data of the gateway, so no password is required.
 */
const FILE = join("secrets", "local-access");
const VALID_MS = 60_000;
const TOKEN_BYTES = 32;

/** Runs `work` with a token that the gateway on this data directory accepts until `work` ends. */
export async function withLocalAccess<Result>(
  directory: string,
  work: (token: string) => Promise<Result>,
): Promise<Result> {
  const file = join(directory, FILE);
  const token = Buffer.from(crypto.getRandomValues(new Uint8Array(TOKEN_BYTES))).toString("base64url");
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  rmSync(file, { force: true });
  writeFileSync(file, token, { mode: 0o600, flag: "wx" });
  giveToFolderOwner(file);
  try {
    return await work(token);
  } finally {
    rmSync(file, { force: true });
  }
}

/** Returns whether a command has just written this token into the data directory. */
export function isLocalAccess(directory: string, token: string): boolean {
  const file = join(directory, FILE);
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined || Math.abs(Date.now() - stats.mtimeMs) > VALID_MS) return false;
  const expected = readFileSync(file);
  const sent = Buffer.from(token);
  return expected.length >= TOKEN_BYTES && sent.length === expected.length && timingSafeEqual(sent, expected);
}
