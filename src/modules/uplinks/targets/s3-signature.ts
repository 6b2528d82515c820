import { createHash, createHmac } from "node:crypto";

const ALGORITHM = "AWS4-HMAC-SHA256";

export interface S3Credentials {
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface S3Request {
  readonly method: string;
  readonly host: string;
  /** Encoded by `encodePath`. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

const hash = (data: string | Uint8Array): string => createHash("sha256").update(data).digest("hex");
const keyed = (key: string | Buffer, data: string): Buffer => createHmac("sha256", key).update(data).digest();

/** As the signature wants it: everything but letters, digits and `-._~`. */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

export const encodePath = (name: string): string => name.split("/").map(encode).join("/");

export const encodeQuery = (query: S3Request["query"]): string =>
  Object.keys(query)
    .sort()
    .map((name) => `${encode(name)}=${encode(query[name] ?? "")}`)
    .join("&");

/**
 * Returns the headers that sign a request by AWS Signature Version 4 in its form for S3. The hash of the body is part of it, so the server
 * refuses a body that arrived otherwise than it was sent.
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
