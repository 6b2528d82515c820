import type { DeviceRow, Scope } from "../../lib/api-types.ts";
import { attributesApi } from "../attributes/attributes-api.ts";
import { telemetryApi } from "../telemetry/telemetry-api.ts";
import { pipelinesApi } from "./pipelines-api.ts";

/** Message for testing steps, with its device. */
export interface Sample {
  readonly telemetry: Readonly<Record<string, unknown>>;
  readonly ts?: number;
  readonly context?: {
    readonly deviceId: string;
    readonly profileId: string;
    readonly attributes: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  };
}

const SCOPES: readonly Scope[] = ["SERVER", "SHARED", "CLIENT"];

/** Returns the newest message of a device, with the inputs of conditions; empty if there is none. */
export async function newestMessage(device: DeviceRow): Promise<Sample & { readonly isRaw: boolean }> {
  const { deviceId } = device;
  const [raw, latest, ...lists] = await Promise.all([
    pipelinesApi.newestMessage(deviceId),
    telemetryApi.latest(deviceId),
    ...SCOPES.map((scope) => attributesApi.list(deviceId, scope)),
  ]);
  const times = latest.timestamps ?? {};
  const ts = Math.max(0, ...Object.values(times));
  const telemetry = Object.fromEntries(
    Object.entries(latest.values).filter(([key]) => times[key] === undefined || times[key] === ts),
  );
  const attributes = Object.fromEntries(
    SCOPES.map((scope, index) => [
      scope,
      Object.fromEntries((lists[index] ?? []).map(({ key, value }) => [key, value])),
    ]),
  );
  const context = { deviceId, profileId: device.profileId ?? "", attributes };
  // Values stored since are more useful than messages from before the pause.
  if (raw !== null && raw.ts >= ts) return { ...raw, context, isRaw: true };
  return { telemetry, ...(ts > 0 && { ts }), context, isRaw: false };
}

/** Parses a typed message; undefined if it is invalid. */
export function parseMessage(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as Readonly<Record<string, unknown>>) : undefined; // just looked at
  } catch {
    return undefined;
  }
}
