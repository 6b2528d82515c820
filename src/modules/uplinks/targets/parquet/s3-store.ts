import { DomainError, detail, toText } from "../../../../lib/core/domain-error.ts";
import { S3Bucket, type S3Place, S3Refusal } from "../../../../platform/network/s3-bucket.ts";
import { TargetError } from "../../target.errors.ts";
import type { TargetContext } from "../../target.types.ts";
import { HttpConnection } from "../http-connection.ts";
import type { TlsSettings } from "../tls.schemas.ts";
import type { ObjectStore } from "./object-store.ts";

/** Max. bytes of an object that is read: a staged batch, or the record of a file. */
const OBJECT_BYTES_MAX = 32 * 1024 * 1024;
const MISSING = detail("delivery_error.status", { status: 404 });
/** Status codes 4xx that may be temporary: timeout, conflict, too many requests. */
const PASSING: ReadonlySet<number> = new Set([408, 409, 425, 429]);

function refused({ response: { status }, code, reason }: S3Refusal): TargetError {
  const text = { reason: reason ?? detail("delivery_error.status", { status }) };
  // The clock of the gateway is wrong, which passes.
  const isSkewed = code === "RequestTimeTooSkewed";
  if (status >= 500 || status < 400 || PASSING.has(status) || isSkewed)
    return new TargetError("retry", detail("uplink.target_failed", text));
  const isOfAccess = status === 403 || status === 401;
  return new TargetError(
    "settings",
    detail(isOfAccess ? "uplink.access_refused" : "uplink.settings_refused", text),
  );
}

/** Returns the error of a target for an error of the bucket. */
function failure(error: unknown): unknown {
  if (error instanceof S3Refusal) return refused(error);
  if (!(error instanceof DomainError) || error instanceof TargetError) return error;
  return new TargetError("retry", detail("uplink.target_failed", { reason: toText(error) }), error);
}

/** Objects in a bucket of an S3-compatible server, at a permitted address and with the configured authorities. */
export class S3Store implements ObjectStore {
  readonly #connection: HttpConnection;
  readonly #bucket: S3Bucket;

  constructor(
    place: S3Place,
    options: { tls: TlsSettings | null; timeoutMs: number; context: TargetContext },
  ) {
    const connection = new HttpConnection({ ...options, url: place.endpoint });
    this.#connection = connection;
    this.#bucket = new S3Bucket(place, {
      request: (content, signal) => connection.request(content, signal),
      now: () => options.context.now(),
    });
  }

  get bytesSent(): number {
    return this.#connection.bytesSent;
  }

  list(prefix: string, signal: AbortSignal): Promise<string[]> {
    return this.#do(async () => [...(await this.#bucket.list(prefix, signal)).keys()]);
  }

  has(name: string, signal: AbortSignal): Promise<boolean> {
    return this.#do(async () => (await this.#bucket.stat(name, signal)) !== undefined);
  }

  read(name: string, signal: AbortSignal): Promise<Uint8Array> {
    return this.#do(async () => {
      const bytes = await this.#bucket.read(name, OBJECT_BYTES_MAX, signal);
      if (bytes === undefined)
        throw new TargetError("settings", detail("uplink.settings_refused", { reason: MISSING }));
      return bytes;
    });
  }

  async write(name: string, bytes: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<void> {
    await this.#do(() => this.#bucket.write(name, bytes, signal), true);
  }

  remove(name: string, signal: AbortSignal): Promise<void> {
    return this.#do(() => this.#bucket.remove(name, signal));
  }

  close(): void {
    this.#connection.close();
  }

  /** @param pauses whether a refusal may ask for a pause */
  async #do<Result>(work: () => Promise<Result>, pauses = false): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      const thrown = failure(error);
      if (pauses && error instanceof S3Refusal && thrown instanceof TargetError)
        this.#connection.pauseAfter(error.response, thrown);
      throw thrown;
    }
  }
}
