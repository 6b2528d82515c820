import type { TenantId } from "../../lib/core/ids.ts";

export const MQTT_SIGN_INS = ["PASSWORD", "CERTIFICATE", "API_KEY"] as const;

/** Topics that a client may use, as MQTT topic filters in the space of its tenant. */
export interface TopicPatterns {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/** Message on a topic of a tenant. */
export interface LocalMessage {
  readonly topic: string;
  /** Valid only during the call. */
  readonly payload: Uint8Array;
  readonly qos: 0 | 1 | 2;
}

/** Message published on a topic of a tenant by the API or an integration. */
export interface NewMessage {
  readonly topic: string;
  readonly payload: Uint8Array;
  readonly qos: 0 | 1;
  readonly retain: boolean;
}

/** Topics of a tenant's MQTT clients, as used by integrations. */
export interface LocalTopics {
  /**
   * Passes messages that clients publish on the filters to `take`. The publisher gets its acknowledgement when `take` has resolved; if it rejects,
   * the client must resend the message. Returns a function that ends this.
   */
  follow(
    tenantId: TenantId,
    filters: readonly string[],
    take: (message: LocalMessage) => Promise<void>,
    /** Topics followed in addition to the filters; they may change. */
    topics?: { has(topic: string): boolean },
  ): () => void;
  retained(tenantId: TenantId, filter: string): readonly LocalMessage[];
  /** Returns the newest message of each topic since startup, with the first bytes of its payload. */
  newest(tenantId: TenantId): readonly TopicState[];
  /** Publishes to the clients, but not to `follow`. */
  publish(tenantId: TenantId, message: NewMessage): Promise<void>;
}

/** Newest message on a topic of a tenant. */
export interface TopicState {
  readonly topic: string;
  /** First bytes of the payload. */
  readonly payload: Uint8Array;
  /** Length of the whole payload. */
  readonly bytes: number;
  readonly isRetained: boolean;
  readonly qos: 0 | 1 | 2;
  /** Epoch ms. */
  readonly receivedAt: number;
  /** Messages since the topic was first seen. */
  readonly messages: number;
  /** Average of about the last ten seconds. */
  readonly perSecond: number;
}

/** Messages that a client published on topics outside its patterns. */
export interface RefusedMessages {
  readonly messages: number;
  /** Topic of the newest message. */
  readonly topic: string;
  /** Epoch ms. */
  readonly refusedAt: number;
}

/** Parts of the broker that the service uses. */
export interface MqttTopics {
  /** Returns topics of the tenant that begin with `prefix`, by name; a limited number. */
  list(tenantId: TenantId, prefix: string): readonly TopicState[];
  publish(tenantId: TenantId, message: NewMessage): Promise<void>;
  /** Returns the number of the client's open connections. */
  connectionsOf(mqttClientId: string): number;
  /** Returns the refused messages among the client's faults; undefined if there are none. */
  refusedOf(mqttClientId: string): RefusedMessages | undefined;
}
