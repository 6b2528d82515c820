import { DomainError, detail, invalid, toText } from "../../../lib/core/domain-error.ts";
import { omit } from "../../../lib/core/omit.ts";
import type { BodyEncoding } from "../../../lib/json/body.ts";
import { depthOf } from "../../../lib/json/json-depth.ts";
import type { Text } from "../../../lib/texts/text.ts";
import type { SealedBox } from "../../../platform/secrets/sealed-box.ts";
import type { Clock } from "../../../platform/time/clock.ts";
import type { IngestService } from "../../ingest/ingest.service.ts";
import { ScriptFailure } from "../../script-sandbox/script-sandbox.errors.ts";
import type { ScriptResult } from "../../script-sandbox/script-sandbox.types.ts";
import type { Reading } from "../../telemetry/telemetry.types.ts";
import { compileTopicDevice } from "../bridge/topic-device.ts";
import type { Integration } from "../integrations.resource.ts";
import type { InboundMessage, IntegrationType, NormalizedMessage, Stage } from "../integrations.types.ts";
import type { DeviceResolution } from "./device-resolution.ts";
import { createLive, type LiveIntegration } from "./live-integration.ts";
import { newWork } from "./message-outcome.ts";
import { inStage, type MessagePart, StageFailure } from "./message-parts.ts";
import { MessageWorker, type MessageWorkerDeps } from "./message-worker.ts";

export interface PreviewRequest {
  /** Integration whose settings and steps apply if the request has none. */
  readonly integrationId?: string | undefined;
  readonly type: IntegrationType;
  readonly settings_json?: unknown;
  readonly mappingSteps?: unknown;
  /** Body as JSON; an alternative to the next two fields. */
  readonly payload?: unknown;
  readonly payloadText?: string | undefined;
  readonly payloadBase64?: string | undefined;
  readonly encoding?: BodyEncoding | undefined;
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

/** Result of a message without side effects: nothing is stored, created or sent. */
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
  /** `line`: line of a script's source. */
  readonly errors: ReadonlyArray<{ stage: Stage; text: Text; line: number | null }>;
  readonly warnings: readonly Text[];
}

/** Depth limit of JSON, because the preview recurses through the values that it shows. */
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

/** Returns the device's name as the bridge finds it in the topic. */
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

interface PreviewDeps extends Pick<MessageWorkerDeps, "runScript" | "decodeFrame"> {
  readonly integration: Pick<
    Integration,
    "integrationId" | "tenantId" | "name" | "type" | "settings" | "secrets" | "mappingSteps"
  >;
  readonly box: SealedBox;
  readonly isMapped: boolean;
  readonly resolution: Pick<DeviceResolution, "preview">;
  readonly toReadings: IngestService["toReadings"];
  readonly clock: Clock;
}

/** Returns the result of a message, step by step. */
export async function previewMessage(
  request: PreviewRequest,
  deps: PreviewDeps,
): Promise<IntegrationPreview> {
  // Only the fields that are present are read to make the integration ready.
  const live = createLive({ box: deps.box, isMapped: deps.isMapped }, deps.integration as Integration);
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
  return new MessagePreview(deps, live, source).run();
}

/** Records the stages of one message in the worker. Stores nothing. */
class MessagePreview {
  readonly #deps: PreviewDeps;
  readonly #live: LiveIntegration;
  readonly #source: InboundMessage;
  readonly #shown: Mutable<IntegrationPreview> = {
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

  constructor(deps: PreviewDeps, live: LiveIntegration, source: InboundMessage) {
    this.#deps = deps;
    this.#live = live;
    this.#source = source;
  }

  async run(): Promise<IntegrationPreview> {
    const shown = this.#shown;
    try {
      const {
        messages,
        notes = [],
        ignored,
        dedupKey,
      } = inStage("adapter", () => this.#live.adapter.normalize(this.#source));
      shown.ignored = ignored ?? null;
      shown.dedupKey = dedupKey ?? null;
      shown.warnings.push(...notes);
      shown.normalized.push(...messages.map(showMessage));
      const worker = this.#createWorker();
      for (const message of messages) await this.#work(worker, message).catch((error) => this.#fail(error));
    } catch (error) {
      this.#fail(error);
    }
    return { ...shown, success: shown.errors.length === 0 };
  }

  #createWorker(): MessageWorker {
    const { decodeFrame, runScript } = this.#deps;
    return new MessageWorker({
      decodeFrame: (...frame) =>
        decodeFrame(...frame)?.then((decoded) => {
          this.#showRun(decoded.scripted, detail("integration_note.dropped_by_codec"));
          return decoded;
        }),
      runScript: async (run) => {
        const scripted = await runScript(run);
        this.#showRun(scripted, detail("integration_event.dropped_by_script"));
        return scripted;
      },
      onDownlink: () => undefined,
      store: (part) => this.#show(part),
    });
  }

  async #work(worker: MessageWorker, message: NormalizedMessage): Promise<void> {
    const { steps } = this.#live;
    const { trace, warnings } = this.#shown;
    const work = newWork();
    await worker.workThrough([message], {
      live: this.#live,
      source: this.#source,
      work,
      watcher: {
        onFailure: (note) => void warnings.push(note),
        onStep: (index, { in: before, out }) =>
          void trace.push({
            step: steps[index]?.type ?? "",
            in: Object.fromEntries(before.values),
            out: out === undefined ? null : Object.fromEntries(out.values),
          }),
      },
    });
    if (work.dropped === "mapping") warnings.push(detail("integration_event.dropped_by_mapping"));
    for (const failure of work.failures) this.#fail(failure);
  }

  #showRun({ value, console, usedMs, warnings }: ScriptResult, ifDropped: Text): void {
    this.#shown.scripts.push({ value: value ?? null, console, usedMs, warnings });
    if (value === undefined) this.#shown.warnings.push(ifDropped);
  }

  #show(part: MessagePart): void {
    if (part.body === undefined && part.attributes.size === 0) return;
    const { integration, resolution, toReadings } = this.#deps;
    const device = inStage("resolution", () =>
      resolution.preview(integration, this.#live.settings, part.device),
    );
    const note = (reason: Text) => void this.#shown.warnings.push(toText(reason));
    const readings = inStage("ingest", () => (part.body === undefined ? [] : toReadings(part.body, note)));
    const reference = omit(part.device, "deviceToken", "route", "creation", "isAnnounced");
    this.#shown.results.push({
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

  #fail(error: unknown): void {
    const { foundIn: stage, reason } =
      error instanceof StageFailure ? error : { foundIn: "script" as const, reason: error };
    if (!(reason instanceof DomainError)) throw error;
    const isOfScript = reason instanceof ScriptFailure;
    if (isOfScript) {
      const { console, usedMs } = reason;
      this.#shown.scripts.push({ value: null, console, usedMs, warnings: [] });
    }
    const line = isOfScript ? (reason.line ?? null) : null;
    this.#shown.errors.push({ stage, text: toText(reason), line });
  }
}
