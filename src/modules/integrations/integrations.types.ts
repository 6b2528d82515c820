import type { BodyEncoding } from "../../lib/json/body.ts";
import type { JsonValue } from "../../lib/json/json.ts";
import type { KeyMetadata } from "../../lib/keys/key-metadata.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { BrokerMessage, BrokerSettings } from "../../platform/broker/broker.types.ts";
import type { CodecUse } from "../codecs/codecs.types.ts";

/** Attribute with the id of a device in other networks (SERVER scope). */
export const EXTERNAL_ID_KEY = "integration.external_id";
/** Attribute with a device's permanent address, such as that of a Zigbee radio (SERVER scope); unchanged when the device is renamed. */
export const ADDRESS_KEY = "integration.address";
/** Attribute with the id of the integration that last received a device of a broker. */
export const INTEGRATION_ID_KEY = "integration.id";

/**
 * Attribute with the id of the integration whose announcements the device follows: the integration that created it, or that a user entered.
 * Announcements of other integrations do not affect the device.
 */
export const OWNER_KEY = "integration.owner";

/** Prefix of the topics and external ids of all first-generation Shelly devices. */
export const SHELLY_GEN1_BASE = "shellies/";

/** Attribute with the id of the newest SHARED attribute change that was sent to a device of a broker. */
export const SHARED_SENT_KEY = "integration.shared_sent";

export type IntegrationType = "HTTP" | "MQTT" | "CHIRPSTACK" | "THE_THINGS_STACK";

/** `error`: switched on but not working, see `lastError`; keeps retrying. */
export type IntegrationStatus = "draft" | "active" | "paused" | "error";

/** Formats of message bodies; `auto` is the format of the integration's type. */
export const MESSAGE_FORMATS = [
  "auto",
  "generic",
  "tasmota",
  "zigbee2mqtt",
  "shelly",
  "sparkplug",
  "home-assistant",
  "chirpstack",
  "the-things-stack",
] as const;
export type MessageFormat = (typeof MESSAGE_FORMATS)[number];

/** Formats whose devices are recognized by the topics on which they publish. */
export const DISCOVERED_FORMATS = [
  "tasmota",
  "zigbee2mqtt",
  "shelly",
  "home-assistant",
  "sparkplug",
] as const satisfies readonly MessageFormat[];
export type DiscoveredFormat = (typeof DISCOVERED_FORMATS)[number];

/** Dotted paths to the parts of a generic body; `[0]` selects a list item. */
export interface PathTemplates {
  readonly deviceId?: string;
  readonly deviceName?: string;
  readonly deviceType?: string;
  readonly ts?: string;
  /** Telemetry object; by default the whole body. */
  readonly telemetry?: string;
  /** Object of the device's own attributes; `$` for the whole body. */
  readonly attributes?: string;
  /** List of messages, if a body holds several. */
  readonly items?: string;
  /** Frame of a device, for a codec; the device's id may then be its DevEUI. */
  readonly frame?: string;
  readonly fPort?: string;
}

export const FRAME_ENCODINGS = ["base64", "hex"] as const;
export type FrameEncoding = (typeof FRAME_ENCODINGS)[number];

export interface MqttSettings extends BrokerSettings {
  readonly topicFilter: string | readonly string[];
  /** Pattern whose first group (or the group named `device`) is the device's id. */
  readonly topicDeviceRegex?: string;
  /** Template such as `sensors/{device}/up`, instead of a pattern. */
  readonly topicTemplate?: string;
  /** Topic for changes of SHARED attributes, with `{device}` and, for one message per attribute, `{key}`. */
  readonly attributesTopic?: string;
  readonly clientId?: string;
  readonly qos?: 0 | 1 | 2;
  /** True to process retained messages, which a broker replays; default false. */
  readonly takeRetained?: boolean;
}

/** Access to the API of a LoRaWAN network server. */
export interface DownlinkSettings {
  /** `rest`: ChirpStack's REST proxy, or the push operation of The Things Stack; `mqtt`: through the integration's own bridge. */
  readonly via?: "rest" | "mqtt";
  readonly url?: string;
  /** Secret: sealed at rest and never returned. */
  readonly apiKey?: string;
  readonly applicationId?: string;
  /** The Things Stack only. */
  readonly webhookId?: string;
  readonly tenantId?: string;
  readonly fPort?: number;
  readonly confirmed?: boolean;
  readonly priority?: string;
  readonly retries?: number;
}

export interface ScriptTransform {
  readonly enabled: boolean;
  readonly source: string;
}

/** `settings_json` of an integration. */
export interface IntegrationSettings {
  readonly format?: MessageFormat;
  readonly encoding?: BodyEncoding;
  readonly paths?: PathTemplates;
  /** Default: `base64`. */
  readonly frameEncoding?: FrameEncoding;
  readonly autoCreateDevice?: boolean;
  /** True to announce the tenant's devices to programs at the embedded broker, with the format `home-assistant`. */
  readonly announceDevices?: boolean;
  /** Device type of created devices. */
  readonly deviceType?: string;
  readonly profileId?: string;
  /** Prefix of the keys of radio data; default `radio_`, `""` for none. */
  readonly radioPrefix?: string;
  readonly radioMetadata?: boolean;
  readonly mqtt?: MqttSettings;
  readonly scriptTransform?: ScriptTransform;
  /** Codecs of the tenant's library, for frames that the integration's own script does not decode. */
  readonly codecs?: readonly CodecUse[];
  readonly downlink?: DownlinkSettings;
}

export interface IntegrationCounts {
  readonly received: number;
  readonly stored: number;
  readonly dropped: number;
  readonly failed: number;
  /** Number of sent downlinks. */
  readonly sent: number;
}

/** Received message, before it is parsed. */
export interface InboundMessage {
  readonly bytes: Uint8Array;
  readonly encoding: BodyEncoding;
  /** Topic of an MQTT message. */
  readonly topic?: string;
  readonly retained?: boolean;
  /** Device id taken from the topic. */
  readonly topicDevice?: string;
  /** URL for downlinks to the device, as The Things Stack sends it. */
  readonly pushUrl?: string;
  /** Value of ChirpStack's query parameter: `event=up`. */
  readonly event?: string;
  /** Epoch ms. */
  readonly receivedAt: number;
  /** Sealed access tokens that are masked in `bytes`. */
  readonly sealedTokens?: string;
}

/** Origin of a message, kept with its bytes for a replay. */
export type MessageOrigin = Omit<InboundMessage, "bytes">;

/** Route to a device of a LoRaWAN network. */
export interface NetworkRoute {
  /** Application in ChirpStack or The Things Stack. */
  readonly applicationId?: string;
  /** Id of the device in The Things Stack. */
  readonly networkDeviceId?: string;
  /** `application@tenant`, as in topics of The Things Stack. */
  readonly topicApplication?: string;
  readonly pushUrl?: string;
}

/** Device that sent a message. The first of these fields that is present decides. */
export interface DeviceReference {
  readonly deviceToken?: string;
  /** 16 lower-case hexadecimal characters. */
  readonly devEui?: string;
  readonly externalId?: string;
  /** Permanent address of the device. If `externalId` changes, the device with this address gets the new id. */
  readonly address?: string;
  /** Child of the device that the other fields name. */
  readonly childId?: string;
  readonly route?: NetworkRoute;
  /** Name for a created device. */
  readonly name?: string;
  readonly type?: string;
  /** `own-profile`: a created device gets the profile named after its type, which is created if missing. `none`: unknown devices are not created. */
  readonly creation?: "own-profile" | "none";
  /** True if the device was announced: only devices that follow the integration's announcements match. */
  readonly isAnnounced?: true;
}

/** Prefix of our ids among the correlation ids of The Things Stack, which adds its own. */
export const OWN_CORRELATION_PREFIX = "lineside:";

/** Report of a network server on a downlink. */
export interface DownlinkReport {
  readonly state: "QUEUED" | "SENT" | "ACKNOWLEDGED" | "FAILED";
  /** Our id, as returned by the server. */
  readonly correlationId?: string;
  readonly error?: Text;
}

/** Note of a network server on a device. */
export interface NetworkLog {
  readonly level: "INFO" | "WARNING" | "ERROR";
  readonly text: string;
}

/** Announced key with its previous announcement, if that changed. */
export interface AnnouncedKey {
  readonly metadata: KeyMetadata;
  readonly before?: KeyMetadata | undefined;
}

/** Message as adapters return it, in the same form for all networks. */
export interface NormalizedMessage {
  readonly kind: "uplink" | "join" | "status" | "location" | "ack" | "log" | "attributes";
  readonly device: DeviceReference;
  /** Epoch ms; time of receipt if undefined. */
  readonly ts?: number;
  /** Values before the mapping; empty if there is only a frame to decode. */
  readonly telemetry: Readonly<Record<string, unknown>>;
  /** Values about the device itself, stored as its client attributes. */
  readonly attributes?: Readonly<Record<string, JsonValue>>;
  /** Radio data (rssi, snr, fCnt, fPort, gateway, …) without the prefix. */
  readonly radio?: Readonly<Record<string, number | string>>;
  /** The frame as the device sent it, for a codec. */
  readonly frame?: { readonly bytes: Uint8Array; readonly fPort: number };
  readonly downlink?: DownlinkReport;
  readonly log?: NetworkLog;
  /** Metadata for the profile of the device. */
  readonly keys?: readonly AnnouncedKey[];
}

export interface Normalized {
  readonly messages: readonly NormalizedMessage[];
  /** Notes for the event: parts that were left out or converted. */
  readonly notes?: readonly Text[];
  /** Reason for ignoring the message, if that is intended. */
  readonly ignored?: Text;
  /** Messages with the same key within a day are duplicates. */
  readonly dedupKey?: string;
  readonly replies?: readonly BrokerMessage[];
}

/** Reads one kind of body. May keep state from earlier messages (Sparkplug's aliases). */
export interface Adapter {
  /** @throws DomainError `invalid` that describes the error in the body */
  normalize(message: InboundMessage): Normalized;
  /** Returns the data type that a Sparkplug birth gave a device's metric; undefined if no birth was received since startup. */
  metricType?(externalId: string, name: string): number | undefined;
}

export interface AdapterDefinition {
  readonly format: Exclude<MessageFormat, "auto">;
  create(settings: IntegrationSettings): Adapter;
}

export type EventStatus = "PENDING" | "OK" | "ERROR" | "DROPPED";

/** Stage at which the processing of a message ended. */
export type Stage = "receive" | "adapter" | "mapping" | "script" | "resolution" | "ingest" | "downlink";

export interface IntegrationEvent {
  readonly seq: number;
  readonly eventId: string;
  readonly integrationId: string;
  readonly direction: "IN" | "OUT";
  readonly status: EventStatus;
  readonly stage: Stage;
  /** Result of the message, or the reason for its failure. */
  readonly text: Text;
  readonly payload: Uint8Array | null;
  readonly origin: MessageOrigin | null;
  /** JSON string. */
  readonly result: string | null;
  readonly isReplayable: boolean;
  readonly replayedAt: number | null;
  readonly createdAt: number;
}
