import type { DeviceId } from "../../lib/ids.ts";
import type { CodecsService } from "../codecs/codecs.service.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import { codecRunKey, integrationPrincipal } from "../integrations/integration-principal.ts";
import type { Integration } from "../integrations/integrations.resource.ts";
import type { ScriptSandbox } from "../script-sandbox/script-sandbox.ts";
import type { ScriptOwner } from "../script-sandbox/script-sandbox.types.ts";
import type { DownlinkAttemptDeps } from "./downlink-attempt.ts";

const encoders: ReadonlySet<string> = new Set(["encodeDownlink", "Encode", "Encoder"]);
const hasEncoder = (functions: readonly string[]) => functions.some((name) => encoders.has(name));
const KNOWN_MAX = 200;

/** Makes bytes of an object with the integration's script, or the codec that it has for the device; with whichever can. */
export function createDownlinkCodec(deps: {
  sandbox: Pick<ScriptSandbox, "check" | "encode">;
  codecs: Pick<CodecsService, "selectFor">;
  devices: Pick<DevicesService, "get">;
}): DownlinkAttemptDeps["encode"] {
  /** Keyed by source: whether it encodes. */
  const existing = new Map<string, boolean>();

  async function canEncode(source: string, owner: ScriptOwner): Promise<boolean> {
    const before = existing.get(source);
    if (before !== undefined) return before;
    const { functions } = await deps.sandbox.check(source, owner);
    if (existing.size >= KNOWN_MAX) existing.clear();
    existing.set(source, hasEncoder(functions));
    return hasEncoder(functions);
  }

  function typesOf(integration: Integration, deviceId: DeviceId | null): string[] {
    return deviceId === null
      ? []
      : [deps.devices.get(integrationPrincipal(integration), deviceId).deviceType];
  }

  return async ({ integration, settings }, { object, fPort, deviceId }) => {
    const { scriptTransform: script, codecs = [] } = settings;
    const { integrationId: key, tenantId } = integration;
    const own = script?.enabled === true && script.source.trim() !== "" ? script.source : undefined;
    if (own !== undefined && (await canEncode(own, { tenantId, key })))
      return deps.sandbox.encode({ source: own, tenantId, key, data: object, fPort });
    if (codecs.length === 0) return undefined;
    const codec = deps.codecs.selectFor(tenantId, codecs, typesOf(integration, deviceId));
    if (codec === undefined || !hasEncoder(codec.functions)) return undefined;
    return deps.sandbox.encode({
      source: codec.source,
      tenantId,
      key: codecRunKey(key, codec.codecId),
      data: object,
      fPort,
    });
  };
}
