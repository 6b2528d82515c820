/** Downlinks to the two network servers: requests to their APIs, or messages to their brokers. */
import { invalid } from "../../lib/core/domain-error.ts";
import type { JsonValue } from "../../lib/json/json.ts";
import type { BrokerMessage } from "../../platform/broker/broker.types.ts";
import {
  type DownlinkSettings,
  type IntegrationType,
  OWN_CORRELATION_PREFIX,
} from "../integrations/integrations.types.ts";
import { type Downlink, type DownlinkRoute, devEuiOf } from "./downlinks.types.ts";

export interface NetworkRequest {
  readonly url: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

export type Outgoing =
  | { readonly way: "rest"; readonly request: NetworkRequest }
  | { readonly way: "mqtt"; readonly message: BrokerMessage };

export interface OutgoingDownlink {
  readonly downlink: Pick<Downlink, "downlinkId" | "deviceKey" | "confirmed" | "priority">;
  readonly fPort: number | undefined;
  readonly content: { readonly data: string } | { readonly object: JsonValue };
  readonly settings: DownlinkSettings;
  readonly route: Omit<DownlinkRoute, "integrationId">;
}

type MissingCode =
  | "downlink.url_missing"
  | "downlink.api_key_missing"
  | "downlink.application_missing"
  | "downlink.webhook_missing";

function required(value: string | undefined, code: MissingCode): string {
  if (value === undefined || value === "") throw invalid(code);
  return value;
}

/** Returns `rest` if a URL is given, otherwise `mqtt` (the integration's own broker). */
export const wayOf = ({ via, url }: DownlinkSettings): "rest" | "mqtt" => via ?? (url ? "rest" : "mqtt");

function rest(settings: DownlinkSettings, path: string, input: { header: string; body: unknown }): Outgoing {
  const base = required(settings.url, "downlink.url_missing");
  const key = required(settings.apiKey, "downlink.api_key_missing");
  const headers = new Map([
    [input.header, `Bearer ${key}`],
    ["Content-Type", "application/json"],
  ]);
  return {
    way: "rest",
    request: { url: `${base.replace(/(?<!\/)\/+$/, "")}${path}`, headers, body: JSON.stringify(input.body) },
  };
}

const message = (topic: string, body: unknown): Outgoing => ({
  way: "mqtt",
  message: { topic, payload: JSON.stringify(body), qos: 1 },
});

/** Returns a single level of a topic or path. @throws DomainError if the value would make several */
function segment(value: string, subject: string): string {
  if (/[/+#?\s\0]/.test(value) || value === "." || value === "..")
    throw invalid("downlink.name_invalid", { name: subject });
  return value;
}

function toChirpstack({ downlink, fPort, content, settings, route }: OutgoingDownlink): Outgoing {
  const devEui = devEuiOf(downlink.deviceKey);
  if (devEui === undefined) throw invalid("downlink.dev_eui_missing");
  const item = { confirmed: downlink.confirmed, ...(fPort !== undefined && { fPort }), ...content };
  if (wayOf(settings) === "rest")
    return rest(settings, `/api/devices/${devEui}/queue`, {
      header: "Grpc-Metadata-Authorization",
      body: { queueItem: item },
    });
  const applicationId = required(
    settings.applicationId ?? route.applicationId,
    "downlink.application_missing",
  );
  const topic = `application/${segment(applicationId, "applicationId")}/device/${devEui}/command/down`;
  return message(topic, { id: downlink.downlinkId, devEui, ...item });
}

/** Paths of the push operation only: an incoming body must not choose which operation is called with the API key. */
const PUSH_PATH = /^\/api\/v3\/as\/applications\/[^/]+\/webhooks\/[^/]+\/devices\/[^/]+\/down\/push$/;

/** Returns the push URL that The Things Stack sent, if it points at the configured server. */
export function trustedPushUrl(pushUrl: string | undefined, base: string | undefined): string | undefined {
  if (pushUrl === undefined || base === undefined || !URL.canParse(pushUrl) || !URL.canParse(base))
    return undefined;
  const [push, own] = [new URL(pushUrl), new URL(base)];
  const isPlain = push.search === "" && push.hash === "" && push.username === "" && push.password === "";
  return push.origin === own.origin && isPlain && PUSH_PATH.test(push.pathname) ? push.href : undefined;
}

function networkDeviceOf({ downlink, route }: OutgoingDownlink): string {
  const { deviceKey } = downlink;
  const devEui = devEuiOf(deviceKey);
  // What The Things Stack calls a device unless somebody chose a name.
  const id =
    route.networkDeviceId ?? (devEui === undefined ? deviceKey.slice("id:".length) : `eui-${devEui}`);
  return segment(id, "networkDeviceId");
}

function pushPathOf(outgoing: OutgoingDownlink): string {
  const { settings, route } = outgoing;
  const application = required(settings.applicationId ?? route.applicationId, "downlink.application_missing");
  const webhook = required(settings.webhookId, "downlink.webhook_missing");
  const parts = [application, webhook].map((part) =>
    encodeURIComponent(segment(part, "applicationId, webhookId")),
  );
  const device = encodeURIComponent(networkDeviceOf(outgoing));
  return `/api/v3/as/applications/${parts[0]}/webhooks/${parts[1]}/devices/${device}/down/push`;
}

/** Returns bytes as base64, or the object, which the network server's own formatter encodes. */
const payloadOf = (content: OutgoingDownlink["content"]) =>
  "data" in content ? { frm_payload: content.data } : { decoded_payload: content.object };

function topicApplicationOf({ settings, route }: OutgoingDownlink): string {
  const { applicationId, tenantId } = settings;
  const own = applicationId && tenantId ? `${applicationId}@${tenantId}` : applicationId;
  return segment(required(route.topicApplication ?? own, "downlink.application_missing"), "applicationId");
}

function toTheThingsStack(outgoing: OutgoingDownlink): Outgoing {
  const { downlink, fPort, content, settings, route } = outgoing;
  const item = {
    ...payloadOf(content),
    ...(fPort !== undefined && { f_port: fPort }),
    priority: downlink.priority ?? settings.priority ?? "NORMAL",
    confirmed: downlink.confirmed,
    correlation_ids: [`${OWN_CORRELATION_PREFIX}${downlink.downlinkId}`],
  };
  const body = { downlinks: [item] };
  if (wayOf(settings) === "mqtt")
    return message(`v3/${topicApplicationOf(outgoing)}/devices/${networkDeviceOf(outgoing)}/down/push`, body);
  const pushUrl = trustedPushUrl(route.pushUrl, settings.url);
  const header = "Authorization";
  if (pushUrl === undefined) return rest(settings, pushPathOf(outgoing), { header, body });
  const { origin, pathname } = new URL(pushUrl);
  return rest({ ...settings, url: origin }, pathname, { header, body });
}

/** @throws DomainError `invalid` that names the missing setting */
export function toNetwork(type: IntegrationType, outgoing: OutgoingDownlink): Outgoing {
  if (type === "CHIRPSTACK") return toChirpstack(outgoing);
  if (type === "THE_THINGS_STACK") return toTheThingsStack(outgoing);
  throw invalid("downlink.no_network");
}
