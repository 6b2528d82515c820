import { decode } from "cbor-x";

/** A message of `/api/ws` to a reader, with the fields that tests look into. */
export interface StreamMessage {
  readonly type: "ready" | "snapshot" | "data" | "error" | "pong" | "gap";
  readonly id?: string;
  readonly topic?: string;
  readonly event?: string;
  readonly code?: string;
  readonly status?: string;
  readonly deviceId?: string;
  readonly values?: Record<string, unknown>;
  readonly devices?: readonly { readonly deviceId: string }[];
  readonly telemetry?: readonly unknown[];
  readonly [field: string]: unknown;
}

/**
 * A WebSocket connection of a test. It keeps messages (JSON in text frames, CBOR in binary ones) in their order until they are taken.
 * Waiting for a message fails if the connection ends first.
 */
export class WebSocketClient<Message extends { readonly type?: unknown } = StreamMessage> {
  /** Messages that came and were not taken. */
  readonly messages: Message[] = [];
  /** Resolves when the connection has ended. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  readonly #socket: WebSocket;
  #closeCode: number | undefined;
  #wake: () => void = () => undefined;

  private constructor(url: string, options: Bun.WebSocketOptions = {}) {
    this.#socket = new WebSocket(url.replace(/^http/, "ws"), options as string[]); // browsers have no options
    this.#socket.binaryType = "arraybuffer";
    this.#socket.onmessage = ({ data }) => {
      this.messages.push(typeof data === "string" ? JSON.parse(data) : decode(new Uint8Array(data)));
      this.#wake();
    };
    this.closed = new Promise((resolve) => {
      this.#socket.onclose = ({ code, reason }) => {
        this.#closeCode = code;
        this.#wake();
        resolve({ code, reason });
      };
    });
  }

  /** Connects to an address of the gateway (`http:` stands for `ws:`); fails when the handshake is refused. */
  static async open<Message extends { readonly type?: unknown } = StreamMessage>(
    url: string,
    options?: Bun.WebSocketOptions,
  ): Promise<WebSocketClient<Message>> {
    const client = new WebSocketClient<Message>(url, options);
    await new Promise<void>((resolve, reject) => {
      client.#socket.onopen = () => resolve();
      client.#socket.onerror = () => reject(new Error("not connected"));
    });
    return client;
  }

  /** Connects to the live stream of a gateway and signs in. */
  static async signIn(url: string, token: string): Promise<WebSocketClient> {
    const client = await WebSocketClient.open(`${url}/api/ws`);
    client.send({ type: "auth", token });
    await client.next("ready");
    return client;
  }

  /** Sends texts and bytes as they are, anything else as JSON. */
  send(message: unknown): this {
    const isRaw = typeof message === "string" || message instanceof Uint8Array;
    this.#socket.send(isRaw ? (message as string | Uint8Array<ArrayBuffer>) : JSON.stringify(message));
    return this;
  }

  /** Subscribes and takes the snapshot that answers. */
  async subscribe(topics: readonly string[], fields: Record<string, unknown> = {}): Promise<Message> {
    this.send({ type: "subscribe", id: "s1", topics, ...fields });
    return await this.next("snapshot");
  }

  /** Takes the first message, or the first one of a type. */
  next(type?: string): Promise<Message> {
    return this.until((message) => type === undefined || message.type === type);
  }

  /** Takes the first message, of those that came or will come, that fits. */
  async until(fits: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const index = this.messages.findIndex(fits);
      const [message] = index < 0 ? [] : this.messages.splice(index, 1);
      if (message !== undefined) return message;
      if (this.#closeCode !== undefined) throw new Error(`the connection was closed with ${this.#closeCode}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Waits for the answer to a ping: alarms before it have come by then, while other events are sent some moments later. */
  async ping(): Promise<void> {
    this.send({ type: "ping" });
    await this.next("pong");
  }

  async close(): Promise<void> {
    this.#socket.close();
    await this.closed;
  }
}
