/**
 * The Things Stack v3, by webhook or MQTT, with the same bodies; a key identifies the kind of message. Zero and empty fields are omitted, 64-bit
 * integers are strings, and field masks may remove any field.
 */

import { createHash } from "node:crypto";
import { nonBlank } from "../../../lib/core/defined.ts";
import { detail, invalid, toText as textOfError } from "../../../lib/core/domain-error.ts";
import { parseDevEui } from "../../../lib/devices/dev-eui.ts";
import { excerpt } from "../../../lib/strings/excerpt.ts";
import type { Text } from "../../../lib/texts/text.ts";
import type {
  AdapterDefinition,
  DeviceReference,
  DownlinkReport,
  FrameEncoding,
  InboundMessage,
  IntegrationSettings,
  Normalized,
  NormalizedMessage,
} from "../integrations.types.ts";
import { OWN_CORRELATION_PREFIX } from "../integrations.types.ts";
import { type Fields, markIn, nameOf, numberOf, objectOf, objectsOf } from "./fields.ts";
import { noteOnFrame, parseFrame } from "./frame.ts";
import {
  bestReception,
  endToEnd,
  firstTime,
  jsonBody,
  networkSaid,
  placeOf,
  radioOf,
  tagsOf,
  textsOf,
} from "./lorawan.ts";

/** Content of a message's own key, with the body around it. */
interface Content {
  readonly own: Fields;
  readonly body: Fields;
  readonly frameEncoding: FrameEncoding | undefined;
}

type Part = Omit<NormalizedMessage, "device" | "ts"> & { readonly notes?: readonly Text[] };

const MQTT_TOPIC = /(?:^|\/)v3\/([^/]+)\/devices\/([^/]+)\/./;
const ID_WITH_EUI = /^eui-([0-9a-f]{16})$/i;

function deviceOf(body: Fields, message: InboundMessage): DeviceReference {
  const ids = objectOf(body.end_device_ids);
  const [, topicApplication, topicDevice] = MQTT_TOPIC.exec(message.topic ?? "") ?? [];
  const deviceId = nonBlank(ids?.device_id) ?? topicDevice;
  const applicationId = nonBlank(objectOf(ids?.application_ids)?.application_id);
  const token = nonBlank(body.deviceToken);
  const devEui = parseDevEui(ids?.dev_eui) ?? parseDevEui(deviceId && ID_WITH_EUI.exec(deviceId)?.[1]);
  const type = nonBlank(objectOf(objectOf(body.uplink_message)?.version_ids)?.model_id);
  return {
    ...(token && { deviceToken: token }),
    ...(devEui && { devEui }),
    ...(deviceId && {
      externalId: deviceId,
      name: deviceId,
      route: {
        networkDeviceId: deviceId,
        ...(applicationId && { applicationId }),
        ...(topicApplication && { topicApplication }),
        ...(message.pushUrl && { pushUrl: message.pushUrl }),
      },
    }),
    ...(type && { type }),
  };
}

function radioPartOf(own: Fields): Record<string, number | string> {
  const settings = objectOf(own.settings);
  const dataRate = objectOf(settings?.data_rate);
  const lora = objectOf(dataRate?.lora);
  // A missing session means that a field mask removed fields, perhaps also this one.
  const hasSession = nonBlank(own.session_key_id) !== undefined;
  const receptions = objectsOf(own.rx_metadata).map((metadata) => ({
    gateway: nonBlank(objectOf(metadata.gateway_ids)?.gateway_id),
    rssi: numberOf(metadata.rssi ?? metadata.channel_rssi),
    snr: numberOf(metadata.snr ?? (lora && 0)),
  }));
  return radioOf({
    ...bestReception(receptions),
    gateways: receptions.length > 0 ? receptions.length : undefined,
    fCnt: numberOf(own.f_cnt ?? (hasSession ? 0 : undefined)),
    fPort: numberOf(own.f_port ?? 0),
    spreadingFactor: numberOf(lora?.spreading_factor),
    frequency: numberOf(settings?.frequency),
  });
}

/** Returns the battery level that the device last reported, which is repeated in every later uplink. */
function batteryOf(own: Fields): number | undefined {
  const last = objectOf(own.last_battery_percentage);
  if (last === undefined || numberOf(last.f_cnt ?? 0) !== numberOf(own.f_cnt ?? 0)) return undefined;
  return numberOf(last.value ?? 0);
}

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];

const WARNINGS_MAX = 5;
const WARNING_CHARACTERS_MAX = 200;

function uplink({ own, frameEncoding }: Content): Part {
  if (objectOf(own.app_s_key) !== undefined) throw endToEnd();
  const frame = parseFrame(own.frm_payload, own.f_port, frameEncoding);
  const warnings = texts(own.decoded_payload_warnings)
    .slice(0, WARNINGS_MAX)
    .map((text) =>
      detail("integration_note.network_warning", { text: excerpt(text, WARNING_CHARACTERS_MAX) }),
    );
  const notes = [...warnings, ...noteOnFrame(own.frm_payload, frameEncoding)];
  const decoded = objectOf(own.decoded_payload) ?? {};
  const battery = Object.hasOwn(decoded, "battery") ? undefined : batteryOf(own);
  return {
    kind: "uplink",
    telemetry: battery === undefined ? decoded : { ...decoded, battery },
    radio: radioPartOf(own),
    ...(frame && { frame }),
    ...(notes.length > 0 && { notes }),
  };
}

function join({ own, body }: Content): Part {
  const ids = objectOf(body.end_device_ids);
  const attributes = {
    ...textsOf({
      devAddr: ids?.dev_addr,
      joinEui: ids?.join_eui,
      application: objectOf(ids?.application_ids)?.application_id,
    }),
    ...tagsOf(own.attributes),
  };
  return { kind: "join", telemetry: {}, attributes };
}

function location({ own }: Content): Part {
  const place = placeOf(own.location);
  if (place === undefined) throw invalid("integration.location_missing");
  return { kind: "location", telemetry: place };
}

/** Returns a report. The network server adds its own correlation ids. */
function reportOf(state: DownlinkReport["state"], downlink: Fields, rest: { body: Fields; error?: Text }) {
  const ids = [...texts(downlink.correlation_ids), ...texts(rest.body.correlation_ids)];
  const own = ids.find((id) => id.startsWith(OWN_CORRELATION_PREFIX));
  const correlationId = own?.slice(OWN_CORRELATION_PREFIX.length);
  return { state, ...(correlationId && { correlationId }), ...(rest.error && { error: rest.error }) };
}

const report =
  (state: DownlinkReport["state"], error?: Text) =>
  ({ own, body }: Content): Part => ({
    kind: "ack",
    telemetry: {},
    downlink: reportOf(state, own, { body, ...(error && { error }) }),
  });

/** Returns the error text with its placeholders filled: `payload of {length} bytes exceeds {max}`. */
function errorText(error: Fields | undefined): Text {
  const values = objectOf(error?.attributes) ?? {};
  const text = nonBlank(error?.message_format) ?? nonBlank(error?.name);
  const message = text?.replace(/\{([a-z0-9_]{1,64})\}/g, (gap, name: string) =>
    Object.hasOwn(values, name) ? (nameOf(values[name]) ?? JSON.stringify(values[name])).slice(0, 200) : gap,
  );
  return networkSaid(message);
}

const failed = ({ own, body }: Content): Part => ({
  kind: "ack",
  telemetry: {},
  downlink: reportOf("FAILED", objectOf(own.downlink) ?? {}, {
    body,
    error: errorText(objectOf(own.error)),
  }),
});

const serviceData = ({ own }: Content): Part => ({ kind: "uplink", telemetry: objectOf(own.data) ?? {} });

/** Readers by the key that identifies the kind of message, or the reason for ignoring that kind. */
const readers: Readonly<Record<string, Text | ((content: Content) => Part)>> = {
  uplink_message: uplink,
  join_accept: join,
  location_solved: location,
  downlink_queued: report("QUEUED"),
  downlink_sent: report("SENT"),
  downlink_ack: report("ACKNOWLEDGED"),
  downlink_nack: report("FAILED", detail("downlink_error.not_acknowledged")),
  downlink_failed: failed,
  service_data: serviceData,
  uplink_normalized: detail("ignored.same_as_uplink"),
  downlink_queue_invalidated: detail("ignored.queue_invalidated"),
  downlink_queue_push: detail("ignored.downlink_to_network"),
  downlinks: detail("ignored.downlink_to_network"),
};

/** Returns whether the message has a time. Without a time, two equal bodies may be two messages. */
const hasTime = (own: Fields, body: Fields): boolean =>
  [body.received_at, own.received_at, own.session_key_id].some((value) => nonBlank(value) !== undefined) ||
  texts(body.correlation_ids).length > 0;

/** Returns the key for deduplication. A delivery has no id; late repetitions have the same bytes. */
function dedupKeyOf(type: string, device: DeviceReference, bytes: Uint8Array): string {
  const hash = createHash("sha256").update(bytes).digest("base64url");
  return [type, device.devEui ?? device.externalId ?? "", hash].join(":");
}

function ensureVersion3(body: Fields): void {
  if (Object.hasOwn(body, "hardware_serial") || Object.hasOwn(body, "payload_raw"))
    throw invalid("integration.version_unsupported_ttn");
}

function normalize(message: InboundMessage, { frameEncoding }: IntegrationSettings): Normalized {
  const notes: Text[] = [];
  const body = jsonBody(message, "The Things Stack", (reason) => void notes.push(textOfError(reason)));
  ensureVersion3(body);
  const type = markIn(body, Object.keys(readers));
  const read = type === undefined ? undefined : readers[type];
  if (type === undefined || read === undefined) throw invalid("integration.event_unknown_things_stack");
  if (typeof read === "object") return { messages: [], ignored: read };
  const own = objectOf(body[type]) ?? {};
  const device = deviceOf(body, message);
  const receiveTimes = objectsOf(own.rx_metadata).map((metadata) => metadata.time);
  const times = [own.received_at, body.received_at, objectOf(own.settings)?.time, ...receiveTimes];
  const ts = firstTime(times, message.receivedAt);
  const { notes: said = [], ...part } = read({ own, body, frameEncoding });
  const all = [...notes, ...said];
  return {
    messages: [{ device, ...(ts !== undefined && { ts }), ...part }],
    ...(all.length > 0 && { notes: all }),
    ...(hasTime(own, body) && { dedupKey: dedupKeyOf(type, device, message.bytes) }),
  };
}

export const theThingsStack: AdapterDefinition = {
  format: "the-things-stack",
  create: (settings) => ({ normalize: (message) => normalize(message, settings) }),
};
