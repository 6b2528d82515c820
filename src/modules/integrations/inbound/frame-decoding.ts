import { DomainError, detail } from "../../../lib/core/domain-error.ts";
import { isJsonObject } from "../../../lib/json/json.ts";
import { excerpt } from "../../../lib/strings/excerpt.ts";
import type { Codec } from "../../codecs/codecs.resource.ts";
import type { CodecsService } from "../../codecs/codecs.service.ts";
import type { DevicesService } from "../../devices/devices.service.ts";
import { ScriptFailure } from "../../script-sandbox/script-sandbox.errors.ts";
import type { ScriptSandbox } from "../../script-sandbox/script-sandbox.ts";
import type { ScriptResult } from "../../script-sandbox/script-sandbox.types.ts";
import { codecRunKey, integrationPrincipal } from "../integration-principal.ts";
import type { Integration } from "../integrations.resource.ts";
import type { NormalizedMessage } from "../integrations.types.ts";
import type { DeviceResolution } from "./device-resolution.ts";
import type { LiveIntegration } from "./live-integration.ts";
import { asStageFailure } from "./message-parts.ts";

export interface DecodedFrame {
  /** The message, with the decoded frame as its telemetry. */
  readonly message: NormalizedMessage;
  readonly scripted: ScriptResult;
}

/**
 * Decodes a frame with the integration's library codec for this kind of device, before the mapping, as if the network server had decoded it.
 * Undefined if there is no frame or no codec.
 */
export type DecodeFrame = (
  message: NormalizedMessage,
  live: LiveIntegration,
  receivedAt: number,
) => Promise<DecodedFrame> | undefined;

export function createFrameDecoding(deps: {
  codecs: Pick<CodecsService, "selectFor">;
  resolution: Pick<DeviceResolution, "preview">;
  devices: Pick<DevicesService, "get">;
  sandbox: Pick<ScriptSandbox, "run">;
}): DecodeFrame {
  /** Returns the network's name for the kind of device, and the device's type here. */
  function typesOf({ device }: NormalizedMessage, { integration, settings }: LiveIntegration): string[] {
    let here = settings.deviceType;
    try {
      const ingestDevice = deps.resolution.preview(integration, settings, device);
      if (ingestDevice)
        here = deps.devices.get(integrationPrincipal(integration), ingestDevice.deviceId).deviceType;
    } catch (error) {
      // An unknown device is refused where devices are looked for; until then its frame is decoded like any other.
      if (!(error instanceof DomainError)) throw error;
    }
    return [device.type, here].filter((type) => type !== undefined);
  }

  function codecOf(message: NormalizedMessage, live: LiveIntegration): Codec | undefined {
    const { codecs = [] } = live.settings;
    if (codecs.length === 0) return undefined;
    const isByType = codecs.some(({ deviceType }) => deviceType !== undefined);
    return deps.codecs.selectFor(live.integration.tenantId, codecs, isByType ? typesOf(message, live) : []);
  }

  async function decode(
    message: NormalizedMessage & Required<Pick<NormalizedMessage, "frame">>,
    codec: Codec,
    { integration, receivedAt }: { integration: Integration; receivedAt: number },
  ): Promise<DecodedFrame> {
    const { codecId, name, source } = codec;
    try {
      const scripted = await deps.sandbox.run({
        source,
        tenantId: integration.tenantId,
        key: codecRunKey(integration.integrationId, codecId),
        message: {},
        metadata: { kind: message.kind, integrationType: integration.type },
        frame: { ...message.frame, recvTime: message.ts ?? receivedAt },
      });
      const { value } = scripted;
      if (value !== undefined && !isJsonObject(value))
        throw new ScriptFailure("script.output", detail("script_reason.no_object"));
      return { message: { ...message, telemetry: value ?? {} }, scripted };
    } catch (error) {
      throw asStageFailure("script", named(error, name));
    }
  }

  return (message, live, receivedAt) => {
    const { kind, frame } = message;
    if (kind !== "uplink" || frame === undefined || frame.bytes.length === 0) return undefined;
    const codec = codecOf(message, live);
    if (codec === undefined) return undefined;
    return decode({ ...message, frame }, codec, { integration: live.integration, receivedAt });
  };
}

/** Adds the codec's name to its error, because an integration can have many; the line is in the codec's source. */
function named(error: unknown, name: string): unknown {
  if (!(error instanceof ScriptFailure)) return error;
  const { code, line, console, usedMs } = error;
  const reason = error.params.reason ?? "";
  const named =
    line === undefined
      ? detail("script_reason.of_codec", { name: excerpt(name), reason })
      : detail("script_reason.of_codec_line", { name: excerpt(name), line, reason });
  return new ScriptFailure(code, named, { console, usedMs });
}
