import { createHash, createHmac } from "node:crypto";
import { unavailable } from "../../lib/core/domain-error.ts";
import { excerpt } from "../../lib/strings/excerpt.ts";
import { bodyText, type HttpContent, type HttpResponse, isSuccess } from "./keep-alive-http.ts";
import { responseTooLong } from "./limited-relay.ts";

const ALGORITHM = "AWS4-HMAC-SHA256";

interface S3Credentials {
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

interface SignedRequest {
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

const encodeQuery = (query: SignedRequest["query"]): string =>
  Object.keys(query)
    .sort()
    .map((name) => `${encode(name)}=${encode(query[name] ?? "")}`)
    .join("&");

/**
 * Returns the headers that sign a request by AWS Signature Version 4 for S3. They include the hash of the body, so the server refuses a modified
 * body.
 */
export function signS3(
  request: SignedRequest,
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

/** Max. bytes of a page of a list: 1,000 names of at most 1 KiB, with their metadata. */
const LIST_BYTES_MAX = 8 * 1024 * 1024;
/** Max. objects of a page; servers send 1,000. */
const PAGE_OBJECTS_MAX = 10_000;
/** Max. memory of a list in characters: its names, and about what else an object and a page take. */
const LIST_CHARACTERS_MAX = 32 * 1024 * 1024;
const OBJECT_CHARACTERS = 32;
const PAGE_CHARACTERS = 128 * 1024;
const REASON_CHARACTERS_MAX = 300;
const NOT_FOUND = 404;
const EMPTY = new Uint8Array();

export interface S3Place extends S3Credentials {
  readonly endpoint: string;
  readonly bucket: string;
  /** Prefix of all names; empty, or ends with "/". */
  readonly prefix: string;
}

/** Response of a server that refuses a request. */
export class S3Refusal extends Error {
  readonly response: HttpResponse;
  /** Code of the server, such as `AccessDenied`; undefined if it names none. */
  readonly code: string | undefined;
  /** Message of the server; undefined if it sends none. */
  readonly reason: string | undefined;

  constructor(response: HttpResponse) {
    const xml = bodyText(response);
    const reason = contentOf(xml, "Message");
    super(reason ?? `the server responds with ${response.status}`);
    this.response = response;
    this.code = contentOf(xml, "Code");
    this.reason = reason === undefined ? undefined : excerpt(unescapeXml(reason), REASON_CHARACTERS_MAX);
  }
}

interface S3BucketDeps {
  /** Sends a request to the endpoint. */
  readonly request: (content: HttpContent, signal: AbortSignal) => Promise<HttpResponse>;
  /** Returns epoch ms. */
  readonly now: () => number;
}

/**
 * Objects in a bucket of an S3-compatible server. Requests sign the hash of their body. What the server sends is limited: a page, a list, and each
 * object that is read. Bun's client has no limits.
 */
export class S3Bucket {
  readonly #place: S3Place;
  readonly #deps: S3BucketDeps;
  readonly #host: string;
  readonly #basePath: string;

  constructor(place: S3Place, deps: S3BucketDeps) {
    this.#place = place;
    this.#deps = deps;
    const { host, pathname } = new URL(place.endpoint);
    this.#host = host;
    this.#basePath = pathname.replace(/\/$/, "");
  }

  /** Returns the sizes of all objects by name. @throws S3Refusal, or DomainError `network_error.response_too_long` */
  async list(prefix: string, signal: AbortSignal): Promise<Map<string, number>> {
    const sizes = new Map<string, number>();
    let characters = 0;
    for (let token: string | undefined; ; ) {
      const query = {
        "list-type": "2",
        prefix: this.#place.prefix + prefix,
        ...(token !== undefined && { "continuation-token": token }),
      };
      const xml = bodyText(
        ofSuccess(await this.#send({ method: "GET", query, bytesMax: LIST_BYTES_MAX }, signal)),
      );
      // Such as the page of a proxy, which would pass for an empty list, or a page that was cut off: the newest names are its last ones.
      if (!xml.includes("<ListBucketResult") || !xml.includes("</ListBucketResult>"))
        throw unavailable("network_error.no_list");
      for (const { name, bytes } of objectsIn(xml, this.#place.prefix)) {
        // A list of something else, such as one that a proxy has cached without its query: the objects in it would pass for unused ones.
        if (!name.startsWith(prefix)) throw unavailable("network_error.no_list");
        characters += name.length + OBJECT_CHARACTERS;
        sizes.set(name, bytes);
      }
      characters += PAGE_CHARACTERS;
      token = continuationOf(xml);
      if (token === undefined) return sizes;
      if (characters > LIST_CHARACTERS_MAX) throw responseTooLong();
    }
  }

  /** Returns size and ETag of an object; undefined if it does not exist. @throws S3Refusal */
  async stat(name: string, signal: AbortSignal): Promise<{ bytes: number; etag: string } | undefined> {
    const response = await this.#send({ method: "HEAD", name }, signal);
    if (response.status === NOT_FOUND) return undefined;
    const { etag = "", "content-length": length } = ofSuccess(response).headers;
    return { bytes: Number(length ?? 0), etag: etag.replaceAll('"', "") };
  }

  /**
   * Returns a whole object; undefined if it does not exist.
   * @throws S3Refusal, or DomainError `network_error.response_too_long` for an object of `bytesMax` bytes or more
   */
  async read(name: string, bytesMax: number, signal: AbortSignal): Promise<Uint8Array | undefined> {
    const response = await this.#send({ method: "GET", name, bytesMax }, signal);
    const isMissing =
      response.status === NOT_FOUND && contentOf(bodyText(response), "Code") !== "NoSuchBucket";
    return isMissing ? undefined : ofSuccess(response).body;
  }

  /** @throws S3Refusal */
  async write(name: string, bytes: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<void> {
    ofSuccess(await this.#send({ method: "PUT", name, body: bytes }, signal));
  }

  /** Removes an object, if it exists. @throws S3Refusal */
  async remove(name: string, signal: AbortSignal): Promise<void> {
    const response = await this.#send({ method: "DELETE", name }, signal);
    if (response.status !== NOT_FOUND) ofSuccess(response);
  }

  async #send(
    {
      method,
      name,
      query = {},
      body = EMPTY,
      bytesMax,
    }: {
      method: string;
      name?: string;
      query?: Record<string, string>;
      body?: Uint8Array<ArrayBuffer>;
      bytesMax?: number;
    },
    signal: AbortSignal,
  ): Promise<HttpResponse> {
    const { bucket, prefix } = this.#place;
    const path = `/${encodePath(name === undefined ? bucket : `${bucket}/${prefix}${name}`)}`;
    const request = { method, host: this.#host, path: this.#basePath + path, query, body };
    const search = encodeQuery(query);
    const response = await this.#deps.request(
      {
        method,
        path: search === "" ? path : `${path}?${search}`,
        headers: signS3(request, this.#place, this.#deps.now()),
        ...(bytesMax !== undefined && { responseBytesMax: bytesMax }),
        ...(method === "PUT" && { body }),
      },
      signal,
    );
    // The rest was not read: a part of a list or an object must not pass for the whole.
    if (bytesMax !== undefined && response.body.length >= bytesMax) throw responseTooLong();
    return response;
  }
}

function ofSuccess(response: HttpResponse): HttpResponse {
  if (!isSuccess(response.status)) throw new S3Refusal(response);
  return response;
}

/** Returns the text of the first element with this name and without child elements. */
function contentOf(xml: string, tag: string): string | undefined {
  const [, behind] = xml.split(`<${tag}>`, 2);
  const [content, closing = ""] = behind?.split("<", 2) ?? [];
  return closing.startsWith(`/${tag}>`) ? content : undefined;
}

/** Returns the token of the next page of a list; undefined for the last page. @throws DomainError for a page without its token */
function continuationOf(xml: string): string | undefined {
  if (contentOf(xml, "IsTruncated") !== "true") return undefined;
  const token = contentOf(xml, "NextContinuationToken");
  if (token === undefined) throw unavailable("network_error.no_list");
  return unescapeXml(token);
}

/** Yields the objects of a page. @throws DomainError for more than a server sends */
function* objectsIn(xml: string, prefix: string): Generator<{ name: string; bytes: number }> {
  let end = 0;
  for (let count = 0; ; count++) {
    const start = xml.indexOf("<Contents>", end);
    end = xml.indexOf("</Contents>", start);
    if (start < 0 || end < 0) return;
    if (count >= PAGE_OBJECTS_MAX) throw responseTooLong();
    const object = xml.slice(start, end);
    const key = unescapeXml(contentOf(object, "Key") ?? "");
    if (!key.startsWith(prefix)) throw unavailable("network_error.no_list");
    const name = key.slice(prefix.length);
    // A copy: a part of a string keeps the whole page in memory.
    yield { name: Buffer.from(name).toString(), bytes: Number(contentOf(object, "Size") ?? 0) };
  }
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
const CODE_POINT_MAX = 0x10ffff;

const unescapeXml = (text: string): string =>
  text.replace(
    /&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi,
    (whole, decimal?: string, hexadecimal?: string, name?: string) => {
      if (name !== undefined) return entities[name] ?? whole;
      const code = decimal === undefined ? Number.parseInt(hexadecimal ?? "", 16) : Number(decimal);
      return code <= CODE_POINT_MAX ? String.fromCodePoint(code) : whole;
    },
  );
