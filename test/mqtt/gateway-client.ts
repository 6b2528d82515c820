import { connectAsync, type MqttClient } from "mqtt";
import type { TestApp } from "../support/test-app.ts";

export interface GatewayDevice {
  readonly deviceId: string;
  readonly token: string;
}

export interface ReceivedMessage {
  readonly topic: string;
  readonly payload: Buffer;
}

export const json = ({ payload }: ReceivedMessage) => JSON.parse(payload.toString());

/** A gateway of a test that is connected, with what it is told, in order. */
export class GatewayClient {
  readonly client: MqttClient;
  readonly #received: ReceivedMessage[] = [];
  #wake: () => void = () => undefined;

  private constructor(client: MqttClient) {
    this.client = client;
    client.on("message", (topic, payload) => {
      this.#received.push({ topic, payload });
      this.#wake();
    });
  }

  static async connect(
    fixture: TestApp,
    { token }: GatewayDevice,
    { version = 5, filter, session }: { version?: 4 | 5; filter?: string; session?: string } = {},
  ): Promise<GatewayClient> {
    const durable = session === undefined ? {} : { clientId: session };
    const client = await connectAsync(`mqtt://127.0.0.1:${fixture.app.mqttPort}`, {
      username: token,
      protocolVersion: version,
      reconnectPeriod: 0,
      keepalive: 0, // the clock of a test may leap
      clean: session === undefined,
      ...durable,
      ...(session !== undefined && version === 5 ? { properties: { sessionExpiryInterval: 600 } } : {}),
    });
    const connected = new GatewayClient(client);
    if (filter !== undefined) await client.subscribeAsync(filter, { qos: 1 });
    return connected;
  }

  /** The reason code of the acknowledgement; 0 before MQTT 5. */
  async say(topic: string, body: unknown): Promise<number> {
    const payload = Buffer.isBuffer(body) || typeof body === "string" ? body : JSON.stringify(body);
    try {
      const packet = await this.client.publishAsync(`v1/gateway/${topic}`, payload, { qos: 1 });
      return (packet as { reasonCode?: number } | undefined)?.reasonCode ?? 0;
    } catch (error) {
      const { code } = error as { code?: number };
      if (typeof code === "number") return code;
      throw error;
    }
  }

  async next(): Promise<ReceivedMessage> {
    while (this.#received.length === 0) await new Promise<void>((resolve) => (this.#wake = resolve));
    return this.#received.shift()!;
  }

  get waiting(): number {
    return this.#received.length;
  }

  end(): Promise<void> {
    return this.client.endAsync();
  }
}
