import type { BodyEncoding } from "../../lib/json/body.ts";
import type { JsonValue } from "../../lib/json/json.ts";
import type { KeyMetadata } from "../../lib/keys/key-metadata.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { BrokerMessage, BrokerSettings } from "../../platform/broker/broker.types.ts";
import type { CodecUse } from "../codecs/codecs.types.ts";

/** Attribute with the id of a device in other networks (SERVER scope). */
export const EXTERNAL_ID_KEY = "integration.external_id";
/** Attribute with the address of a device that keeps it when it is renamed, such as that of a Zigbee radio (SERVER scope). */
export const ADDRESS_KEY = "integration.address";
/** Attribute with the id of the integration through which a device of a broker was heard last. */
export const INTEGRATION_ID_KEY = "integration.id";

/**
 * Attribute with the id of the integration whose announcements the device follows: the integration that created the device, or that a user
 * entered. Announcements of other integrations do not reach the device.
 */
export const OWNER_KEY = "integration.owner";

/** Begins the topics, and the external ids, of all Shelly devices of the first generation. */
export const SHELLY_GEN1_BASE = "shellies/";

/** Attribute with the id of the newest change of a SHARED attribute that was sent to a device of a broker. */
export const SHARED_SENT_KEY = "integration.shared_sent";

export type IntegrationType = "HTTP" | "MQTT" | "CHIRPSTACK" | "THE_THINGS_STACK";

/** `error`: it is switched on and cannot do its work, see `lastError`; it goes on trying. */
export type IntegrationStatus = "draft" | "active" | "paused" | "error";

/** Formats in which bodies are read; `auto` for the format of the integration's type. */
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

/** Formats whose devices are recognised by the topics on which they publish. */
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
  /** The object of telemetry; the whole body unless given. */
  readonly telemetry?: string;
  /** The object of the device's own attributes; `$` for the whole body. */
  readonly attributes?: string;
  /** The list of messages in a body that holds several. */
  readonly items?: string;
  /** The frame of a device, for a codec; then the device's id may be its DevEUI. */
  readonly frame?: string;
  readonly fPort?: string;
}

export const FRAME_ENCODINGS = ["base64", "hex"] as const;
export type FrameEncoding = (typeof FRAME_ENCODINGS)[number];

export interface MqttSettings extends BrokerSettings {
  readonly topicFilter: string | readonly string[];
  /** A pattern of which the first group (or the one named `device`) is the device's id. */
  readonly topicDeviceRegex?: string;
  /** A template such as `sensors/{device}/up`, instead of a pattern. */
  readonly topicTemplate?: string;
  /** Topic for changes of SHARED attributes, with `{device}` and, for one message per attribute, `{key}`. */
  readonly attributesTopic?: string;
  readonly clientId?: string;
  readonly qos?: 0 | 1 | 2;
  /** Retained messages are only a broker's memory of what it has sent before; left out unless true. */
  readonly takeRetained?: boolean;
}

/** The way to the API of a LoRaWAN network server. */
export interface DownlinkSettings {
  /** `rest`: ChirpStack's REST proxy, or the push operation of The Things Stack; `mqtt`: through the integration's own bridge. */
  readonly via?: "rest" | "mqtt";
  readonly url?: string;
  /** Secret: sealed at rest and never told again. */
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
  /** `base64` unless given. */
  readonly frameEncoding?: FrameEncoding;
  readonly autoCreateDevice?: boolean;
  /** Announces the devices of the tenant to programs at the embedded broker, with the format `home-assistant`. */
  readonly announceDevices?: boolean;
  /** Device type of created devices. */
  readonly deviceType?: string;
  readonly profileId?: string;
  /** Before the keys of radio data; `radio_` unless given, `""` for none. */
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
  /** Downlinks. */
  readonly sent: number;
}

/** A message as it came in, before anything was read of it. */
export interface InboundMessage {
  readonly bytes: Uint8Array;
  readonly encoding: BodyEncoding;
  /** Topic of an MQTT message. */
  readonly topic?: string;
  readonly retained?: boolean;
  /** The device's id as its topic tells it. */
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

/** Origin of a message, kept with its bytes so that it can be worked on again. */
export type MessageOrigin = Omit<InboundMessage, "bytes">;

/** The way back to a device of a LoRaWAN network. */
export interface NetworkRoute {
  /** ChirpStack's application, or that of The Things Stack. */
  readonly applicationId?: string;
  /** Id of the device in The Things Stack. */
  readonly networkDeviceId?: string;
  /** `application@tenant`, as topics of The Things Stack have it. */
  readonly topicApplication?: string;
  readonly pushUrl?: string;
}

/** The device that a message is from. The first of these fields that is present decides. */
export interface DeviceReference {
  readonly deviceToken?: string;
  /** 16 lower-case hexadecimal characters. */
  readonly devEui?: string;
  readonly externalId?: string;
  /** Address that a device keeps when `externalId` changes: the device with the address gets the new id. */
  readonly address?: string;
  /** A child of the device that the others name. */
  readonly childId?: string;
  readonly route?: NetworkRoute;
  /** Used for a device that is made. */
  readonly name?: string;
  readonly type?: string;
  /**
   * `own-profile`: a created device has the profile with the name of its type, which is created if there is none. `none`: an unknown device
   * is not created.
   */
  readonly creation?: "own-profile" | "none";
  /** True if the device was announced: only devices that follow the integration's announcements match. */
  readonly isAnnounced?: true;
}

/** Before our ids among the correlation ids of The Things Stack, which adds its own. */
export const OWN_CORRELATION_PREFIX = "lineside:";

/** Report of a network server on a downlink. */
export interface DownlinkReport {
  readonly state: "QUEUED" | "SENT" | "ACKNOWLEDGED" | "FAILED";
  /** Ours, as the server gives it back. */
  readonly correlationId?: string;
  readonly error?: Text;
}

/** Note of a network server on a device. */
export interface NetworkLog {
  readonly level: "INFO" | "WARNING" | "ERROR";
  readonly text: string;
}

/** A key that a device has announced, and what it had announced for it before, if that has changed. */
export interface AnnouncedKey {
  readonly metadata: KeyMetadata;
  readonly before?: KeyMetadata | undefined;
}

/** Message as adapters return it: in the same form whatever network it came from. */
export interface NormalizedMessage {
  readonly kind: "uplink" | "join" | "status" | "location" | "ack" | "log" | "attributes";
  readonly device: DeviceReference;
  /** Epoch ms; of receipt where it is undefined. */
  readonly ts?: number;
  /** Before the mapping. Empty where there is only a frame to decode. */
  readonly telemetry: Readonly<Record<string, unknown>>;
  /** Said of the device itself, kept as its client attributes. */
  readonly attributes?: Readonly<Record<string, JsonValue>>;
  /** rssi, snr, fCnt, fPort, gateway, … without the prefix. */
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
  /** Notes for the event: parts that were left out, or read in another way than they were sent. */
  readonly notes?: readonly Text[];
  /** Reason why nothing is taken of it, where that is in order. */
  readonly ignored?: Text;
  /** Messages with the same key within a day are one. */
  readonly dedupKey?: string;
  readonly replies?: readonly BrokerMessage[];
}

/** Reads one kind of body. May keep what it has to know of earlier ones (Sparkplug's aliases). */
export interface Adapter {
  /** @throws DomainError of kind `invalid` that says what is wrong with the body, for a person. */
  normalize(message: InboundMessage): Normalized;
  /** Returns the data type that a Sparkplug birth gave a metric of a device; undefined if none was heard since the start. */
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
  /** Result of the message, or the reason of its failure. */
  readonly text: Text;
  readonly payload: Uint8Array | null;
  readonly origin: MessageOrigin | null;
  /** JSON text. */
  readonly result: string | null;
  readonly isReplayable: boolean;
  readonly replayedAt: number | null;
  readonly createdAt: number;
}
