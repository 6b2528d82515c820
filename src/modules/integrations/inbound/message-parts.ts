import { DomainError, detail, invalid } from "../../../lib/core/domain-error.ts";
import type { TenantId } from "../../../lib/core/ids.ts";
import { omit } from "../../../lib/core/omit.ts";
import { isJsonObject, type JsonValue } from "../../../lib/json/json.ts";
import { toPlainJson } from "../../../lib/json/plain-json.ts";
import type { Text } from "../../../lib/texts/text.ts";
import type { AttributeScope } from "../../attributes/attributes.types.ts";
import type { CompiledStep } from "../../pipelines/step.types.ts";
import { runSteps, type StepWatcher } from "../../pipelines/step-engine.ts";
import type { ScriptResult, ScriptRun } from "../../script-sandbox/script-sandbox.types.ts";
import type { Reading, TelemetryValue } from "../../telemetry/telemetry.types.ts";
import type { Integration } from "../integrations.resource.ts";
import type {
  DeviceReference,
  InboundMessage,
  IntegrationSettings,
  NormalizedMessage,
  Stage,
} from "../integrations.types.ts";

const PARTS_MAX = 1_000;

/** Result of a script: values for the message's device, or for a named device. */
interface ScriptedPart {
  readonly device: DeviceReference;
  /** Timestamp in any accepted form. */
  readonly ts?: unknown;
  readonly values: Readonly<Record<string, unknown>>;
  readonly attributes: Record<string, unknown> | undefined;
}

/** Fields of an envelope that are not values. */
const ofEnvelope: ReadonlySet<string> = new Set([
  ...["ts", "attributes", "externalDeviceId", "deviceId", "devEui", "deviceName", "deviceType"],
]);

const identifierText = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : typeof value === "number" ? String(value) : undefined;

const isContainer = (name: string, value: unknown): value is Record<string, unknown> =>
  (name === "telemetry" || name === "values") && isJsonObject(value);

function isEnvelope(value: Record<string, unknown>): boolean {
  const names = Object.keys(value);
  if (names.some((name) => isContainer(name, value[name]))) return true;
  return names.length === 1 && isJsonObject(value.attributes);
}

/** Returns the values inside an envelope, and those next to its containers. */
function valuesIn(value: Record<string, unknown>): Record<string, unknown> {
  const names = Object.keys(value);
  const beside = names.filter((name) => !ofEnvelope.has(name) && !isContainer(name, value[name]));
  const inner = names.filter((name) => isContainer(name, value[name]));
  return Object.fromEntries([
    ...beside.map((name) => [name, value[name]] as const),
    ...inner.flatMap((name) => Object.entries(value[name] as Record<string, unknown>)), // as just looked
  ]);
}

/** Accepts `{k: v}`, `{ts, k: v}`, or `{telemetry | values, ts?, attributes?, deviceId?, devEui?, deviceName?, deviceType?, k: v}`. */
function toPart(value: unknown): ScriptedPart {
  if (!isJsonObject(value)) throw invalid("script.result_invalid");
  const { ts, ...flat } = value;
  const time = ts === undefined ? {} : { ts };
  if (!isEnvelope(value)) return { device: {}, ...time, values: flat, attributes: undefined };
  const { attributes } = value;
  const externalId = identifierText(value.externalDeviceId ?? value.deviceId);
  const devEui = identifierText(value.devEui)
    ?.toLowerCase()
    .replace(/[^0-9a-f]/g, "");
  const [name, type] = [identifierText(value.deviceName), identifierText(value.deviceType)];
  return {
    device: {
      ...(externalId !== undefined && { externalId }),
      ...(devEui !== undefined && { devEui }),
      ...(name !== undefined && { name }),
      ...(type !== undefined && { type }),
    },
    ...time,
    values: valuesIn(value),
    attributes: isJsonObject(attributes) ? attributes : undefined,
  };
}

/**
 * Returns the parts of a script's result. Only `transform` has envelopes: every key of an object that a codec returns is a value. @throws
 * DomainError `invalid`
 */
function parseScriptOutput(value: JsonValue, isOfCodec: boolean): ScriptedPart[] {
  if (isOfCodec && isJsonObject(value)) return [{ device: {}, values: value, attributes: undefined }];
  if (!Array.isArray(value)) return [toPart(value)];
  if (value.length > PARTS_MAX) throw invalid("script.result_too_long", { max: PARTS_MAX });
  return value.map(toPart);
}

export const RADIO_PREFIX_DEFAULT = "radio_";

/** Failure of a message, with its stage and reason. */
export class StageFailure extends Error {
  constructor(
    readonly stage: Stage,
    readonly reason: DomainError,
    /** Stage that found the failure; another stage may have caused it. */
    readonly foundIn: Stage = stage,
  ) {
    super(reason.message);
  }
}

/** Runs work and throws its error as a failure of the stage; internal errors are thrown unchanged. */
export function inStage<Result>(stage: Stage, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw asStageFailure(stage, error);
  }
}

/** Stage of this gateway that produced the values; errors in them are then not the sender's. */
export type Maker = Extract<Stage, "mapping" | "script">;

/** Returns a failure at the stage that produced the values. Exceeded limits keep their stage. */
export const ofMaker = (failure: StageFailure, maker: Maker | undefined): StageFailure =>
  maker !== undefined &&
  (failure.stage === "adapter" || failure.stage === "ingest") &&
  (failure.reason.kind === "invalid" || failure.reason.kind === "too_large")
    ? new StageFailure(maker, failure.reason, failure.foundIn)
    : failure;

export const asStageFailure = (stage: Stage, error: unknown): unknown =>
  error instanceof DomainError && error.kind !== "unavailable" && error.kind !== "limited"
    ? new StageFailure(stage, error)
    : error;

/** Data of one device in a message, before the device is resolved. */
export interface MessagePart {
  readonly device: DeviceReference;
  /** Body in the format of device messages; undefined if there are no values. */
  readonly body: Record<string, unknown> | undefined;
  /** Attributes by scope. */
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
    /** Called with the reason for each skipped step. */
    onFailure: (note: Text) => void;
    onStep?: StepWatcher | undefined;
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
    onStep: input.onStep,
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
  const device = omit(message.device, "deviceToken", "route", "creation", "isAnnounced");
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

/** Returns an undecoded frame as values, so that a codec added later can be tested on it. */
const undecoded = (frame: NormalizedMessage["frame"]) =>
  frame === undefined || frame.bytes.length === 0
    ? {}
    : { payload_hex: Buffer.from(frame.bytes).toString("hex") };

/** Returns the parts of a message to store: as mapped, or as returned by its script. */
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
