import { DomainError, detail, invalid, textOf } from "../../lib/domain-error.ts";
import { depthOf } from "../../lib/json-depth.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { Clock } from "../../platform/clock.ts";
import type { SealedBox } from "../../platform/sealed-box.ts";
import { runSteps } from "../pipelines/step-engine.ts";
import { ScriptFailure } from "../script-sandbox/script-sandbox.errors.ts";
import type { ScriptResult } from "../script-sandbox/script-sandbox.types.ts";
import type { Reading } from "../telemetry/telemetry.types.ts";
import { compileTopicDevice } from "./bridge/topic-device.ts";
import type {
  InboundMessage,
  Integration,
  IntegrationType,
  NormalizedMessage,
  Stage,
} from "./integrations.types.ts";
import { createLive, type LiveIntegration } from "./live-integration.ts";
import {
  inStage,
  type Mapped,
  type MessagePart,
  mapMessage,
  partsOf,
  StageFailure,
  scriptRunOf,
} from "./message-parts.ts";
import type { MessageWorkerDeps } from "./message-worker.ts";

export interface PreviewRequest {
  /** Integration whose settings and steps apply where the request has none. */
  readonly integrationId?: string | undefined;
  readonly type: IntegrationType;
  readonly settings_json?: unknown;
  readonly mappingSteps?: unknown;
  /** The body as JSON; or one of the next two. */
  readonly payload?: unknown;
  readonly payloadText?: string | undefined;
  readonly payloadBase64?: string | undefined;
  readonly encoding?: "JSON" | "CBOR" | "AUTO" | undefined;
  readonly topic?: string | undefined;
  readonly topicDevice?: string | undefined;
  readonly event?: string | undefined;
}

interface PreviewedDevice {
  readonly deviceId: string | null;
  readonly name: string | null;
  /** True if the device would be created. */
  readonly isNew: boolean;
  readonly reference: Readonly<Record<string, string>>;
}

/** Describes what would become of a message; nothing is stored, made or sent. */
export interface IntegrationPreview {
  readonly success: boolean;
  readonly ignored: Text | null;
  readonly dedupKey: string | null;
  readonly normalized: ReadonlyArray<Record<string, unknown>>;
  readonly trace: ReadonlyArray<{
    step: string;
    in: Record<string, unknown>;
    out: Record<string, unknown> | null;
  }>;
  readonly scripts: ReadonlyArray<Pick<ScriptResult, "console" | "usedMs" | "warnings"> & { value: unknown }>;
  readonly results: ReadonlyArray<{
    device: PreviewedDevice;
    readings: readonly Reading[];
    attributes: Record<string, Record<string, unknown>>;
  }>;
  /** `line`: of a script's source. */
  readonly errors: ReadonlyArray<{ stage: Stage; text: Text; line: number | null }>;
  readonly warnings: readonly Text[];
}

/** Depth limit of JSON. The preview walks through the values that it shows. */
const DEPTH_MAX = 128;

type Mutable<T> = { -readonly [K in keyof T]: T[K] extends ReadonlyArray<infer Item> ? Item[] : T[K] };

function bytesOf(request: PreviewRequest): Uint8Array {
  const bytes = givenBytes(request);
  // Of CBOR it is checked where it is read.
  const isJson = request.encoding !== "CBOR" && (bytes[0] === 0x7b || bytes[0] === 0x5b);
  if (isJson && depthOf(Buffer.from(bytes).toString("latin1")) > DEPTH_MAX)
    throw invalid("integration.payload_too_deep");
  return bytes;
}

/** Size limit of a preview, equal to that of a webhook. */
const PAYLOAD_BYTES_MAX = 256 * 1024;

function givenBytes({ payload, payloadText, payloadBase64 }: PreviewRequest): Uint8Array {
  if (payloadBase64 !== undefined) {
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(payloadBase64)) throw invalid("integration.payload_invalid");
    return Buffer.from(payloadBase64, "base64");
  }
  if (payloadText !== undefined) return Buffer.from(payloadText);
  if (payload === undefined) throw invalid("integration.payload_missing");
  const bytes = Buffer.from(JSON.stringify(payload));
  if (bytes.byteLength > PAYLOAD_BYTES_MAX)
    throw invalid("integration.payload_too_large", { max: PAYLOAD_BYTES_MAX / 1024 });
  return bytes;
}

const unscripted = { console: [], line: undefined, usedMs: 0 };

/** Name of the device, as the bridge finds it in the topic. */
async function deviceOf(
  topic: string | undefined,
  { settings }: LiveIntegration,
): Promise<string | undefined> {
  if (topic === undefined || settings.mqtt === undefined) return undefined;
  return (await compileTopicDevice(settings.mqtt))(topic);
}

function showMessage({ frame, ...message }: NormalizedMessage): Record<string, unknown> {
  return {
    ...message,
    ...(frame && { frame: { hex: Buffer.from(frame.bytes).toString("hex"), fPort: frame.fPort } }),
  };
}

export async function previewMessage(
  request: PreviewRequest,
  deps: {
    readonly integration: Pick<
      Integration,
      "integrationId" | "tenantId" | "name" | "type" | "settings" | "secrets" | "mappingSteps"
    >;
    readonly box: SealedBox;
    readonly isMapped: boolean;
    readonly resolution: MessageWorkerDeps["resolution"];
    readonly runScript: MessageWorkerDeps["runScript"];
    readonly decodeFrame: MessageWorkerDeps["decodeFrame"];
    readonly toReadings: MessageWorkerDeps["ingest"]["toReadings"];
    readonly clock: Clock;
  },
): Promise<IntegrationPreview> {
  const shown: Mutable<IntegrationPreview> = {
    success: true,
    ignored: null,
    dedupKey: null,
    normalized: [],
    trace: [],
    scripts: [],
    results: [],
    errors: [],
    warnings: [],
  };
  // Only what making it ready looks at.
  const live = createLive(deps.box, deps.integration as Integration, deps.isMapped);
  const { encoding = "AUTO", topic, event } = request;
  const topicDevice = request.topicDevice ?? (await deviceOf(topic, live));
  const source: InboundMessage = {
    bytes: bytesOf(request),
    encoding,
    receivedAt: deps.clock.now(),
    ...(topic !== undefined && { topic }),
    ...(topicDevice !== undefined && { topicDevice }),
    ...(event !== undefined && { event }),
  };

  function fail(error: unknown): void {
    const stage = error instanceof StageFailure ? error.stage : "script";
    const reason = error instanceof StageFailure ? error.reason : error;
    if (!(reason instanceof DomainError)) throw error;
    const { console, line, usedMs } = reason instanceof ScriptFailure ? reason : unscripted;
    if (reason instanceof ScriptFailure) showRun({ value: undefined, console, usedMs, warnings: [] });
    shown.errors.push({ stage, text: textOf(reason), line: line ?? null });
  }

  function trace(message: NormalizedMessage): Mapped | undefined {
    const onFailure = (note: Text) => void shown.warnings.push(note);
    const { tenantId } = deps.integration;
    const mapped = mapMessage(live.steps, { message, receivedAt: source.receivedAt, tenantId, onFailure });
    if (live.steps.length === 0) return mapped;
    const start = mapMessage([], { message, receivedAt: source.receivedAt, tenantId, onFailure });
    if (start !== undefined)
      runSteps(live.steps, start, {
        context: { deviceId: "", tenantId, profileId: "", attribute: () => undefined },
        onFailure: () => undefined,
        onStep: (index, { in: before, out }) =>
          void shown.trace.push({
            step: live.steps[index]?.type ?? "",
            in: Object.fromEntries(before.values),
            out: out === undefined ? null : Object.fromEntries(out.values),
          }),
      });
    return mapped;
  }

  function show(part: MessagePart, liveIntegration: LiveIntegration): void {
    const device = inStage("resolution", () =>
      deps.resolution.preview(deps.integration, liveIntegration.settings, part.device),
    );
    const readings = inStage("ingest", () => (part.body === undefined ? [] : deps.toReadings(part.body)));
    const { deviceToken: _, route: __, ...reference } = part.device;
    shown.results.push({
      device: {
        deviceId: device?.deviceId ?? null,
        name: device?.name ?? part.device.name ?? null,
        isNew: device === undefined,
        reference,
      },
      readings,
      attributes: Object.fromEntries(
        [...part.attributes].map(([scope, of]) => [scope, Object.fromEntries(of)]),
      ),
    });
  }

  const named = (normalizedMessage: NormalizedMessage): NormalizedMessage => {
    const { deviceToken, devEui, externalId } = normalizedMessage.device;
    const isNamed = (deviceToken ?? devEui ?? externalId) !== undefined;
    return isNamed || topicDevice === undefined
      ? normalizedMessage
      : { ...normalizedMessage, device: { ...normalizedMessage.device, externalId: topicDevice } };
  };

  async function runScript(message: NormalizedMessage, mapped: Mapped): Promise<ScriptResult | undefined> {
    if (live.script === undefined || message.kind !== "uplink") return undefined;
    const run = scriptRunOf(live.integration, live.script, { mapped, message, source });
    const scripted = await deps.runScript(run);
    showRun(scripted);
    return scripted;
  }

  function showRun({ value = null, console, usedMs, warnings }: ScriptResult): void {
    shown.scripts.push({ value, console, usedMs, warnings });
  }

  /** Returns `undefined` if the codec lets the message go. */
  async function decode(message: NormalizedMessage): Promise<NormalizedMessage | undefined> {
    const decoded = await deps.decodeFrame(message, live, source.receivedAt);
    if (decoded === undefined) return message;
    showRun(decoded.scripted);
    if (decoded.scripted.value !== undefined) return decoded.message;
    shown.warnings.push(detail("integration_note.dropped_by_codec"));
    return undefined;
  }

  async function work(normalizedMessage: NormalizedMessage): Promise<void> {
    const message = await decode(named(normalizedMessage));
    if (message !== undefined) await mapAndShow(message);
  }

  async function mapAndShow(message: NormalizedMessage): Promise<void> {
    const mapped = inStage("mapping", () => trace(message));
    if (mapped === undefined) {
      shown.warnings.push(detail("integration_event.dropped_by_mapping"));
      return;
    }
    const scripted = await runScript(message, mapped);
    if (scripted !== undefined && scripted.value === undefined) {
      shown.warnings.push(detail("integration_event.dropped_by_script"));
      return;
    }
    for (const part of inStage("script", () => partsOf(message, live.settings, { mapped, scripted })))
      if (part.body !== undefined || part.attributes.size > 0)
        try {
          show(part, live);
        } catch (error) {
          fail(error);
        }
  }

  try {
    const { messages, ignored, dedupKey } = inStage("adapter", () => live.adapter.normalize(source));
    shown.ignored = ignored ?? null;
    shown.dedupKey = dedupKey ?? null;
    shown.normalized.push(...messages.map(showMessage));
    for (const message of messages) await work(message).catch(fail);
  } catch (error) {
    fail(error);
  }
  return { ...shown, success: shown.errors.length === 0 };
}
