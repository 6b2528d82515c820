import { createHash, createPrivateKey, type KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { encodeUpdateHead, type UpdateManifest } from "../../modules/updates/update-file.ts";

/** Returns the private key for update files, from the file in the environment. */
export function readSigningKey(): KeyObject | undefined {
  const file = process.env.UPDATE_PRIVATE_KEY_FILE;
  return file === undefined ? undefined : createPrivateKey(readFileSync(file));
}

/** Writes the signed update file of an executable. */
export async function writeUpdateFile(
  executable: string,
  file: string,
  { key, ...about }: Pick<UpdateManifest, "version" | "commit" | "target" | "schemas"> & { key: KeyObject },
): Promise<void> {
  const bytes = await readFile(executable);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const head = encodeUpdateHead({ ...about, bytes: bytes.length, sha256 }, key);
  await writeFile(file, Buffer.concat([head, bytes]));
}
