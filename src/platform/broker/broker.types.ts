/** Connection settings of an MQTT broker, with decrypted secrets. */
export interface BrokerSettings {
  /** `mqtt://`, `mqtts://`, `ws://` or `wss://`. */
  readonly brokerUrl: string;
  /** 4 is MQTT 3.1.1. */
  readonly protocolVersion?: 4 | 5;
  readonly keepAliveS?: number;
  readonly tls?: { readonly rejectUnauthorized?: boolean; readonly serverName?: string };
  readonly credentials?: BrokerCredentials;
}

/** Credentials, encrypted at rest. Responses contain the user name and which credentials are set. */
export interface BrokerCredentials {
  readonly username?: string;
  readonly password?: string;
  /** PEM. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

export interface BrokerMessage {
  readonly topic: string;
  readonly payload: Uint8Array | string;
  readonly qos: 0 | 1;
  readonly retain?: boolean;
}

export interface BrokerSubscription {
  readonly filters: readonly string[];
  readonly qos: 0 | 1 | 2;
  /** True if a new subscription also gets retained messages. */
  readonly takeRetained: boolean | "always";
}

export interface GrantedSubscription {
  readonly filter: string;
  /** Granted quality of service; null if the broker refuses the filter. */
  readonly qos: number | null;
}

/** Limits that a broker with MQTT 5 announces. */
export interface BrokerLimits {
  /** Max. unacknowledged messages. */
  readonly receiveMaximum: number;
  /** Max. bytes of a packet. */
  readonly packetBytesMax: number;
}
