import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from "node:crypto";
import { forbidden, invalid } from "../../lib/domain-error.ts";
import type { BackupTarget, EncryptionRecord } from "./backup.types.ts";

const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const SALT_BYTES = 16;
/** N of scrypt with r = 8: 32 MB and about 0.1 s (RFC 7914; OWASP asks for at least 2^15 with p = 3, and here a file is attacked at leisure). */
const SCRYPT_COST = 2 ** 15;
const SCRYPT_MEMORY_BYTES_MAX = 64 * 1024 * 1024;
const PROBE = Buffer.from("lineside backup");

const keyOf = (passphrase: string, salt: string, cost: number): Buffer =>
  scryptSync(passphrase.normalize("NFKC"), Buffer.from(salt, "base64"), KEY_BYTES, {
    N: cost,
    r: 8,
    p: 3,
    maxmem: SCRYPT_MEMORY_BYTES_MAX,
  });

/** AES-256-GCM: 12 bytes of IV, the ciphertext, 16 bytes of tag. The name of the object is authenticated with it. */
function encrypt(key: Buffer, name: string, bytes: Uint8Array): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, iv, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(name));
  return Buffer.concat([iv, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(key: Buffer, name: string, bytes: Uint8Array): Buffer | undefined {
  if (bytes.length < IV_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(name));
  decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
  try {
    return Buffer.concat([
      decipher.update(bytes.subarray(IV_BYTES, bytes.length - TAG_BYTES)),
      decipher.final(),
    ]);
  } catch {
    return undefined;
  }
}

/** Returns the record of a new encryption with the passphrase. */
export function newEncryption(passphrase: string): EncryptionRecord {
  const salt = randomBytes(SALT_BYTES).toString("base64");
  const probe = encrypt(keyOf(passphrase, salt, SCRYPT_COST), "probe", PROBE).toString("base64");
  return { cipher: "aes-256-gcm", kdf: "scrypt", salt, cost: SCRYPT_COST, probe };
}

/**
 * Returns a target that encrypts what it writes and decrypts what it reads. Names and sizes of objects stay visible.
 * @throws DomainError `forbidden` for another passphrase; `invalid` when an object that is read was changed.
 */
export function encryptedTarget(
  target: BackupTarget,
  record: EncryptionRecord,
  passphrase: string,
): BackupTarget {
  const key = keyOf(passphrase, record.salt, record.cost);
  if (decrypt(key, "probe", Buffer.from(record.probe, "base64")) === undefined)
    throw forbidden("backup.passphrase_wrong");
  return {
    list: (prefix) => target.list(prefix),
    async sizes(prefix) {
      const sizes = await target.sizes(prefix);
      return new Map([...sizes].map(([name, bytes]) => [name, bytes - IV_BYTES - TAG_BYTES]));
    },
    remove: (name) => target.remove(name),
    removeUnfinished: () => target.removeUnfinished(),
    write: (name, bytes) => target.write(name, encrypt(key, name, bytes)),
    async read(name) {
      const bytes = decrypt(key, name, await target.read(name));
      if (bytes === undefined) throw invalid("backup.object_damaged", { name });
      return bytes;
    },
  };
}
