import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PUBACK } from "../../src/lib/mqtt/packet-writer.ts";
import type { PublishPacket, Qos } from "../../src/lib/mqtt/packets.ts";
import { noProperties } from "../../src/lib/mqtt/properties.ts";
import { Broker } from "../../src/mqtt/broker/broker.ts";
import type { ClientLink } from "../../src/mqtt/broker/client-link.types.ts";
import { Session, type SessionSubscription } from "../../src/mqtt/session/session.ts";
import { SessionStore } from "../../src/mqtt/session/session-store.ts";
import { toBroker } from "../../src/mqtt/topics/topics.ts";
import { createLogger } from "../../src/platform/core/log.ts";
import { systemClock } from "../../src/platform/time/clock.ts";

const BYTES_MAX = 16 * 1024 * 1024;
const SPACE = "tenant~x";
const plain: SessionSubscription = { qos: 1, nl: false, rap: false, rh: 0, identifier: 0 };

/** A client at the broker that takes `room` messages of QoS 1 and 2 at a time. */
export interface BrokerPeer {
  readonly link: ClientLink;
  readonly received: PublishPacket[];
  readonly released: number[];
  /** Answers for one message; a PUBACK or PUBCOMP makes room for the next. */
  answer(header: number, packetId: number): void;
}

/** A broker with a store of its own, without the front. */
export async function startBroker({ queuedPerClientMax = 10 } = {}) {
  const directory = mkdtempSync(join(tmpdir(), "lineside-mqtt-"));
  const queuedBytes = { perCredential: BYTES_MAX, perTenant: () => null, all: BYTES_MAX };
  const log = createLogger("test");
  const options = {
    file: join(directory, "mqtt.db"),
    clock: systemClock,
    log,
    queuedPerClientMax,
    queuedBytes,
  };
  const open = async () => {
    const store = new SessionStore(options);
    const broker = new Broker(store, systemClock, log);
    await broker.start();
    return { store, broker };
  };
  let running = await open();
  const close = async () => {
    await running.broker.stop();
    running.store.close();
  };
  return {
    get store() {
      return running.store;
    },
    /** A session that outlives its connection. */
    session(
      name: string,
      filters: readonly string[],
      subscription: Partial<SessionSubscription> = {},
    ): Session {
      const owner = { tenantId: "x", credentialId: name };
      const session = new Session({
        ...{ key: `app~${name}~${name}`, space: SPACE, clientId: name },
        ...{ owner, expirySeconds: 600 },
      });
      running.store.add(session);
      for (const filter of filters)
        running.store.subscribe(session, toBroker(SPACE, filter), { ...plain, ...subscription });
      return session;
    },
    /** One that `refuses` gives messages up while they are sent, as a delivery does with those that have expired or are too large. */
    attach(
      session: Session,
      room: number | "refuses" = Number.POSITIVE_INFINITY,
      { isResumed = true } = {},
    ): BrokerPeer {
      const received: PublishPacket[] = [];
      const released: number[] = [];
      const inFlight = new Set<number>();
      const response = (header: number, packetId: number) => {
        inFlight.delete(packetId);
        link.acknowledge(header, packetId);
      };
      const link = running.broker.attach(session, {
        deliver(message) {
          received.push(message);
          if (room === "refuses") response(PUBACK, message.packetId);
          else if (message.packetId > 0) inFlight.add(message.packetId);
        },
        release: (id) => released.push(id),
        lost: () => {},
        isCongested: () => false,
        hasRoom: () => room === "refuses" || inFlight.size < room,
      });
      if (isResumed) link.resume?.();
      return { link, received, released, answer: response };
    },
    publish: (
      topic: string,
      { qos = 1 as Qos, retain = false, from = undefined as string | undefined, body = "x" } = {},
    ) =>
      running.broker.publish(SPACE, {
        ...{ topic, qos, retain, from },
        ...{ payload: Buffer.from(body), properties: noProperties },
      }),
    /** Returns the session as it was read from the file. */
    async restart({ key }: Session): Promise<Session> {
      await close();
      running = await open();
      const session = running.store.get(key);
      if (session === undefined) throw new Error("the session is gone");
      return session;
    },
    async stop() {
      await close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
