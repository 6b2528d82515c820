import { createHash, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { invalid } from "../../lib/core/domain-error.ts";
import type { Schemas } from "../../platform/database/data-schemas.ts";

/*
 * Format of an update file: MAGIC, length of the manifest (uint32, little-endian), manifest (JSON, UTF-8), ed25519 signature of everything before it
 * (64 bytes), executable. The manifest contains the SHA-256 of the executable, so the signature covers the whole file, and the head is enough to
 * decide whether to upload the file. It contains no names or paths.
 */

const MAGIC = Buffer.from("LINESIDE UPDATE 1\n");
const LENGTH_BYTES = 4;
const SIGNATURE_BYTES = 64;
const MANIFEST_BYTES_MAX = 64 * 1024;
const CHUNK_BYTES = 1024 * 1024;
/** Max. bytes of an update file's head. */
export const HEAD_BYTES_MAX = MAGIC.length + LENGTH_BYTES + MANIFEST_BYTES_MAX + SIGNATURE_BYTES;

export interface UpdateManifest {
  readonly version: string;
  readonly commit: string;
  /** Target machine of the executable, such as `linux-x64`. */
  readonly target: string;
  /** Bytes of the executable. */
  readonly bytes: number;
  /** SHA-256 of the executable, hexadecimal. */
  readonly sha256: string;
  /** Schemas that the executable writes. */
  readonly schemas: Schemas;
}

export interface UpdateHead {
  readonly manifest: UpdateManifest;
  /** Offset of the executable. */
  readonly offset: number;
}

/** Returns the head of an update file, to be followed by the executable. */
export function encodeUpdateHead(manifest: UpdateManifest, privateKey: KeyObject): Buffer {
  const json = Buffer.from(JSON.stringify(manifest));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(json.length);
  const signed = Buffer.concat([MAGIC, length, json]);
  return Buffer.concat([signed, sign(null, signed, privateKey)]);
}

const isText = (value: unknown): value is string => typeof value === "string";

function parseManifest(json: Buffer): UpdateManifest {
  const value: unknown = JSON.parse(json.toString("utf8"));
  if (typeof value !== "object" || value === null) throw invalid("update.not_an_update");
  const { version, commit, target, bytes, sha256, schemas } = value as Record<string, unknown>; // checked below
  const isValid =
    isText(version) &&
    /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/.test(version) &&
    isText(commit) &&
    isText(target) &&
    Number.isSafeInteger(bytes) &&
    isText(sha256) &&
    typeof schemas === "object" &&
    schemas !== null &&
    Object.values(schemas).every(Number.isSafeInteger);
  if (!isValid) throw invalid("update.not_an_update");
  return { version, commit, target, bytes: bytes as number, sha256, schemas: schemas as Schemas };
}

/**
 * Reads the head of an update file, verifying its signature before anything else.
 * @throws DomainError `invalid` for a file that is not an update, is truncated, or is not signed with the key
 */
export function readUpdateHead(start: Buffer, publicKeyPem: string): UpdateHead {
  const manifestStart = MAGIC.length + LENGTH_BYTES;
  if (!start.subarray(0, MAGIC.length).equals(MAGIC)) throw invalid("update.not_an_update");
  if (start.length < manifestStart) throw invalid("update.cut_off");
  const length = start.readUInt32LE(MAGIC.length);
  if (length > MANIFEST_BYTES_MAX) throw invalid("update.not_an_update");
  const signatureStart = manifestStart + length;
  const offset = signatureStart + SIGNATURE_BYTES;
  if (start.length < offset) throw invalid("update.cut_off");
  const signature = start.subarray(signatureStart, offset);
  if (!verify(null, start.subarray(0, signatureStart), createPublicKey(publicKeyPem), signature))
    throw invalid("update.signature_wrong");
  return { manifest: parseManifest(start.subarray(manifestStart, signatureStart)), offset };
}

async function readAt(file: FileHandle, position: number, buffer: Buffer): Promise<Buffer> {
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, position + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
}

/** Reads the head of the update file at the path. @throws DomainError like `readUpdateHead` */
export async function openUpdate(path: string, publicKeyPem: string): Promise<UpdateHead> {
  const file = await open(path, "r");
  try {
    return readUpdateHead(await readAt(file, 0, Buffer.alloc(HEAD_BYTES_MAX)), publicKeyPem);
  } finally {
    await file.close();
  }
}

/** Reads the whole update file and compares its checksum. @throws DomainError `invalid` if the file is truncated, too long or damaged */
export async function verifyExecutable(path: string, head: UpdateHead): Promise<void> {
  const source = await open(path, "r");
  try {
    await readExecutable(source, head, () => Promise.resolve());
  } finally {
    await source.close();
  }
}

async function readExecutable(
  source: FileHandle,
  { manifest, offset }: UpdateHead,
  onPiece: (piece: Buffer) => Promise<void>,
): Promise<void> {
  const hash = createHash("sha256");
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let length = 0;
  for (;;) {
    const piece = await readAt(source, offset + length, chunk);
    length += piece.length;
    if (piece.length === 0 || length > manifest.bytes) break;
    hash.update(piece);
    await onPiece(piece);
  }
  if (length < manifest.bytes) throw invalid("update.cut_off");
  if (length > manifest.bytes || hash.digest("hex") !== manifest.sha256) throw invalid("update.damaged");
}

/**
 * Writes the executable of an update file to `target` and verifies it. The executable is on disk when this resolves.
 * @throws DomainError `invalid` if the file is truncated, too long or damaged
 */
export async function extractExecutable(path: string, head: UpdateHead, target: string): Promise<void> {
  const [source, executable] = [await open(path, "r"), await open(target, "w", 0o755)];
  try {
    await readExecutable(source, head, (piece) => executable.writeFile(piece));
    await executable.chmod(0o755); // whatever the umask is
    await executable.sync();
  } finally {
    await source.close();
    await executable.close();
  }
}
