import { isJsonObject } from "../../lib/json.ts";
import type { Reading } from "../telemetry/telemetry.types.ts";
import type { StepContext, StepMessage } from "./step.types.ts";
import { compileSteps, runSteps, toReading } from "./step-engine.ts";
import { previewWebhook, type WebhookPreview, webhookWarnings } from "./webhook-preview.ts";

export interface PreviewStep {
  /** Its place among those that take part. */
  readonly index: number;
  readonly step: string;
  readonly in: Record<string, unknown>;
  /** Null where the step dropped the message, or could not do its work. */
  readonly out: Record<string, unknown> | null;
  readonly error?: string;
}

export interface Preview {
  /** Null when a step drops the message. */
  readonly result: {
    ts: number;
    telemetry: Record<string, unknown>;
    attributes: Record<string, unknown>;
  } | null;
  readonly trace: PreviewStep[];
  readonly webhookPreviews: WebhookPreview[];
  readonly webhookWarnings: string[];
  readonly warnings: string[];
}

const plain = (values: ReadonlyMap<string, unknown>): Record<string, unknown> => Object.fromEntries(values);

const attributesOf = ({ attributes }: StepMessage) =>
  Object.fromEntries([...attributes].map(([scope, values]) => [scope, plain(values)]));

/** What steps do to one message, step by step; nothing is stored or sent. */
export function previewSteps(
  steps: unknown,
  reading: Reading,
  context: Partial<Record<"deviceId" | "tenantId" | "profileId", string>> & {
    attributes?: unknown;
    refusalOf: (url: string) => string | undefined;
  },
): Preview {
  const compiled = compileSteps(steps);
  const trace = new Map<number, PreviewStep>();
  const warnings: string[] = [];
  const webhookPreviews: WebhookPreview[] = [];
  const given = isJsonObject(context.attributes) ? context.attributes : {};
  const asContext: StepContext = {
    deviceId: context.deviceId ?? "",
    tenantId: context.tenantId ?? "",
    profileId: context.profileId ?? "",
    attribute(scope, key) {
      const of = Object.hasOwn(given, scope) ? given[scope] : undefined;
      return isJsonObject(of) && Object.hasOwn(of, key) ? of[key] : undefined;
    },
  };
  const message = runSteps(compiled, reading, {
    context: asContext,
    onOutgoing: (requests) => webhookPreviews.push(...requests.map(previewWebhook)),
    onStep(index, { in: before, out }) {
      const step = compiled[index]?.type ?? "";
      trace.set(index, {
        index,
        step,
        in: plain(before.values),
        out: out === undefined ? null : plain(out.values),
      });
    },
    onFailure({ index, message: error }) {
      const step = compiled[index]?.type ?? "";
      warnings.push(`${step} (step ${index + 1}) was left out: ${error}`);
      trace.set(index, { index, step, in: {}, out: null, error });
    },
  });
  if (message !== undefined && toReading(message) === undefined && message.attributes.size === 0)
    warnings.push("nothing is left of the message");
  return {
    result:
      message === undefined
        ? null
        : { ts: message.ts, telemetry: plain(message.values), attributes: attributesOf(message) },
    trace: [...trace.values()].sort((a, b) => a.index - b.index),
    webhookPreviews,
    webhookWarnings: webhookWarnings(compiled, context.refusalOf),
    warnings,
  };
}
