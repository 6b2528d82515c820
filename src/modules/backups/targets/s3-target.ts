import { S3Client } from "bun";
import { DomainError, notFound, unavailableDueTo } from "../../../lib/domain-error.ts";
import { messageOf, networkErrorText } from "../../../lib/network-error.ts";
import type { BackupPlace, BackupTarget } from "../backup.types.ts";

const ATTEMPTS_MAX = 4;
const RETRY_DELAY_MS = 500;
const KEYS_PER_LIST = 1_000;

const isMissing = (error: unknown) =>
  error instanceof Error && "code" in error && (error.code === "NoSuchKey" || error.code === "NotFound");

/** A repository in a bucket of an S3-compatible server. Requests are repeated, and a written object is compared by its ETag. */
export class S3Target implements BackupTarget {
  readonly #client: S3Client;
  readonly #place: Extract<BackupPlace, { kind: "s3" }>;

  constructor(place: Extract<BackupPlace, { kind: "s3" }>) {
    const { endpoint, region, bucket, accessKeyId, secretAccessKey } = place;
    this.#place = place;
    this.#client = new S3Client({ endpoint, region, bucket, accessKeyId, secretAccessKey });
  }

  async list(prefix: string): Promise<string[]> {
    return [...(await this.sizes(prefix)).keys()].sort();
  }

  async sizes(prefix: string): Promise<ReadonlyMap<string, number>> {
    const sizes = new Map<string, number>();
    for (let continuationToken: string | undefined; ; ) {
      const page = await this.#retry(() =>
        this.#client.list({
          prefix: this.#place.prefix + prefix,
          maxKeys: KEYS_PER_LIST,
          ...(continuationToken !== undefined && { continuationToken }),
        }),
      );
      for (const { key, size } of page.contents ?? [])
        sizes.set(key.slice(this.#place.prefix.length), size ?? 0);
      continuationToken = page.isTruncated ? page.nextContinuationToken : undefined;
      if (continuationToken === undefined) return sizes;
    }
  }

  async read(name: string): Promise<Uint8Array> {
    return this.#retry(async () => {
      try {
        return await this.#client.file(this.#place.prefix + name).bytes();
      } catch (error) {
        if (isMissing(error)) throw notFound("backup.object_missing", { name });
        throw error;
      }
    });
  }

  async write(name: string, bytes: Uint8Array): Promise<void> {
    const key = this.#place.prefix + name;
    const md5 = new Bun.CryptoHasher("md5").update(bytes).digest("hex");
    await this.#retry(async () => {
      await this.#client.write(key, bytes);
      const { size, etag } = await this.#client.stat(key);
      const sum = etag.replaceAll('"', "");
      // Some servers and some kinds of encryption give another kind of ETag.
      const isMd5 = /^[0-9a-f]{32}$/.test(sum);
      if (size !== bytes.length || (isMd5 && sum !== md5)) throw new Error("stored otherwise than sent");
    });
  }

  async remove(name: string): Promise<void> {
    await this.#retry(() => this.#client.delete(this.#place.prefix + name));
  }

  async removeUnfinished(): Promise<void> {
    // A bucket lists complete objects only.
  }

  async #retry<Result>(work: () => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (error instanceof DomainError) throw error;
        if (attempt === ATTEMPTS_MAX) throw this.#failure(error);
        await Bun.sleep(RETRY_DELAY_MS * 2 ** (attempt - 1));
      }
    }
  }

  #failure(error: unknown): DomainError {
    const { endpoint, bucket } = this.#place;
    const reason = messageOf(error) || networkErrorText(error); // what the server says, if it was reached
    return unavailableDueTo(error, "backup.s3_failed", { endpoint, bucket, reason });
  }
}
