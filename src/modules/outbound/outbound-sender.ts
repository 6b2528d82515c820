import { detail, unavailable } from "../../lib/core/domain-error.ts";
import type { TenantId } from "../../lib/core/ids.ts";
import { networkErrorText } from "../../lib/network/network-error.ts";
import { readRetryAfterMs, verdictOf } from "../../lib/network/retry-policy.ts";
import { signatureOf } from "../../lib/network/signature.ts";
import { excerpt } from "../../lib/strings/excerpt.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { Attempt } from "../../platform/delivery-queue/delivery-queue.ts";
import type { SealedBox } from "../../platform/secrets/sealed-box.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { HttpExchange } from "./http-exchange.ts";
import type { RequestRow, TargetRow } from "./outbound.repository.ts";
import type { OutboundResponse, OutboundTarget } from "./outbound.types.ts";

const RESPONSE_CHARACTERS_MAX = 200;
const ADDRESS_CHARACTERS_MAX = 200;

/** Returns the first printable characters of a response body. */
const excerptOf = (body: Buffer): string =>
  body
    .toString("utf8", 0, RESPONSE_CHARACTERS_MAX * 8)
    .replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S}]+/gu, " ")
    .trim()
    .slice(0, RESPONSE_CHARACTERS_MAX);

/** Returns the id sent with a request, unique among all gateways. */
export const deliveryIdOf = ({ targetId, seq }: Pick<RequestRow, "targetId" | "seq">): string =>
  `${targetId}.${seq}`;

type TargetResponse = Omit<OutboundResponse, "error">;
type SentAttempt = Attempt<TargetResponse> & { readonly response: TargetResponse };

export interface Outgoing {
  readonly tenantId: TenantId;
  readonly target: OutboundTarget;
  readonly deliveryId: string;
  readonly contentType: string;
  readonly body: string;
}

export const targetOf = ({
  url,
  urlSealed,
  method,
  headers,
  timeoutMs,
  secretSealed,
}: TargetRow): OutboundTarget => ({
  url,
  sealedUrl: urlSealed === null ? undefined : { sealed: urlSealed },
  method,
  headers,
  timeoutMs,
  secret: secretSealed === null ? null : { sealed: secretSealed },
});

interface Redirect {
  readonly location: string | undefined;
  readonly url: string;
  /** True if the URL is a secret, which a redirect to HTTPS repeats. */
  readonly isSecret: boolean;
}

/** Returns the target of a redirect without possible secrets; undefined if it has none. */
function redirectedTo({ location, url, isSecret }: Redirect): string | undefined {
  const target = location === undefined ? null : URL.parse(location, url);
  if (target === null || !/^https?:$/.test(target.protocol)) return undefined;
  return isSecret ? target.origin : `${target.origin}${target.pathname}`;
}

/**
 * Returns the reason why a request was not delivered, without the response body: users who may enter a URL must not read internal servers through
 * it. For a redirect, which is not followed, the target is named without its query.
 */
function refusalOf(status: number, redirect: Redirect): Text {
  const address = status >= 300 && status < 400 ? redirectedTo(redirect) : undefined;
  if (address === undefined) return detail("delivery_error.status", { status });
  return detail("delivery_error.redirect", { status, address: excerpt(address, ADDRESS_CHARACTERS_MAX) });
}

/** Creates the sender, which makes one attempt at a request: opens sealed values, signs, sends, classifies the response. */
export function createOutboundSender(deps: {
  exchange: HttpExchange;
  box: SealedBox;
  userAgent: string;
  clock: Clock;
}) {
  const { exchange, box, clock } = deps;

  function open(value: string | { readonly sealed: string }): string {
    if (typeof value === "string") return value;
    const text = box.open(value.sealed);
    // The encryption key was lost or replaced.
    if (text === undefined) throw unavailable("delivery_error.secret_unreadable");
    return text;
  }

  function headersOf({ target, deliveryId, contentType, body }: Outgoing): Map<string, string> {
    const headers = new Map([
      ["User-Agent", deps.userAgent],
      ["Content-Type", contentType],
    ]);
    for (const [name, value] of Object.entries(target.headers)) {
      for (const own of headers.keys()) if (own.toLowerCase() === name.toLowerCase()) headers.delete(own);
      headers.set(name, open(value));
    }
    headers.set("X-Lineside-Delivery", deliveryId);
    if (target.secret !== null)
      headers.set("X-Lineside-Signature", signatureOf(body, open(target.secret), clock.now()));
    return headers;
  }

  return {
    /** Makes one attempt. Never rejects. */
    async attempt(outgoing: Outgoing, signal: AbortSignal): Promise<SentAttempt> {
      const begun = clock.monotonic();
      const took = () => Math.round(clock.monotonic() - begun);
      try {
        const { sealedUrl, method, timeoutMs } = outgoing.target;
        const url = sealedUrl === undefined ? outgoing.target.url : open(sealedUrl);
        const { tenantId, body: content } = outgoing;
        const request = { tenantId, url, method, timeoutMs, headers: headersOf(outgoing), body: content };
        const { status, headers, body } = await exchange(request, signal);
        const verdict = verdictOf(status);
        const redirect = { url, location: headers.location, isSecret: sealedUrl !== undefined };
        const error = verdict === "delivered" ? null : refusalOf(status, redirect);
        const retryAfterMs = readRetryAfterMs(headers["retry-after"], clock.now());
        const response = { status, body: excerptOf(body), durationMs: took() };
        return { verdict, error, retryAfterMs, response };
      } catch (error) {
        return {
          // A name may resolve to another address later, and a setting can allow the address.
          verdict: { retry: "target" },
          error: networkErrorText(error),
          response: { status: null, body: "", durationMs: took() },
        };
      }
    },
  };
}

export type OutboundSender = ReturnType<typeof createOutboundSender>;
