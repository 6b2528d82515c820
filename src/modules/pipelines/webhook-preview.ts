import { detail } from "../../lib/domain-error.ts";
import { isJsonObject } from "../../lib/json.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { CompiledStep, StepRequest } from "./step.types.ts";

const KEPT = "(secret)";

/** A request as it would go out. */
export interface WebhookPreview {
  readonly url: string;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: unknown;
  readonly note: string;
}

export function previewWebhook({ target, body }: StepRequest): WebhookPreview {
  const { url, method, headers, secret } = target;
  const shown = Object.entries(headers).map(([name, value]) => [
    name,
    typeof value === "string" ? value : KEPT,
  ]);
  return {
    url,
    method,
    headers: {
      "Content-Type": "application/json",
      ...Object.fromEntries(shown),
      "X-Lineside-Delivery": "(an id, the same in each attempt)",
      ...(secret !== null && { "X-Lineside-Signature": "t=(seconds),v1=(signature)" }),
    },
    body: JSON.parse(body),
    note: "Nothing was sent.",
  };
}

/** Returns warnings about the webhooks among the steps. */
export function webhookWarnings(
  steps: readonly CompiledStep[],
  refusalOf: (url: string) => Text | undefined,
): Text[] {
  return steps.flatMap(({ type, fields: { url, secret, headers } }, index) => {
    if (type !== "webhook_forward" || typeof url !== "string") return [];
    const step = index + 1;
    const refusal = refusalOf(url);
    const hasSecrets =
      isJsonObject(headers) && Object.values(headers).some((value) => typeof value !== "string");
    const isPlain = url.toLowerCase().startsWith("http:");
    return [
      ...(refusal === undefined
        ? []
        : [detail("step_note.address_refused", { step, host: new URL(url).host, refusal })]),
      ...(isPlain
        ? [detail(hasSecrets ? "step_note.plain_http_secrets" : "step_note.plain_http", { step })]
        : []),
      ...(secret === undefined ? [detail("step_note.no_secret", { step })] : []),
    ];
  });
}
