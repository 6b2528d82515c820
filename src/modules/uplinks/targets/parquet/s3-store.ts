import { createHash, createHmac } from "node:crypto";
import { detail } from "../../../../lib/core/domain-error.ts";
import { excerpt } from "../../../../lib/strings/excerpt.ts";
import { TargetError } from "../../target.errors.ts";
import type { TargetContext } from "../../target.types.ts";
import { isTaken } from "../http-answer.ts";
import { type HttpAnswer, HttpConnection, textOf } from "../http-connection.ts";
import type { TlsSettings } from "../tls.schemas.ts";
import type { ObjectStore } from "./object-store.ts";

const ALGORITHM = "AWS4-HMAC-SHA256";

interface S3Credentials {
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

interface S3Request {
  readonly method: string;
  readonly host: string;
  /** Encoded by `encodePath`. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

const hash = (data: string | Uint8Array): string => createHash("sha256").update(data).digest("hex");
const keyed = (key: string | Buffer, data: string): Buffer => createHmac("sha256", key).update(data).digest();

/** Encodes a string as the signature requires: everything except letters, digits and `-._~`. */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

const encodePath = (name: string): string => name.split("/").map(encode).join("/");

const encodeQuery = (query: S3Request["query"]): string =>
  Object.keys(query)
    .sort()
    .map((name) => `${encode(name)}=${encode(query[name] ?? "")}`)
    .join("&");

/**
 * Returns the headers that sign a request by AWS Signature Version 4 for S3. They include the hash of the body, so the server refuses a modified
 * body.
 */
export function signS3(
  request: S3Request,
  credentials: S3Credentials,
  epochMs: number,
): Record<string, string> {
  const time = new Date(epochMs).toISOString().replace(/[-:]|\.\d+/g, "");
  const day = time.slice(0, 8);
  const scope = `${day}/${credentials.region}/s3/aws4_request`;
  const contentHash = hash(request.body);
  const signed = "host;x-amz-content-sha256;x-amz-date";
  const canonical = [
    request.method,
    request.path,
    encodeQuery(request.query),
    `host:${request.host}`,
    `x-amz-content-sha256:${contentHash}`,
    `x-amz-date:${time}`,
    "",
    signed,
    contentHash,
  ].join("\n");
  const dayKey = keyed(`AWS4${credentials.secretAccessKey}`, day);
  const key = keyed(keyed(keyed(dayKey, credentials.region), "s3"), "aws4_request");
  const signature = keyed(key, [ALGORITHM, time, scope, hash(canonical)].join("\n")).toString("hex");
  const credential = `${credentials.accessKeyId}/${scope}`;
  return {
    "x-amz-date": time,
    "x-amz-content-sha256": contentHash,
    authorization: `${ALGORITHM} Credential=${credential}, SignedHeaders=${signed}, Signature=${signature}`,
  };
}

/** Max. bytes of an object that is read: a staged batch, or the record of a file. */
const OBJECT_BYTES_MAX = 32 * 1024 * 1024;
/** Max. bytes of a list: 1,000 names of at most 1 KiB, with their metadata. */
const LIST_BYTES_MAX = 8 * 1024 * 1024;
/** Max. characters of the names on all pages. */
const NAMES_CHARACTERS_MAX = 32 * 1024 * 1024;
const REASON_CHARACTERS_MAX = 300;
const NOT_FOUND = 404;
const EMPTY = new Uint8Array();
/** Status codes 4xx that may be temporary: timeout, conflict, too many requests. */
const PASSING: ReadonlySet<number> = new Set([408, 409, 425, 429]);

export interface S3Place {
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly prefix: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

const tooLong = (): TargetError =>
  new TargetError(
    "retry",
    detail("uplink.target_failed", { reason: detail("network_error.answer_too_long") }),
  );

/** Returns the text of the first element with this name and without child elements. */
function contentOf(xml: string, tag: string): string | undefined {
  const [, behind] = xml.split(`<${tag}>`, 2);
  const [content, closing = ""] = behind?.split("<", 2) ?? [];
  return closing.startsWith(`/${tag}>`) ? content : undefined;
}

function refusal(answer: HttpAnswer): TargetError {
  const xml = textOf(answer);
  const message = contentOf(xml, "Message");
  const reason =
    message === undefined
      ? detail("delivery_error.status", { status: answer.status })
      : excerpt(message, REASON_CHARACTERS_MAX);
  // The clock of the gateway is wrong, which passes.
  const isSkewed = contentOf(xml, "Code") === "RequestTimeTooSkewed";
  if (answer.status >= 500 || answer.status < 400 || PASSING.has(answer.status) || isSkewed)
    return new TargetError("retry", detail("uplink.target_failed", { reason }));
  const code =
    answer.status === 403 || answer.status === 401 ? "uplink.access_refused" : "uplink.settings_refused";
  return new TargetError("settings", detail(code, { reason }));
}

/**
 * Objects in a bucket of an S3-compatible server, by own requests: they only connect to permitted addresses, trust the configured authorities, and
 * sign the hash of the body. Bun's client supports none of these.
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
    let characters = 0;
    for (let token: string | undefined; ; ) {
      const query = {
        "list-type": "2",
        prefix: this.#place.prefix + prefix,
        ...(token !== undefined && { "continuation-token": token }),
      };
      const answer = await this.#request({ method: "GET", query }, signal);
      if (!isTaken(answer.status)) throw refusal(answer);
      const xml = textOf(answer);
      for (const [, key = ""] of xml.matchAll(/<Key>([^<]*)<\/Key>/g)) {
        const name = unescapeXml(key).slice(rootLength);
        // An empty name takes memory too.
        characters += name.length + 1;
        names.push(name);
      }
      token = contentOf(xml, "NextContinuationToken");
      if (contentOf(xml, "IsTruncated") !== "true" || token === undefined) return names;
      if (characters > NAMES_CHARACTERS_MAX) throw tooLong();
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

  async #request(
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
    const answerBytesMax = name === undefined ? LIST_BYTES_MAX : OBJECT_BYTES_MAX;
    const answer = await this.#connection.request(
      {
        method,
        path: search === "" ? path : `${path}?${search}`,
        headers: signS3(request, this.#place, this.#context.now()),
        ...(method === "GET" && { answerBytesMax }),
        ...(method === "PUT" && { body }),
      },
      signal,
    );
    // The rest was not read: a part of a list or an object must not pass for the whole.
    if (answer.body.length >= answerBytesMax) throw tooLong();
    return answer;
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
