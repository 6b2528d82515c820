import { detail, inEnglish, invalid } from "../../lib/core/domain-error.ts";
import { isJsonObject } from "../../lib/json/json.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { Reading } from "../telemetry/telemetry.types.ts";
import type { CompiledStep, StepContext, StepMessage, StepRequest } from "./step.types.ts";
import { compileSteps, runSteps, toReading } from "./step-engine.ts";

const KEPT = "(secret)";

/** Request as it would be sent. */
interface WebhookPreview {
  readonly url: string;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: unknown;
  readonly note: string;
}

function previewWebhook({ target, body }: StepRequest): WebhookPreview {
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
function webhookWarnings(
  steps: readonly CompiledStep[],
  refusalOf: (url: string) => Text | undefined,
): Text[] {
  return steps.flatMap(({ type, fields: { url, sealedUrl, secret, headers } }, index) => {
    if (type !== "webhook_forward" || typeof url !== "string") return [];
    const step = index + 1;
    const refusal = refusalOf(url);
    const hasSecrets =
      sealedUrl !== undefined ||
      (isJsonObject(headers) && Object.values(headers).some((value) => typeof value !== "string"));
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

export interface PreviewStep {
  /** Position among the enabled steps. */
  readonly index: number;
  readonly step: string;
  readonly in: Record<string, unknown>;
  /** `null` if the step dropped the message or failed. */
  readonly out: Record<string, unknown> | null;
  readonly error?: string;
  /** `error` as code and parameters. */
  readonly errorText?: Text;
}

export interface Preview {
  /** `null` if a step drops the message. */
  readonly result: {
    ts: number;
    telemetry: Record<string, unknown>;
    attributes: Record<string, unknown>;
  } | null;
  readonly trace: PreviewStep[];
  readonly webhookPreviews: WebhookPreview[];
  readonly webhookWarnings: string[];
  readonly webhookWarningTexts: Text[];
  readonly warnings: string[];
  readonly warningTexts: Text[];
}

const plain = (values: ReadonlyMap<string, unknown>): Record<string, unknown> => Object.fromEntries(values);

/** Max. characters of the messages shown by one preview, before and after each step. */
const SHOWN_CHARACTERS_MAX = 1024 * 1024;
const NOT_SHOWN = detail("step_note.not_shown", { max: SHOWN_CHARACTERS_MAX });

/** Returns the approximate characters of the values as JSON. */
function sizeOf(values: ReadonlyMap<string, unknown>): number {
  let size = 0;
  for (const [key, value] of values)
    size += key.length + (typeof value === "string" ? value.length : JSON.stringify(value).length);
  return size;
}

const attributesOf = ({ attributes }: StepMessage) =>
  Object.fromEntries([...attributes].map(([scope, values]) => [scope, plain(values)]));

/** Runs steps on one message and returns the effect of each; nothing is stored or sent. */
export function previewSteps(
  steps: unknown,
  reading: Reading,
  context: Partial<Record<"deviceId" | "tenantId" | "profileId", string>> & {
    attributes?: unknown;
    refusalOf: (url: string) => Text | undefined;
  },
): Preview {
  const compiled = compileSteps(steps);
  const trace = new Map<number, PreviewStep>();
  const warnings: Text[] = [];
  const webhookPreviews: WebhookPreview[] = [];
  let shown = 0;
  const input = isJsonObject(context.attributes) ? context.attributes : {};
  const asContext: StepContext = {
    deviceId: context.deviceId ?? "",
    tenantId: context.tenantId ?? "",
    profileId: context.profileId ?? "",
    attribute(scope, key) {
      const of = Object.hasOwn(input, scope) ? input[scope] : undefined;
      return isJsonObject(of) && Object.hasOwn(of, key) ? of[key] : undefined;
    },
  };
  const message = runSteps(compiled, reading, {
    context: asContext,
    onOutgoing: ({ outgoing = [] }) => webhookPreviews.push(...outgoing.map(previewWebhook)),
    onStep(index, { in: before, out }) {
      const step = compiled[index]?.type ?? "";
      shown += sizeOf(before.values) + (out === undefined ? 0 : sizeOf(out.values));
      const show = ({ values }: StepMessage) => (shown > SHOWN_CHARACTERS_MAX ? {} : plain(values));
      trace.set(index, { index, step, in: show(before), out: out === undefined ? null : show(out) });
    },
    onFailure({ index, reason }) {
      const step = compiled[index]?.type ?? "";
      warnings.push(detail("step_note.skipped", { step: index + 1, reason }));
      trace.set(index, { index, step, in: {}, out: null, error: inEnglish(reason), errorText: reason });
    },
  });
  if (shown > SHOWN_CHARACTERS_MAX) warnings.push(NOT_SHOWN);
  if (message !== undefined && sizeOf(message.values) > SHOWN_CHARACTERS_MAX)
    throw invalid("preview.too_large", { max: SHOWN_CHARACTERS_MAX });
  if (message !== undefined && toReading(message) === undefined && message.attributes.size === 0)
    warnings.push(detail("step_note.nothing_left"));
  const ofWebhooks = webhookWarnings(compiled, context.refusalOf);
  return {
    result:
      message === undefined
        ? null
        : { ts: message.ts, telemetry: plain(message.values), attributes: attributesOf(message) },
    trace: [...trace.values()].sort((a, b) => a.index - b.index),
    webhookPreviews,
    webhookWarnings: ofWebhooks.map(inEnglish),
    webhookWarningTexts: ofWebhooks,
    warnings: warnings.map(inEnglish),
    warningTexts: warnings,
  };
}
