import { DomainError, detail } from "../../lib/domain-error.ts";
import type { TenantId } from "../../lib/ids.ts";
import type { JsonValue } from "../../lib/json.ts";
import { toPlainJson } from "../../lib/plain-json.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { AttributeScope } from "../attributes/attributes.types.ts";
import type { CompiledStep } from "../pipelines/step.types.ts";
import { runSteps } from "../pipelines/step-engine.ts";
import type { ScriptResult, ScriptRun } from "../script-sandbox/script-sandbox.types.ts";
import type { Reading, TelemetryValue } from "../telemetry/telemetry.types.ts";
import type { Integration } from "./integrations.resource.ts";
import type {
  DeviceReference,
  InboundMessage,
  IntegrationSettings,
  NormalizedMessage,
  Stage,
} from "./integrations.types.ts";
import { parseScriptOutput } from "./script-output.ts";

export const RADIO_PREFIX_DEFAULT = "radio_";

/** Failure of a message, with its stage and reason. */
export class StageFailure extends Error {
  constructor(
    readonly stage: Stage,
    readonly reason: DomainError,
  ) {
    super(reason.message);
  }
}

/** Runs work and throws its error as a failure of the stage; an error that is nobody's mistake is thrown unchanged. */
export function inStage<Result>(stage: Stage, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw asStageFailure(stage, error);
  }
}

/** Own stage that made the values of a message, if any did: then an error in them is not the sender's mistake. */
export type Maker = Extract<Stage, "mapping" | "script">;

/** Returns a failure at the place that made the values. Limits are nobody's mistake. */
export const ofMaker = (failure: StageFailure, maker: Maker | undefined): StageFailure =>
  maker !== undefined &&
  (failure.stage === "adapter" || failure.stage === "ingest") &&
  (failure.reason.kind === "invalid" || failure.reason.kind === "too_large")
    ? new StageFailure(maker, failure.reason)
    : failure;

export const asStageFailure = (stage: Stage, error: unknown): unknown =>
  error instanceof DomainError && error.kind !== "unavailable" && error.kind !== "limited"
    ? new StageFailure(stage, error)
    : error;

/** Data of one device in a message, before it is known to which of our devices it belongs. */
export interface MessagePart {
  readonly device: DeviceReference;
  /** A body as devices send it; undefined where there are no values. */
  readonly body: Record<string, unknown> | undefined;
  /** Keyed by scope. */
  readonly attributes: ReadonlyMap<AttributeScope, ReadonlyMap<string, JsonValue>>;
  readonly keys?: NormalizedMessage["keys"];
}

/** Result of the mapping steps for a message. */
export interface Mapped {
  readonly ts: number;
  readonly values: Record<string, TelemetryValue>;
  readonly attributes: ReadonlyMap<AttributeScope, ReadonlyMap<string, JsonValue>>;
}

type Attributes = Map<AttributeScope, Map<string, JsonValue>>;

function telemetryOf(telemetry: Readonly<Record<string, unknown>>): Record<string, TelemetryValue> {
  const values: Record<string, TelemetryValue> = Object.create(null);
  for (const key of Object.keys(telemetry)) {
    const json = toPlainJson(telemetry[key], "telemetry");
    if (json !== null) values[key] = json;
  }
  return values;
}

const nothingMapped: Mapped["attributes"] = new Map();

/** Returns `undefined` if a step drops the message. */
export function mapMessage(
  steps: readonly CompiledStep[],
  input: {
    message: NormalizedMessage;
    receivedAt: number;
    tenantId: TenantId;
    /** Receives why a step was skipped. */
    onFailure: (note: Text) => void;
  },
): Mapped | undefined {
  const { message, receivedAt, tenantId } = input;
  // What cannot be a value is the sender's mistake, and none of the mapping's.
  const sent = inStage("adapter", () => telemetryOf(message.telemetry));
  const reading: Reading = { ts: message.ts ?? receivedAt, values: sent };
  if (steps.length === 0) return { ts: reading.ts, values: sent, attributes: nothingMapped };
  // Which device it is, is not known yet: steps see no attributes.
  const context = { deviceId: "", tenantId, profileId: "", attribute: () => undefined };
  const mapped = runSteps(steps, reading, {
    context,
    onFailure: ({ index, reason }) =>
      input.onFailure(detail("step_note.skipped", { step: index + 1, reason })),
  });
  if (mapped === undefined) return undefined;
  const values: Record<string, TelemetryValue> = Object.create(null);
  for (const [key, value] of mapped.values) values[key] = value;
  return { ts: mapped.ts, values, attributes: mapped.attributes };
}

/** Returns the metadata that a script gets in addition to the mapped values. */
export function metadataOf(
  integration: Pick<Integration, "integrationId" | "name" | "type">,
  { message, source, ts }: { message: NormalizedMessage; source: InboundMessage; ts: number },
): JsonValue {
  const { deviceToken: _, route: __, creation: ___, isAnnounced: ____, ...device } = message.device;
  const { integrationId, name, type } = integration;
  return {
    integrationId,
    integrationName: name,
    integrationType: type,
    kind: message.kind,
    ts,
    receivedAt: source.receivedAt,
    device: { ...device },
    ...(source.topic !== undefined && { topic: source.topic }),
    ...(message.radio !== undefined && { radio: { ...message.radio } }),
    ...(message.frame !== undefined && { fPort: message.frame.fPort, bytes: [...message.frame.bytes] }),
  };
}

export function scriptRunOf(
  integration: Integration,
  script: string,
  { mapped, ...fields }: { mapped: Mapped; message: NormalizedMessage; source: InboundMessage },
): ScriptRun {
  const { frame } = fields.message;
  return {
    source: script,
    tenantId: integration.tenantId,
    key: integration.integrationId,
    message: { ...mapped.values },
    metadata: metadataOf(integration, { ...fields, ts: mapped.ts }),
    ...(frame !== undefined && { frame: { ...frame, recvTime: mapped.ts } }),
  };
}

function merged(
  own: ReadonlyMap<AttributeScope, ReadonlyMap<string, JsonValue>>,
  client: Record<string, unknown> | undefined,
): MessagePart["attributes"] {
  if (client === undefined) return own;
  const all: Attributes = new Map([...own].map(([scope, values]) => [scope, new Map(values)]));
  for (const [key, value] of Object.entries(client)) {
    const json = toPlainJson(value, "attribute");
    const scope = all.get("CLIENT") ?? new Map<string, JsonValue>();
    if (json !== null) all.set("CLIENT", scope.set(key, json));
  }
  return all;
}

function radioOf(
  { radio }: NormalizedMessage,
  { radioMetadata = true, radioPrefix = RADIO_PREFIX_DEFAULT }: IntegrationSettings,
): Record<string, unknown> | undefined {
  if (!radioMetadata || radio === undefined) return undefined;
  return Object.fromEntries(Object.entries(radio).map(([key, value]) => [`${radioPrefix}${key}`, value]));
}

/** A frame that nothing decodes is kept as it is: a codec that comes later can be tried on it. */
const undecoded = (frame: NormalizedMessage["frame"]) =>
  frame === undefined || frame.bytes.length === 0
    ? {}
    : { payload_hex: Buffer.from(frame.bytes).toString("hex") };

/** Returns the parts of a message to store: as it was mapped, or as its script returned them. */
export function partsOf(
  message: NormalizedMessage,
  settings: IntegrationSettings,
  { mapped, scripted }: { mapped: Mapped; scripted: ScriptResult | undefined },
): MessagePart[] {
  const radio = radioOf(message, settings);
  if (scripted?.value === undefined) {
    const values = Object.keys(mapped.values).length === 0 ? undecoded(message.frame) : mapped.values;
    const all = radio === undefined ? values : { ...values, ...radio };
    const body = Object.keys(all).length === 0 ? undefined : { ts: mapped.ts, values: all };
    const attributes = merged(mapped.attributes, message.attributes);
    return [{ device: message.device, body, attributes, ...(message.keys && { keys: message.keys }) }];
  }
  return parseScriptOutput(scripted.value, scripted.isOfCodec === true).map((part, index) => {
    const values = { ...part.values, ...(index === 0 && radio) };
    return {
      device:
        part.device.externalId === undefined && part.device.devEui === undefined
          ? { ...message.device, ...part.device }
          : part.device,
      body: Object.keys(values).length === 0 ? undefined : { ts: part.ts ?? mapped.ts, values },
      attributes: merged(mapped.attributes, { ...message.attributes, ...part.attributes }),
    };
  });
}
