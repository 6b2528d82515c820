import { isIP } from "node:net";
import { DomainError, invalid, notFound, unavailableDueTo } from "../../../lib/core/domain-error.ts";
import { messageOf } from "../../../lib/core/error-message.ts";
import { networkErrorText } from "../../../lib/network/network-error.ts";
import { KeptHttp } from "../../../platform/network/keep-alive-http.ts";
import { systemLookup } from "../../../platform/network/name-lookup.ts";
import { S3Bucket, S3Refusal } from "../../../platform/network/s3-bucket.ts";
import { withTimeLimit } from "../../../platform/network/time-limit.ts";
import { bytesMaxOf } from "../object-limits.ts";
import type { BackupPlace, BackupTarget } from "../snapshot.types.ts";

const ATTEMPTS_MAX = 4;
const RETRY_DELAY_MS = 500;
/** Time limit of a request: a minute, and what its bytes take on a slow line. */
const REQUEST_MS = 60_000;
const BYTES_PER_MS_MIN = 64;
/** The size of objects that may be larger is requested before their content, so that the time limit fits it. */
const SMALL_BYTES = 16 * 1024 * 1024;

const isTooLong = (error: unknown): boolean =>
  error instanceof DomainError && error.code === "network_error.response_too_long";

/**
 * Repository in a bucket of an S3-compatible server. Requests are retried, and written objects are verified by their ETag. The server may be any: what
 * it sends, and how long it takes, is limited.
 */
export class S3Target implements BackupTarget {
  readonly #bucket: S3Bucket;
  readonly #place: Extract<BackupPlace, { kind: "s3" }>;

  constructor(place: Extract<BackupPlace, { kind: "s3" }>) {
    this.#place = place;
    const url = new URL(place.endpoint);
    const host = url.hostname.replace(/^\[|\]$/g, "");
    const http = new KeptHttp({
      url,
      tls: { rejectUnauthorized: true, ...(isIP(host) === 0 && { servername: host }) },
      resolve: async (name) =>
        isIP(name) === 0 ? (await systemLookup(name)).map(({ address }) => address) : [name],
    });
    this.#bucket = new S3Bucket(place, {
      request: (content, signal) => http.request(content, signal),
      now: () => Date.now(),
    });
  }

  async list(prefix: string): Promise<string[]> {
    return [...(await this.sizes(prefix)).keys()].sort();
  }

  sizes(prefix: string): Promise<ReadonlyMap<string, number>> {
    return this.#retry(0, (signal) => this.#bucket.list(prefix, signal));
  }

  async read(name: string): Promise<Uint8Array> {
    const bytesMax = bytesMaxOf(name);
    const expected = bytesMax > SMALL_BYTES ? await this.#sizeOf(name) : bytesMax;
    const bytes = await this.#retry(expected, async (signal) => {
      try {
        return await this.#bucket.read(name, bytesMax, signal);
      } catch (error) {
        if (isTooLong(error)) throw invalid("backup.object_damaged", { name });
        throw error;
      }
    });
    if (bytes === undefined) throw notFound("backup.object_missing", { name });
    return bytes;
  }

  /** Returns the bytes of an object, at most those that are read of one with its name; 0 if it does not exist. */
  async #sizeOf(name: string): Promise<number> {
    const stored = await this.#retry(0, (signal) => this.#bucket.stat(name, signal));
    return Math.min(stored?.bytes ?? 0, bytesMaxOf(name));
  }

  async write(name: string, bytes: Uint8Array): Promise<void> {
    const body = new Uint8Array(bytes); // a copy with its own buffer
    const md5 = new Bun.CryptoHasher("md5").update(body).digest("hex");
    await this.#retry(body.length, async (signal) => {
      await this.#bucket.write(name, body, signal);
      const stored = await this.#bucket.stat(name, signal);
      // Some servers and some kinds of encryption give another kind of ETag.
      const isMd5 = /^[0-9a-f]{32}$/.test(stored?.etag ?? "");
      if (stored?.bytes !== body.length || (isMd5 && stored.etag !== md5))
        throw new Error("stored otherwise than sent");
    });
  }

  async remove(name: string): Promise<void> {
    await this.#retry(0, (signal) => this.#bucket.remove(name, signal));
  }

  async removeUnfinished(): Promise<void> {
    // A bucket lists complete objects only.
  }

  /** @param bytes number of bytes that are sent or read, for the time limit */
  async #retry<Result>(bytes: number, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const ms = REQUEST_MS + bytes / BYTES_PER_MS_MIN;
    for (let attempt = 1; ; attempt++)
      try {
        return await withTimeLimit(ms, work);
      } catch (error) {
        if (error instanceof DomainError && error.kind !== "unavailable") throw error;
        if (attempt === ATTEMPTS_MAX || isTooLong(error)) throw this.#failure(error);
        await Bun.sleep(RETRY_DELAY_MS * 2 ** (attempt - 1));
      }
  }

  #failure(error: unknown): DomainError {
    const { endpoint, bucket } = this.#place;
    const reason = error instanceof S3Refusal ? (error.reason ?? messageOf(error)) : networkErrorText(error);
    return unavailableDueTo(error, "backup.s3_failed", { endpoint, bucket, reason });
  }
}
