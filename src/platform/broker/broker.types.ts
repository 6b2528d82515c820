/** Way to an MQTT broker, with the decrypted secrets. */
export interface BrokerSettings {
  /** `mqtt://`, `mqtts://`, `ws://` or `wss://`. */
  readonly brokerUrl: string;
  /** 4: MQTT 3.1.1; 5. */
  readonly protocolVersion?: 4 | 5;
  readonly keepAliveS?: number;
  readonly tls?: { readonly rejectUnauthorized?: boolean; readonly serverName?: string };
  readonly credentials?: BrokerCredentials;
}

/** Sealed at rest and never told again, but for the user name and whether there is one. */
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
  /** Retained messages are wanted, too, for a subscription that is new. */
  readonly takeRetained: boolean | "always";
}

export interface GrantedSubscription {
  readonly filter: string;
  /** Quality that the broker grants; null where it refuses. */
  readonly qos: number | null;
}

/** What a broker that speaks MQTT 5 has said of itself. */
export interface BrokerLimits {
  /** Messages that may wait for their acknowledgement. */
  readonly receiveMaximum: number;
  /** Bytes of the largest packet. */
  readonly packetBytesMax: number;
}
