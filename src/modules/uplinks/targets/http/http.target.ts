import { detail } from "../../../../lib/core/domain-error.ts";
import { headerProblem, isSecretHeader } from "../../../../lib/network/outbound-request.ts";
import { signatureOf } from "../../../../lib/network/signature.ts";
import { TargetError } from "../../target.errors.ts";
import type { Batch, Target, TargetContext } from "../../target.types.ts";
import { answerError, isTaken } from "../http-answer.ts";
import { HttpConnection } from "../http-connection.ts";
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
 * - `Idempotency-Key` is the id of the batch. A batch may come again, with the same key and the same lines: a receiver that has stored it
 *   answers 2xx again.
 * - `X-Lineside-Signature` signs the bytes of the body as they are sent, compressed or not, like that of a webhook.
 * - 2xx confirms the batch: the receiver has stored it. 400, 413 and 422 refuse it for good, 401 and 403 refuse the credentials, and after
 *   any other answer the batch comes again, not before the time in `Retry-After`.
 * - Several batches are in flight and may arrive in any order, unless the settings allow only one. Rows of one series are therefore to be
 *   stored by their `ts`. A deletion comes alone, after everything before it was confirmed.
 * - The test of the settings sends one line of the kind `test`, which a receiver answers with 2xx and passes over.
 *
 * Deletions, attributes, alarms and devices are lines too, so nothing is left out.
 */
export function createHttpTarget(settings: HttpSettings, context: TargetContext): Target {
  const headers = fixedHeaders(settings);
  const connection = new HttpConnection({ ...settings, context });
  const encoder = new NdjsonEncoder();

  async function post(id: string, lines: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<void> {
    const body = settings.gzip ? Bun.gzipSync(lines, { level: GZIP_LEVEL }) : lines;
    const { signingSecret } = settings;
    const answer = await connection.request(
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
    if (isTaken(answer.status)) return;
    // Without what it said: whoever may name an address must not read by it what answers there.
    const error = answerError(answer.status);
    connection.pauseAfter(answer, error);
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
