/** ChirpStack v4 and v3, by HTTP (event in the query) or MQTT (event in the topic). Zeros are omitted in `rxInfo` and `txInfo`. */
import { nonBlank } from "../../../lib/core/defined.ts";
import { detail, invalid, toText as textOfError } from "../../../lib/core/domain-error.ts";
import { parseDevEui } from "../../../lib/devices/dev-eui.ts";
import { isBase64 } from "../../../lib/devices/downlink-payload.ts";
import { decodeBody } from "../../../lib/json/body.ts";
import { excerpt } from "../../../lib/strings/excerpt.ts";
import type { Text } from "../../../lib/texts/text.ts";
import type {
  AdapterDefinition,
  DeviceReference,
  DownlinkReport,
  FrameEncoding,
  InboundMessage,
  IntegrationSettings,
  NetworkLog,
  Normalized,
  NormalizedMessage,
} from "../integrations.types.ts";
import { type Fields, hasValue, markIn, nameOf, numberOf, objectOf, objectsOf } from "./fields.ts";
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

/*
 * Converts events of ChirpStack v3 to those of v4. The JSON marshaler "json_v3" writes EUIs as hexadecimal strings and the decoded object as
 * `object`; "json" writes bytes as base64 and the object as a string in `objectJSON`.
 */

/** Returns bytes as a hexadecimal string, for either marshaler. */
function hexOf(value: unknown, byteCount: number): string | undefined {
  const text = nonBlank(value)?.trim();
  if (text === undefined || /^[\da-f]*$/i.test(text) || !isBase64(text)) return text;
  const bytes = Buffer.from(text, "base64");
  return bytes.length === byteCount ? bytes.toString("hex") : text;
}

function decodedOf({ object, objectJSON }: Fields): Fields | undefined {
  const json = nonBlank(objectJSON);
  if (objectOf(object) !== undefined || json === undefined) return objectOf(object);
  try {
    return objectOf(decodeBody(Buffer.from(json), "JSON")) ?? {};
  } catch {
    throw invalid("integration.object_json_invalid");
  }
}

/** Converts a reception. Gateways with a built-in network server (Milesight) use this format with some other names. */
const receptionOf = ({ gatewayID, mac, rssi, loRaSNR, time }: Fields) => ({
  gatewayId: hexOf(gatewayID ?? mac, 8),
  rssi,
  snr: loRaSNR,
  gwTime: time,
});

function transmissionOf({ frequency, loRaModulationInfo, dataRate }: Fields, isLora: boolean) {
  const spreadingFactor = numberOf(
    objectOf(loRaModulationInfo)?.spreadingFactor ?? objectOf(dataRate)?.spreadFactor,
  );
  return { frequency, ...(isLora && { modulation: { lora: { spreadingFactor } } }) };
}

/** Removes undefined fields, because field names distinguish events. */
const present = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));

/** Returns whether a body has the fields of v3. */
const isVersion3 = (body: Fields): boolean =>
  !Object.hasOwn(body, "deviceInfo") && ["devEUI", "applicationID"].some((name) => Object.hasOwn(body, name));

/** Fields of an uplink that are not measured values, in bodies decoded by a gateway. */
const ofMessage: ReadonlySet<string> = new Set([
  ...["applicationID", "applicationName", "deviceName", "deviceProfileName", "deviceProfileID", "devEUI"],
  ...["devAddr", "tags", "time", "timestamp", "gatewayTime", "publishedAt", "adr", "dr", "fCnt", "fPort"],
  ...[
    "confirmedUplink",
    "rxInfo",
    "txInfo",
    "data",
    "data_encode",
    "object",
    "objectJSON",
    "deduplicationId",
  ],
  ...["type", "error", "gatewayID", "acknowledged", "margin", "batteryLevel", "batteryLevelUnavailable"],
  ...["externalPowerSource", "location", "integrationName", "eventType", "cellularIP"],
]);

/** Returns the values in the body itself if a gateway decoded the frame (Milesight); undefined for any other body. */
function valuesIn(body: Fields): Fields | undefined {
  if (hasValue(body.data) || decodedOf(body) !== undefined) return undefined;
  if (["error", "gatewayID", "acknowledged", "margin", "location"].some((name) => hasValue(body[name])))
    return undefined;
  const values = present(Object.fromEntries(Object.entries(body).filter(([name]) => !ofMessage.has(name))));
  return Object.keys(values).length === 0 ? undefined : values;
}

/** @throws DomainError `integration.object_json_invalid` */
function fromVersion3(body: Fields): Fields {
  const receptions = objectsOf(body.rxInfo);
  const txInfo = objectOf(body.txInfo);
  const hasError = hasValue(body.error);
  const values = valuesIn(body);
  // The counter of a confirmation is the downlink's counter.
  const isAck = typeof body.acknowledged === "boolean" && !hasValue(body.data) && values === undefined;
  const isUplink =
    !hasError &&
    !isAck &&
    (values !== undefined ||
      ["fCnt", "fPort", "data", "object", "objectJSON"].some((name) => Object.hasOwn(body, name)));
  const isLora = receptions.some(({ loRaSNR }) => loRaSNR !== undefined);
  const { error, type } = body;
  return present({
    ...body,
    deviceInfo: {
      devEui: hexOf(body.devEUI, 8),
      deviceName: body.deviceName,
      deviceProfileName: body.deviceProfileName,
      applicationId: typeof body.applicationID === "number" ? String(body.applicationID) : body.applicationID,
      applicationName: body.applicationName,
      tags: body.tags,
    },
    devAddr: hexOf(body.devAddr, 4),
    time:
      receptions.map(({ time }) => nonBlank(time)).find((time) => time !== undefined) ??
      body.time ??
      body.timestamp ??
      body.publishedAt,
    dr: body.dr ?? txInfo?.dr,
    object: values ?? decodedOf(body),
    rxInfo: isUplink ? receptions.map(receptionOf) : undefined,
    txInfo: isUplink && txInfo !== undefined ? transmissionOf(txInfo, isLora) : undefined,
    // The gateway of a transmission stands outside of `rxInfo`.
    downlinkId: hasValue(body.gatewayID) ? body.gatewayID : undefined,
    ...(isAck && { fCnt: undefined }),
    ...(hasError && { fCnt: undefined, level: "ERROR", code: type, description: error }),
  });
}

/** Filter of the topics under which ChirpStack publishes the events of devices. */
const DEVICE_FILTER = "application/+/device/+/event/+";
const GATEWAY_TOPIC = /(?:^|\/)gateway\/[^/]+\/(?:event|state|command)\//;

type Part = Omit<NormalizedMessage, "device" | "ts"> & { readonly notes?: readonly Text[] };

const MQTT_TOPIC = /(?:^|\/)application\/[^/]+\/device\/([0-9a-fA-F]{16})\/(event|command)\/([a-z]+)$/;

/**
 * Fields that distinguish the events if neither query nor topic names the event; the first field with a value decides. Programs that rewrite
 * messages add the fields of other events, empty.
 */
const MARKS: ReadonlyArray<readonly [event: string, mark: string]> = [
  ["integration", "integrationName"],
  ["up", "data"],
  ["up", "object"],
  ["ack", "acknowledged"],
  ["txack", "downlinkId"],
  ["ack", "queueItemId"],
  ["up", "rxInfo"],
  ["up", "txInfo"],
  ["up", "fPort"],
  ["up", "fCnt"],
  ["status", "margin"],
  ["status", "batteryLevel"],
  ["status", "batteryLevelUnavailable"],
  ["status", "externalPowerSource"],
  ["location", "location"],
  ["log", "level"],
  ["log", "code"],
  ["log", "description"],
  ["join", "devAddr"],
];

function eventOf(body: Fields, message: InboundMessage): string | undefined {
  const inTopic = message.topic === undefined ? undefined : MQTT_TOPIC.exec(message.topic)?.[3];
  const said = message.event ?? inTopic;
  if (said !== undefined && said !== "") return said.toLowerCase();
  const found = markIn(
    body,
    MARKS.map(([, mark]) => mark),
  );
  return MARKS.find(([, mark]) => mark === found)?.[0];
}

function deviceOf(body: Fields, message: InboundMessage): DeviceReference {
  const info = objectOf(body.deviceInfo);
  const token = nonBlank(body.deviceToken);
  const devEui =
    parseDevEui(info?.devEui) ?? parseDevEui(message.topic && MQTT_TOPIC.exec(message.topic)?.[1]);
  const name = nonBlank(info?.deviceName);
  const type = nonBlank(info?.deviceProfileName);
  const applicationId = nonBlank(info?.applicationId);
  return {
    ...(token && { deviceToken: token }),
    ...(devEui && { devEui }),
    ...(applicationId && { route: { applicationId } }),
    ...(name && { name }),
    ...(type && { type }),
  };
}

function spreadingFactorOf(txInfo: unknown): number | undefined {
  const modulation = objectOf(objectOf(txInfo)?.modulation);
  return numberOf(objectOf(modulation?.lora)?.spreadingFactor);
}

function radioPartOf(body: Fields): Record<string, number | string> {
  const isLora = objectOf(objectOf(objectOf(body.txInfo)?.modulation)?.lora) !== undefined;
  const receptions = objectsOf(body.rxInfo).map((info) => ({
    gateway: nonBlank(info.gatewayId),
    rssi: numberOf(info.rssi ?? 0),
    snr: numberOf(info.snr ?? (isLora ? 0 : undefined)),
  }));
  // A body written by hand may contain only the object, so a missing counter is not 0.
  const zero = receptions.length > 0 || hasValue(body.data) ? 0 : undefined;
  // A field that is null says that its value is not known.
  const counted = (value: unknown) => (value === null ? undefined : numberOf(value ?? zero));
  return radioOf({
    ...bestReception(receptions),
    gateways: receptions.length > 0 ? receptions.length : undefined,
    fCnt: counted(body.fCnt),
    fPort: counted(body.fPort),
    dr: numberOf(body.dr),
    spreadingFactor: spreadingFactorOf(body.txInfo),
    frequency: numberOf(objectOf(body.txInfo)?.frequency),
  });
}

/** Returns the encoding of the frame by the settings, otherwise by the message. */
const encodingOf = (body: Fields, { frameEncoding }: IntegrationSettings): FrameEncoding | undefined =>
  frameEncoding ?? (/^hex/i.test(nonBlank(body.data_encode) ?? "") ? "hex" : undefined);

function uplink(body: Fields, settings: IntegrationSettings): Part {
  if (objectOf(objectOf(body.joinServerContext)?.appSKey) !== undefined) throw endToEnd();
  const encoding = encodingOf(body, settings);
  const frame = parseFrame(body.data, body.fPort, encoding);
  const telemetry = objectOf(body.object) ?? {};
  const radio = radioPartOf(body);
  const isEmpty = frame === undefined && Object.keys({ ...telemetry, ...radio }).length === 0;
  const notes = isEmpty
    ? [detail("integration_note.nothing_decoded", { fields: "data, object" })]
    : noteOnFrame(body.data, encoding);
  return {
    kind: "uplink",
    telemetry,
    radio,
    ...(frame && { frame }),
    ...(notes.length > 0 && { notes }),
  };
}

function join(body: Fields): Part {
  const info = objectOf(body.deviceInfo);
  const attributes = {
    ...textsOf({
      devAddr: body.devAddr,
      deviceProfile: info?.deviceProfileName,
      application: info?.applicationName,
    }),
    ...tagsOf(info?.tags),
  };
  return { kind: "join", telemetry: {}, attributes };
}

/** Reads the status. Level 0 also means an unknown level or no battery, so the flags are checked first. */
function status(body: Fields): Part {
  const hasLevel = body.externalPowerSource !== true && body.batteryLevelUnavailable !== true;
  const battery = hasLevel ? numberOf(body.batteryLevel ?? 0) : undefined;
  const telemetry = { margin: numberOf(body.margin ?? 0), battery };
  return { kind: "status", telemetry: radioOf(telemetry) };
}

function location(body: Fields): Part {
  const place = placeOf(body.location);
  if (place === undefined) throw invalid("integration.location_missing");
  return { kind: "location", telemetry: place };
}

const reportOf = (state: DownlinkReport["state"], id: unknown, error?: Text): DownlinkReport => {
  const correlationId = nonBlank(id);
  return { state, ...(correlationId && { correlationId }), ...(error && { error }) };
};

const ack = (body: Fields): Part => ({
  kind: "ack",
  telemetry: {},
  downlink:
    body.acknowledged === true
      ? reportOf("ACKNOWLEDGED", body.queueItemId)
      : reportOf("FAILED", body.queueItemId, detail("downlink_error.not_acknowledged")),
});

/** Reports that the downlink was handed to the gateway for transmission. */
const txack = (body: Fields): Part => ({
  kind: "ack",
  telemetry: {},
  downlink: reportOf("SENT", body.queueItemId),
});

const LEVELS = new Set(["INFO", "WARNING", "ERROR"]);

/** Returns a log entry. An error whose context names a downlink means that the downlink was removed from the queue. */
function log(body: Fields): Part {
  const level = (
    LEVELS.has(nonBlank(body.level) ?? "") ? body.level : body.level === undefined ? "INFO" : "ERROR"
  ) as NetworkLog["level"]; // one of the three, as just looked
  const text = [nonBlank(body.code), nonBlank(body.description)]
    .filter((part) => part !== undefined)
    .join(": ");
  const queueItemId = nonBlank(objectOf(body.context)?.queue_item_id);
  const isFailure = queueItemId !== undefined && level === "ERROR";
  return {
    kind: "log",
    telemetry: {},
    log: { level, text: text || "no description" },
    ...(isFailure && { downlink: reportOf("FAILED", queueItemId, networkSaid(text)) }),
  };
}

/** Returns the result of another ChirpStack integration (a geolocation service, a modem service) for a frame. */
const integration = (body: Fields): Part => ({ kind: "uplink", telemetry: objectOf(body.object) ?? {} });

/** Readers by event. */
const readers: ReadonlyMap<string, (body: Fields, settings: IntegrationSettings) => Part> = new Map([
  ["up", uplink],
  ["join", join],
  ["status", status],
  ["location", location],
  ["ack", ack],
  ["txack", txack],
  ["log", log],
  ["error", log], // of version 3
  ["integration", integration],
]);

/** Returns the deduplication key. Events of one frame share an id; `txack` and `log` have none. */
function dedupKeyOf(event: string, body: Fields): string | undefined {
  if (event === "log") return undefined;
  const isOfQueue = event === "ack" || event === "txack";
  const id = nonBlank(isOfQueue ? body.queueItemId : body.deduplicationId);
  if (id === undefined) return undefined;
  const parts = [event, id];
  if (event === "integration")
    parts.push(nonBlank(body.integrationName) ?? "", nonBlank(body.eventType) ?? "");
  if (event === "ack") parts.push(String(body.acknowledged === true));
  if (event === "txack") parts.push(nameOf(body.downlinkId) ?? "");
  return parts.join(":");
}

/** Returns the error for a body without any sign of its event. */
const eventUnknown = ({ topic }: InboundMessage) =>
  topic === undefined
    ? invalid("integration.event_unknown")
    : invalid("integration.event_unknown_topic", { topic: excerpt(topic), filter: DEVICE_FILTER });

function readEvent(message: InboundMessage, settings: IntegrationSettings): Normalized {
  const notes: Text[] = [];
  const sent = jsonBody(message, "ChirpStack", (reason) => void notes.push(textOfError(reason)));
  const body = isVersion3(sent) ? fromVersion3(sent) : sent;
  const event = eventOf(body, message);
  if (event === undefined) throw eventUnknown(message);
  const read = readers.get(event);
  if (!read) return { messages: [], ignored: detail("ignored.event_unknown", { event: excerpt(event) }) };
  const times = [body.time, ...objectsOf(body.rxInfo).flatMap((info) => [info.nsTime, info.gwTime])];
  const ts = firstTime(times, message.receivedAt);
  const dedupKey = dedupKeyOf(event, body);
  const { notes: own = [], ...part } = read(body, settings);
  const all = [...notes, ...own];
  return {
    messages: [{ device: deviceOf(body, message), ...(ts !== undefined && { ts }), ...part }],
    ...(all.length > 0 && { notes: all }),
    ...(dedupKey && { dedupKey }),
  };
}

function normalize(message: InboundMessage, settings: IntegrationSettings): Normalized {
  const { topic = "" } = message;
  if (MQTT_TOPIC.exec(topic)?.[2] === "command")
    return { messages: [], ignored: detail("ignored.command_to_network") };
  if (GATEWAY_TOPIC.test(topic))
    return {
      messages: [],
      ignored: detail("ignored.gateway_topic", { topic: excerpt(topic), filter: DEVICE_FILTER }),
    };
  return readEvent(message, settings);
}

export const chirpstack: AdapterDefinition = {
  format: "chirpstack",
  create: (settings) => ({ normalize: (message) => normalize(message, settings) }),
};
