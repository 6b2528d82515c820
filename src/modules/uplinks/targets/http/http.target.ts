import { detail } from "../../../../lib/core/domain-error.ts";
import { headerProblem, isSecretHeader } from "../../../../lib/network/outbound-request.ts";
import { signatureOf } from "../../../../lib/network/signature.ts";
import { isSuccess } from "../../../../platform/network/keep-alive-http.ts";
import { TargetError } from "../../target.errors.ts";
import type { Batch, Target, TargetContext } from "../../target.types.ts";
import { HttpConnection } from "../http-connection.ts";
import { responseError } from "../http-response.ts";
import { NdjsonEncoder } from "../ndjson-encoder.ts";
import type { HttpSettings } from "./http.schemas.ts";

const GZIP_LEVEL = 1;

/** @throws TargetError `settings` for an invalid header */
function fixedHeaders({ headers, token, tokenHeader, gzip }: HttpSettings): Record<string, string> {
  const secretName = Object.keys(headers).find(isSecretHeader);
  if (secretName !== undefined)
    throw new TargetError("settings", detail("uplink.header_secret", { name: secretName }));
  const all = { ...headers };
  if (token !== undefined)
    all[tokenHeader] = /^authorization$/i.test(tokenHeader) ? `Bearer ${token}` : token;
  const fixed: Record<string, string> = {};
  for (const [name, value] of Object.entries(all)) {
    const problem = headerProblem(name, value);
    if (problem !== undefined) throw new TargetError("settings", problem);
    fixed[name.toLowerCase()] = value;
  }
  return { ...fixed, "content-type": "application/x-ndjson", ...(gzip && { "content-encoding": "gzip" }) };
}

/**
 * Sends each batch as one POST of NDJSON, as `ndjson-encoder.ts` describes it.
 *
 * - `Idempotency-Key` is the id of the batch. A batch may be repeated with the same key and lines: a receiver that has stored it returns 2xx
 *   again.
 * - `X-Lineside-Signature` signs the sent bytes of the body, compressed or not, like that of a webhook.
 * - 2xx confirms that the receiver has stored the batch. 400, 413 and 422 refuse it permanently, 401 and 403 refuse the credentials, and
 *   after any other response the batch is repeated, not before the time in `Retry-After`.
 * - Several batches are in flight and may arrive in any order, unless the settings allow only one. Receivers must therefore store rows by
 *   their `ts`. A deletion is sent alone, after everything before it was confirmed.
 * - The test of the settings sends one line of the kind `test`, which a receiver must accept with 2xx and ignore.
 *
 * Deletions, attributes, alarms and devices are sent as lines, so nothing is omitted.
 */
export function createHttpTarget(settings: HttpSettings, context: TargetContext): Target {
  const headers = fixedHeaders(settings);
  const connection = new HttpConnection({ ...settings, context });
  const encoder = new NdjsonEncoder();

  async function post(id: string, lines: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<void> {
    const body = settings.gzip ? Bun.gzipSync(lines, { level: GZIP_LEVEL }) : lines;
    const { signingSecret } = settings;
    const response = await connection.request(
      {
        headers: {
          ...headers,
          "idempotency-key": id,
          ...(signingSecret !== undefined && {
            "x-lineside-signature": signatureOf(body, signingSecret, context.now()),
          }),
        },
        body,
      },
      signal,
    );
    if (isSuccess(response.status)) return;
    // Without the response body: users who may set a URL must not be able to read from it.
    const error = responseError(response.status);
    connection.pauseAfter(response, error);
    throw error;
  }

  return {
    inFlightMax: settings.requestsInFlight,
    get bytesSent() {
      return connection.bytesSent;
    },
    check(signal) {
      const line = `${JSON.stringify({ kind: "test", uplink: context.uplinkId, ts: context.now() })}\n`;
      return post(crypto.randomUUID(), new TextEncoder().encode(line), signal);
    },
    send: (batch: Batch, signal) => post(batch.id, encoder.encode(batch), signal),
    async close() {
      connection.close();
    },
  };
}
