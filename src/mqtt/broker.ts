import { Aedes } from "aedes";
import { BrokerLink, type BrokerSink } from "./broker-link.ts";
import { BrokerPersistence } from "./broker-persistence.ts";
import { drainTimeoutMs } from "./connection.ts";
import type { Session } from "./session.ts";
import type { SessionStore } from "./session-store.ts";

/** Aedes, reachable only through links of the front: subscriptions, delivery, retained messages and durable sessions. */
export class Broker {
  readonly #aedes: Aedes;
  #links = 0;

  constructor(store: SessionStore) {
    this.#aedes = new Aedes({
      persistence: new BrokerPersistence(store),
      drainTimeout: drainTimeoutMs,
      heartbeatInterval: 3_600_000,
      maxClientsIdLength: 256,
      authenticate: (client, _username, _password, done) => done(null, client.conn instanceof BrokerLink),
      authorizePublish: (_client, _packet, done) => done(new Error("devices publish through the front only")),
      authorizeSubscribe: ({ conn }, subscription, done) => {
        const own = conn instanceof BrokerLink && subscription.topic.startsWith(conn.prefix);
        done(null, own ? subscription : null);
      },
    });
  }

  async start(): Promise<void> {
    await this.#aedes.listen();
  }

  stop(): Promise<void> {
    return new Promise((resolve) => this.#aedes.close(() => resolve()));
  }

  attach(session: Session, sink: BrokerSink): BrokerLink {
    const link = new BrokerLink({
      brokerClientId: `${session.key}#${++this.#links}`,
      durable: session.durable,
      prefix: `${session.key}/`,
      sink,
    });
    link.open(this.#aedes.handle(link), session.subscriptions.keys());
    return link;
  }

  /** Resolves once every subscriber that is here has been handed the message and those away have it queued. */
  publish(key: string, topic: string, payload: Uint8Array, qos: 0 | 1): Promise<void> {
    const packet = {
      cmd: "publish" as const,
      topic: `${key}/${topic}`,
      payload: Buffer.from(payload.buffer, payload.byteOffset, payload.length),
      qos,
      retain: false,
      dup: false,
    };
    return new Promise((resolve, reject) =>
      this.#aedes.publish(packet, (error) => (error ? reject(error) : resolve())),
    );
  }
}
