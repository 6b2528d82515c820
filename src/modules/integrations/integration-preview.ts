import type { BodyEncoding } from "../../lib/body.ts";
import { DomainError, detail, invalid, textOf } from "../../lib/domain-error.ts";
import { depthOf } from "../../lib/json-depth.ts";
import { omit } from "../../lib/omit.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { Clock } from "../../platform/clock.ts";
import type { SealedBox } from "../../platform/sealed-box.ts";
import { runSteps } from "../pipelines/step-engine.ts";
import { ScriptFailure } from "../script-sandbox/script-sandbox.errors.ts";
import type { ScriptResult } from "../script-sandbox/script-sandbox.types.ts";
import type { Reading } from "../telemetry/telemetry.types.ts";
import { compileTopicDevice } from "./bridge/topic-device.ts";
import type { Integration } from "./integrations.resource.ts";
import type { InboundMessage, IntegrationType, NormalizedMessage, Stage } from "./integrations.types.ts";
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

/** Result that a message would have; nothing is stored, made or sent. */
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

interface PreviewDeps {
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
}

/** Returns the result that a message would have, step by step. */
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

/** Takes one message through the stages of an integration and notes what happens in each. */
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
      for (const message of messages) await this.#work(message).catch((error) => this.#fail(error));
    } catch (error) {
      this.#fail(error);
    }
    return { ...shown, success: shown.errors.length === 0 };
  }

  async #work(normalizedMessage: NormalizedMessage): Promise<void> {
    const message = await this.#decode(this.#named(normalizedMessage));
    if (message !== undefined) await this.#mapAndShow(message);
  }

  /** Names the device by the topic if the message does not name it. */
  #named(message: NormalizedMessage): NormalizedMessage {
    const { topicDevice } = this.#source;
    const { deviceToken, devEui, externalId } = message.device;
    const isNamed = (deviceToken ?? devEui ?? externalId) !== undefined;
    return isNamed || topicDevice === undefined
      ? message
      : { ...message, device: { ...message.device, externalId: topicDevice } };
  }

  /** Returns `undefined` if the codec drops the message. */
  async #decode(message: NormalizedMessage): Promise<NormalizedMessage | undefined> {
    const decoded = await this.#deps.decodeFrame(message, this.#live, this.#source.receivedAt);
    if (decoded === undefined) return message;
    this.#showRun(decoded.scripted);
    if (decoded.scripted.value !== undefined) return decoded.message;
    this.#shown.warnings.push(detail("integration_note.dropped_by_codec"));
    return undefined;
  }

  async #mapAndShow(message: NormalizedMessage): Promise<void> {
    const mapped = inStage("mapping", () => this.#trace(message));
    if (mapped === undefined) {
      this.#shown.warnings.push(detail("integration_event.dropped_by_mapping"));
      return;
    }
    const scripted = await this.#runScript(message, mapped);
    if (scripted !== undefined && scripted.value === undefined) {
      this.#shown.warnings.push(detail("integration_event.dropped_by_script"));
      return;
    }
    const parts = inStage("script", () => partsOf(message, this.#live.settings, { mapped, scripted }));
    for (const part of parts)
      if (part.body !== undefined || part.attributes.size > 0)
        try {
          this.#show(part);
        } catch (error) {
          this.#fail(error);
        }
  }

  /** Runs the mapping steps and notes the input and output of each. */
  #trace(message: NormalizedMessage): Mapped | undefined {
    const { steps } = this.#live;
    const { tenantId } = this.#deps.integration;
    const onFailure = (note: Text) => void this.#shown.warnings.push(note);
    const input = { message, receivedAt: this.#source.receivedAt, tenantId, onFailure };
    const mapped = mapMessage(steps, input);
    const start = steps.length === 0 ? undefined : mapMessage([], input);
    if (start !== undefined)
      runSteps(steps, start, {
        context: { deviceId: "", tenantId, profileId: "", attribute: () => undefined },
        onFailure: () => undefined,
        onStep: (index, { in: before, out }) =>
          void this.#shown.trace.push({
            step: steps[index]?.type ?? "",
            in: Object.fromEntries(before.values),
            out: out === undefined ? null : Object.fromEntries(out.values),
          }),
      });
    return mapped;
  }

  async #runScript(message: NormalizedMessage, mapped: Mapped): Promise<ScriptResult | undefined> {
    const { script, integration } = this.#live;
    if (script === undefined || message.kind !== "uplink") return undefined;
    const run = scriptRunOf(integration, script, { mapped, message, source: this.#source });
    const scripted = await this.#deps.runScript(run);
    this.#showRun(scripted);
    return scripted;
  }

  #showRun({ value = null, console, usedMs, warnings }: ScriptResult): void {
    this.#shown.scripts.push({ value, console, usedMs, warnings });
  }

  #show(part: MessagePart): void {
    const { integration, resolution, toReadings } = this.#deps;
    const device = inStage("resolution", () =>
      resolution.preview(integration, this.#live.settings, part.device),
    );
    const note = (reason: Text) => void this.#shown.warnings.push(textOf(reason));
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
    const stage = error instanceof StageFailure ? error.stage : "script";
    const reason = error instanceof StageFailure ? error.reason : error;
    if (!(reason instanceof DomainError)) throw error;
    const { console, line, usedMs } = reason instanceof ScriptFailure ? reason : unscripted;
    if (reason instanceof ScriptFailure) this.#showRun({ value: undefined, console, usedMs, warnings: [] });
    this.#shown.errors.push({ stage, text: textOf(reason), line: line ?? null });
  }
}
