import { detail } from "../../../lib/domain-error.ts";
import { excerpt } from "../../../lib/excerpt.ts";
import { TargetError } from "../uplink.errors.ts";
import type { TargetContext } from "../uplink.types.ts";
import { isTaken } from "./http-answer.ts";
import { type HttpAnswer, HttpConnection, textOf } from "./http-connection.ts";
import type { ObjectStore } from "./object-store.ts";
import { encodePath, encodeQuery, signS3 } from "./s3-signature.ts";
import type { TlsSettings } from "./tls.schemas.ts";

const OBJECT_BYTES_MAX = 1024 ** 3;
const REASON_CHARACTERS_MAX = 300;
const NOT_FOUND = 404;
const EMPTY = new Uint8Array();
/** Answers of 4xx that another attempt may not have: timeout, conflict, too many requests. */
const passing: ReadonlySet<number> = new Set([408, 409, 425, 429]);

export interface S3Place {
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly prefix: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

const contentOf = (xml: string, tag: string): string | undefined =>
  new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(xml)?.[1];

function refusal(answer: HttpAnswer): TargetError {
  const xml = textOf(answer);
  const message = contentOf(xml, "Message");
  const reason =
    message === undefined
      ? detail("delivery_error.status", { status: answer.status })
      : excerpt(message, REASON_CHARACTERS_MAX);
  // The clock of the gateway is wrong, which passes.
  const isSkewed = contentOf(xml, "Code") === "RequestTimeTooSkewed";
  if (answer.status >= 500 || answer.status < 400 || passing.has(answer.status) || isSkewed)
    return new TargetError("retry", detail("uplink.target_failed", { reason }));
  const code =
    answer.status === 403 || answer.status === 401 ? "uplink.access_refused" : "uplink.settings_refused";
  return new TargetError("settings", detail(code, { reason }));
}

/**
 * Objects in a bucket of an S3-compatible server, by requests of our own: they lead only to addresses that the context let through, trust the
 * authorities of the settings, and their signature covers the hash of the body. Bun's client can do none of these.
 */
export class S3Store implements ObjectStore {
  readonly #place: S3Place;
  readonly #context: TargetContext;
  readonly #connection: HttpConnection;
  readonly #host: string;
  readonly #basePath: string;

  constructor(
    place: S3Place,
    options: { tls: TlsSettings | null; timeoutMs: number; context: TargetContext },
  ) {
    this.#place = place;
    this.#context = options.context;
    this.#connection = new HttpConnection({ ...options, url: place.endpoint });
    const { host, pathname } = new URL(place.endpoint);
    this.#host = host;
    this.#basePath = pathname.replace(/\/$/, "");
  }

  get bytesSent(): number {
    return this.#connection.bytesSent;
  }

  async list(prefix: string, signal: AbortSignal): Promise<string[]> {
    const names: string[] = [];
    const rootLength = this.#place.prefix.length;
    for (let token: string | undefined; ; ) {
      const query = {
        "list-type": "2",
        prefix: this.#place.prefix + prefix,
        ...(token !== undefined && { "continuation-token": token }),
      };
      const answer = await this.#request({ method: "GET", query }, signal);
      if (!isTaken(answer.status)) throw refusal(answer);
      const xml = textOf(answer);
      for (const [, key = ""] of xml.matchAll(/<Key>([^<]*)<\/Key>/g))
        names.push(unescapeXml(key).slice(rootLength));
      token = contentOf(xml, "NextContinuationToken");
      if (contentOf(xml, "IsTruncated") !== "true" || token === undefined) return names;
      token = unescapeXml(token);
    }
  }

  async has(name: string, signal: AbortSignal): Promise<boolean> {
    const answer = await this.#request({ method: "HEAD", name }, signal);
    if (!isTaken(answer.status) && answer.status !== NOT_FOUND) throw refusal(answer);
    return isTaken(answer.status);
  }

  async read(name: string, signal: AbortSignal): Promise<Uint8Array> {
    const answer = await this.#request({ method: "GET", name }, signal);
    if (!isTaken(answer.status)) throw refusal(answer);
    return answer.body;
  }

  async write(name: string, bytes: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<void> {
    const answer = await this.#request({ method: "PUT", name, body: bytes }, signal);
    if (!isTaken(answer.status)) throw this.#paused(answer);
  }

  async remove(name: string, signal: AbortSignal): Promise<void> {
    const answer = await this.#request({ method: "DELETE", name }, signal);
    if (!isTaken(answer.status) && answer.status !== NOT_FOUND) throw refusal(answer);
  }

  close(): void {
    this.#connection.close();
  }

  #paused(answer: HttpAnswer): TargetError {
    const error = refusal(answer);
    this.#connection.pauseAfter(answer, error);
    return error;
  }

  #request(
    {
      method,
      name,
      query = {},
      body = EMPTY,
    }: {
      method: string;
      name?: string;
      query?: Record<string, string>;
      body?: Uint8Array<ArrayBuffer>;
    },
    signal: AbortSignal,
  ): Promise<HttpAnswer> {
    const { bucket, prefix } = this.#place;
    const path = `/${encodePath(name === undefined ? bucket : `${bucket}/${prefix}${name}`)}`;
    const request = { method, host: this.#host, path: this.#basePath + path, query, body };
    const search = encodeQuery(query);
    return this.#connection.request(
      {
        method,
        path: search === "" ? path : `${path}?${search}`,
        headers: signS3(request, this.#place, this.#context.now()),
        answerBytesMax: OBJECT_BYTES_MAX,
        ...(method === "PUT" && { body }),
      },
      signal,
    );
  }
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

const unescapeXml = (text: string): string =>
  text.replace(
    /&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi,
    (whole, decimal?: string, hexadecimal?: string, name?: string) => {
      if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
      if (hexadecimal !== undefined) return String.fromCodePoint(Number.parseInt(hexadecimal, 16));
      return entities[name ?? ""] ?? whole;
    },
  );
