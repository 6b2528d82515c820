import { invalid } from "../../lib/domain-error.ts";
import { isJsonObject, type JsonValue } from "../../lib/json.ts";
import type { DeviceReference } from "./integrations.types.ts";

const PARTS_MAX = 1_000;

/** Result of a script for a message: values for its device, or for the one that it names. */
export interface ScriptedPart {
  readonly device: DeviceReference;
  /** Any time stamp that devices may send. */
  readonly ts?: unknown;
  readonly values: Readonly<Record<string, unknown>>;
  readonly attributes: Record<string, unknown> | undefined;
}

/** Fields of an envelope that are no values. */
const ofEnvelope: ReadonlySet<string> = new Set([
  ...["ts", "attributes", "externalDeviceId", "deviceId", "devEui", "deviceName", "deviceType"],
]);

const textOf = (value: unknown): string | undefined =>
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

/** `{k: v}`, `{ts, k: v}`, or `{telemetry | values, ts?, attributes?, deviceId?, devEui?, deviceName?, deviceType?, k: v}`. */
function toPart(value: unknown): ScriptedPart {
  if (!isJsonObject(value)) throw invalid("script.result_invalid");
  const { ts, ...flat } = value;
  const time = ts === undefined ? {} : { ts };
  if (!isEnvelope(value)) return { device: {}, ...time, values: flat, attributes: undefined };
  const { attributes } = value;
  const externalId = textOf(value.externalDeviceId ?? value.deviceId);
  const devEui = textOf(value.devEui)
    ?.toLowerCase()
    .replace(/[^0-9a-f]/g, "");
  const [name, type] = [textOf(value.deviceName), textOf(value.deviceType)];
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
 * Returns the parts of a script's result. Envelopes are those of `transform`: every key of an object that a codec returns is a value, as of
 * a codec of the library. @throws DomainError of kind `invalid`.
 */
export function parseScriptOutput(value: JsonValue, isOfCodec: boolean): ScriptedPart[] {
  if (isOfCodec && isJsonObject(value)) return [{ device: {}, values: value, attributes: undefined }];
  if (!Array.isArray(value)) return [toPart(value)];
  if (value.length > PARTS_MAX) throw invalid("script.result_too_long", { max: PARTS_MAX });
  return value.map(toPart);
}
