import type { TenantId } from "../../lib/core/ids.ts";

export const MQTT_SIGN_INS = ["PASSWORD", "CERTIFICATE", "API_KEY"] as const;

/** Topics that a client may use, as MQTT topic filters in the space of its tenant. */
export interface TopicPatterns {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/** A message on a topic of a tenant. */
export interface LocalMessage {
  readonly topic: string;
  /** Valid only during the call. */
  readonly payload: Uint8Array;
  readonly qos: 0 | 1 | 2;
}

/** A message that is published on a topic of a tenant by the API or by an integration. */
export interface NewMessage {
  readonly topic: string;
  readonly payload: Uint8Array;
  readonly qos: 0 | 1;
  readonly retain: boolean;
}

/** Topics of a tenant's MQTT clients, as the integrations use them. */
export interface LocalTopics {
  /**
   * Hands over what clients publish on the filters. The publisher gets its acknowledgement when `take` has resolved; if it rejects, the
   * client has to send the message again. Returns the function that ends it.
   */
  follow(
    tenantId: TenantId,
    filters: readonly string[],
    take: (message: LocalMessage) => Promise<void>,
    /** Topics that are followed in addition to the filters; they may change. */
    topics?: { has(topic: string): boolean },
  ): () => void;
  retained(tenantId: TenantId, filter: string): readonly LocalMessage[];
  /** Returns the newest message of each topic since the gateway started, with the first bytes of its payload. */
  newest(tenantId: TenantId): readonly TopicState[];
  /** Publishes to the clients, but not to `follow`. */
  publish(tenantId: TenantId, message: NewMessage): Promise<void>;
}

/** The newest message on a topic of a tenant. */
export interface TopicState {
  readonly topic: string;
  /** The first bytes of the payload. */
  readonly payload: Uint8Array;
  /** Length of the whole payload. */
  readonly bytes: number;
  readonly isRetained: boolean;
  readonly qos: 0 | 1 | 2;
  /** Epoch ms. */
  readonly receivedAt: number;
  /** Messages since the topic was first seen. */
  readonly messages: number;
  /** Average of the last ten seconds or so. */
  readonly perSecond: number;
}

/** Messages that a client has published on topics that are not its own. */
export interface RefusedMessages {
  readonly messages: number;
  /** Topic of the newest message. */
  readonly topic: string;
  /** Epoch ms. */
  readonly refusedAt: number;
}

/** What the service needs of the broker. */
export interface MqttTopics {
  /** Topics of the tenant that begin with `prefix`, by name; a bounded number. */
  list(tenantId: TenantId, prefix: string): readonly TopicState[];
  publish(tenantId: TenantId, message: NewMessage): Promise<void>;
  /** Open connections of the client. */
  connectionsOf(mqttClientId: string): number;
  /** Returns the refused messages among the faults of the client; undefined without any. */
  refusedOf(mqttClientId: string): RefusedMessages | undefined;
}
