import { invalid } from "../../lib/domain-error.ts";
import { isJsonObject, type JsonValue } from "../../lib/json.ts";
import type { DeviceReference } from "./integrations.types.ts";

const PARTS_MAX = 1_000;

/** Describes what a script made of a message: values for its device, or for the one that it names. */
export interface ScriptedPart {
  readonly device: DeviceReference;
  /** A body as devices send it. */
  readonly body: Record<string, unknown>;
  readonly attributes: Record<string, unknown> | undefined;
}

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : typeof value === "number" ? String(value) : undefined;

/** `{k: v}`, or `{telemetry | values, ts?, attributes?, deviceId?, devEui?, deviceName?, deviceType?}`. */
function toPart(value: unknown): ScriptedPart {
  if (!isJsonObject(value)) throw invalid("script.result_invalid");
  const values = value.telemetry ?? value.values;
  const { ts, attributes } = value;
  if (
    !isJsonObject(values) &&
    !(isJsonObject(attributes) && values === undefined && Object.keys(value).length === 1)
  )
    return { device: {}, body: value, attributes: undefined };
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
    body: { ...(ts !== undefined && { ts }), values: values ?? {} },
    attributes: isJsonObject(attributes) ? attributes : undefined,
  };
}

/** Returns what a script returned, part by part. @throws DomainError of kind `invalid`. */
export function parseScriptOutput(value: JsonValue): ScriptedPart[] {
  if (!Array.isArray(value)) return [toPart(value)];
  if (value.length > PARTS_MAX) throw invalid("script.result_too_long", { max: PARTS_MAX });
  return value.map(toPart);
}
