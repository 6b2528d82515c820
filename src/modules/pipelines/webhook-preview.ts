import { isJsonObject } from "../../lib/json.ts";
import type { StepRequest } from "./step.types.ts";
import type { CompiledStep } from "./step-engine.ts";

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

/** What a person should know of the webhooks among the steps. */
export function webhookWarnings(
  steps: readonly CompiledStep[],
  refusalOf: (url: string) => string | undefined,
): string[] {
  return steps.flatMap(({ type, fields: { url, secret, headers } }, index) => {
    if (type !== "webhook_forward" || typeof url !== "string") return [];
    const where = `webhook_forward (step ${index + 1})`;
    const refusal = refusalOf(url);
    const hasSecrets =
      isJsonObject(headers) && Object.values(headers).some((value) => typeof value !== "string");
    const isPlain = url.toLowerCase().startsWith("http:");
    return [
      ...(refusal === undefined
        ? []
        : [`${where}: nothing would be sent to ${new URL(url).host}: ${refusal}`]),
      ...(isPlain
        ? [
            `${where}: http is not encrypted${hasSecrets ? "; its secret headers can be read on the way" : ""}`,
          ]
        : []),
      ...(secret === undefined
        ? [`${where}: without a secret the receiver cannot tell who sent a request`]
        : []),
    ];
  });
}
