import { DomainError, detail, invalid } from "../../lib/core/domain-error.ts";
import type { DeviceId, TenantId } from "../../lib/core/ids.ts";
import { type DownlinkPayload, FRAME_BYTES_MAX, isFPort } from "../../lib/devices/downlink-payload.ts";
import { isJsonObject, type JsonValue } from "../../lib/json/json.ts";
import { networkErrorText } from "../../lib/network/network-error.ts";
import { readRetryAfterMs, verdictOf } from "../../lib/network/retry-policy.ts";
import type { ErrorCode } from "../../lib/texts/catalogues.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { BrokerMessage } from "../../platform/broker/broker.types.ts";
import type { Attempt } from "../../platform/delivery-queue/delivery-queue.ts";
import { RefusedAddress } from "../../platform/network/outbound-address.ts";
import type { CodecsService } from "../codecs/codecs.service.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import { codecRunKey, integrationPrincipal } from "../integrations/integration-principal.ts";
import type { Integration } from "../integrations/integrations.resource.ts";
import type { IntegrationSettings } from "../integrations/integrations.types.ts";
import type { ScriptSandbox } from "../script-sandbox/script-sandbox.ts";
import type { ScriptOwner } from "../script-sandbox/script-sandbox.types.ts";
import type { Downlink, DownlinkRoute } from "./downlinks.types.ts";
import { type NetworkRequest, toNetwork } from "./network-servers.ts";

const TIMEOUT_MS = 10_000;
const RESPONSE_CHARACTERS_MAX = 300;
/** Status with which The Things Stack reports that it has temporarily paused the webhook. */
const PAUSED = 406;

/** Result of a downlink at the network server. */
export interface NetworkResponse {
  /** Id that the network server has chosen for the downlink. */
  readonly networkId: string | undefined;
}

type Attempted = Attempt<NetworkResponse>;

interface EncodedDownlink {
  readonly bytes: Uint8Array;
  readonly fPort?: number | undefined;
}

/** Current integration, with its secrets. */
export interface ReadyIntegration {
  readonly integration: Integration;
  readonly settings: IntegrationSettings;
}

interface HttpResponse {
  readonly status: number;
  readonly headers: { readonly "retry-after"?: string | undefined };
  readonly body: Buffer;
}

interface DownlinkAttemptDeps {
  readonly exchange: (
    request: NetworkRequest & {
      readonly tenantId: TenantId;
      readonly method: string;
      readonly timeoutMs: number;
    },
    signal: AbortSignal,
  ) => Promise<HttpResponse>;
  /** Publishes over the integration's own connection to a broker. @throws DomainError `unavailable` without a connection */
  readonly publish: (integrationId: string, message: BrokerMessage) => Promise<void>;
  /** Encodes with a codec of the integration; `undefined` if no codec encodes. */
  readonly encode: (
    ready: ReadyIntegration,
    input: { object: JsonValue; fPort: number | undefined; deviceId: Downlink["deviceId"] },
  ) => Promise<EncodedDownlink | undefined>;
  readonly routeOf: (downlink: Pick<Downlink, "tenantId" | "deviceKey">) => DownlinkRoute | undefined;
  /** Returns whether the tenant is the gateway's own. Only its users see the response bodies of a network server. */
  readonly isHost: (tenantId: TenantId) => boolean;
  readonly userAgent: string;
  readonly wallClock: () => number;
}

type Content = { readonly content: DownlinkPayload; readonly fPort: number | undefined };

type CheckedDownlink = Pick<Downlink, "downlinkId" | "tenantId" | "deviceKey" | "confirmed" | "priority">;

/** Advice by HTTP status. */
const hints = {
  401: "downlink_hint.api_key",
  403: "downlink_hint.permission",
  404: "downlink_hint.unknown",
  406: "downlink_hint.paused",
} as const satisfies Record<number, ErrorCode>;

/** Describes a failed response of the network server. `key` is removed if the response repeats it; with null, only the status is described. */
function refusalText({ status, body }: HttpResponse, key: string | null | undefined): Text {
  const hint = Object.entries(hints).find(([code]) => code === String(status))?.[1];
  const response = responseOf({ status, body }, key);
  return hint === undefined ? response : detail("downlink_error.hinted", { response, hint: detail(hint) });
}

function responseOf(
  { status, body }: Pick<HttpResponse, "status" | "body">,
  key: string | null | undefined,
): Text {
  if (key === null) return detail("downlink_error.status", { status });
  let said: unknown;
  try {
    said = JSON.parse(body.toString("utf8"));
  } catch {
    said = undefined;
  }
  const whole = isJsonObject(said) && typeof said.message === "string" ? said.message : "";
  const message = key === undefined || key === "" ? whole : whole.replaceAll(key, "…");
  return message === ""
    ? detail("downlink_error.status", { status })
    : detail("downlink_error.status_said", { status, message: message.slice(0, RESPONSE_CHARACTERS_MAX) });
}

function networkIdIn({ body }: HttpResponse): string | undefined {
  try {
    const said: unknown = JSON.parse(body.toString("utf8"));
    return isJsonObject(said) && typeof said.id === "string" && said.id !== ""
      ? said.id.slice(0, 128)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Prepares and sends downlinks: encodes objects if a codec can, and makes the request or message. */
export function createDownlinkAttempt(deps: DownlinkAttemptDeps) {
  function attemptOf(response: HttpResponse, key: string | null | undefined): Attempted {
    const verdict = response.status === PAUSED ? { retry: "target" as const } : verdictOf(response.status);
    if (verdict === "delivered")
      return { verdict, error: null, response: { networkId: networkIdIn(response) } };
    const retryAfterMs = readRetryAfterMs(response.headers["retry-after"], deps.wallClock());
    return { verdict, error: refusalText(response, key), retryAfterMs };
  }

  function outgoing(
    { integration, settings }: ReadyIntegration,
    downlink: CheckedDownlink,
    { content, fPort }: Content,
  ) {
    if (settings.downlink === undefined) throw invalid("downlink.settings_missing");
    const route = deps.routeOf(downlink);
    // The route of another integration is of no use here.
    const own = route?.integrationId === integration.integrationId ? route : {};
    return toNetwork(integration.type, { downlink, fPort, content, settings: settings.downlink, route: own });
  }

  async function content(
    ready: ReadyIntegration,
    { payload, fPort, deviceId }: Pick<Downlink, "payload" | "fPort" | "deviceId">,
  ): Promise<Content> {
    const wanted = fPort ?? ready.settings.downlink?.fPort;
    if ("data" in payload) return { content: payload, fPort: wanted };
    const encoded = await deps.encode(ready, { object: payload.object, fPort: wanted, deviceId });
    if (encoded === undefined) return { content: payload, fPort: wanted };
    if (encoded.bytes.byteLength > FRAME_BYTES_MAX)
      throw invalid("downlink.encoded_too_long", {
        byteLength: encoded.bytes.byteLength,
        max: FRAME_BYTES_MAX,
      });
    return {
      content: { data: Buffer.from(encoded.bytes).toString("base64") },
      fPort: fPort ?? encoded.fPort ?? wanted,
    };
  }

  function ensurePort({ content: downlinkPayload, fPort }: Content): void {
    if (fPort === undefined && "object" in downlinkPayload) return; // the network server's codec may say it
    if (fPort === undefined) throw invalid("downlink.f_port_missing");
    if (!isFPort(fPort)) throw invalid("downlink.f_port_invalid");
  }

  async function send(ready: ReadyIntegration, downlink: Downlink, signal: AbortSignal): Promise<Attempted> {
    const newContent = await content(ready, downlink);
    ensurePort(newContent);
    const going = outgoing(ready, downlink, newContent);
    if (going.way === "mqtt") {
      await deps.publish(ready.integration.integrationId, going.message);
      return { verdict: "delivered", error: null };
    }
    const { request } = going;
    const headers = new Map([...request.headers, ["User-Agent", deps.userAgent]]);
    const response = await deps.exchange(
      { ...request, tenantId: downlink.tenantId, headers, method: "POST", timeoutMs: TIMEOUT_MS },
      signal,
    );
    return attemptOf(response, deps.isHost(downlink.tenantId) ? ready.settings.downlink?.apiKey : null);
  }

  return {
    /** Returns the bytes of an object if a codec encodes it, otherwise the object. @throws DomainError */
    content,
    /** @throws DomainError `invalid` for a downlink that cannot be sent like this */
    check(ready: ReadyIntegration, downlink: CheckedDownlink, newContent: Content): void {
      ensurePort(newContent);
      outgoing(ready, downlink, newContent);
    },
    async run(ready: ReadyIntegration, downlink: Downlink, signal: AbortSignal): Promise<Attempted> {
      try {
        return await send(ready, downlink, signal);
      } catch (error) {
        // Errors of the downlink itself or of its destination are permanent.
        const isWrong =
          error instanceof RefusedAddress || (error instanceof DomainError && error.kind === "invalid");
        return { verdict: isWrong ? "dead" : { retry: "target" }, error: networkErrorText(error) };
      }
    },
  };
}

export type DownlinkAttempt = ReturnType<typeof createDownlinkAttempt>;

const ENCODERS: ReadonlySet<string> = new Set(["encodeDownlink", "Encode", "Encoder"]);
const hasEncoder = (functions: readonly string[]) => functions.some((name) => ENCODERS.has(name));
const CACHED_CODECS_MAX = 200;

/** Encodes objects with the integration's script or its codec for the device, whichever can encode. */
export function createDownlinkCodec(deps: {
  sandbox: Pick<ScriptSandbox, "check" | "encode">;
  codecs: Pick<CodecsService, "selectFor">;
  devices: Pick<DevicesService, "get">;
}): DownlinkAttemptDeps["encode"] {
  /** Script source → whether it encodes. */
  const encoding = new Map<string, boolean>();

  async function canEncode(source: string, owner: ScriptOwner): Promise<boolean> {
    const before = encoding.get(source);
    if (before !== undefined) return before;
    const { functions } = await deps.sandbox.check(source, owner);
    if (encoding.size >= CACHED_CODECS_MAX) encoding.clear();
    encoding.set(source, hasEncoder(functions));
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
