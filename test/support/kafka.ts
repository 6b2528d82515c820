import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { Consumer } from "@platformatic/kafka";
import { freePort } from "./free-port.ts";

/** Jars of `test/support/kafka/pom.xml`, which Maven copies into this directory. */
const jars = process.env.KAFKA_JARS ?? join(homedir(), ".cache/lineside/kafka-3.9.1");
const java = Bun.which("java");
export const hasKafka = java !== null && existsSync(jars);

const CLUSTER_ID = "MkU3OEVBNTcwNTJENDM2Qk";
const JVM = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx384m", "-cp", `${jars}/*`];
const START_MS_MAX = 60_000;

/** A listener's certificate and key, and the authority of its clients, in PEM. */
export interface KafkaTls {
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
}

export interface Kafka {
  /** Listener without TLS, for anybody. */
  readonly port: number;
  /** Listener with TLS and SASL; the user `uplink` has the password `secret`. */
  readonly securePort: number;
  start(): Promise<void>;
  kill(): Promise<void>;
  /** The values of a topic, by key, in the order of their partition. */
  read(topic: string, count: number): Promise<{ key: string; value: string }[]>;
  stop(): Promise<void>;
}

const inLine = (pem: string) => pem.trim().replaceAll("\n", "\\n");

function secureLines(tls: KafkaTls): string[] {
  const jaas = "org.apache.kafka.common.security";
  return [
    "listener.name.sasl_ssl.sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512",
    `listener.name.sasl_ssl.plain.sasl.jaas.config=${jaas}.plain.PlainLoginModule required user_uplink="secret";`,
    `listener.name.sasl_ssl.scram-sha-256.sasl.jaas.config=${jaas}.scram.ScramLoginModule required;`,
    `listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config=${jaas}.scram.ScramLoginModule required;`,
    "ssl.keystore.type=PEM",
    `ssl.keystore.certificate.chain=${inLine(tls.cert)}`,
    `ssl.keystore.key=${inLine(tls.key)}`,
    "ssl.truststore.type=PEM",
    `ssl.truststore.certificates=${inLine(tls.ca)}`,
    "ssl.client.auth=requested",
  ];
}

/** A cluster of one broker. With TLS it calls itself `broker.example`. */
export async function createKafka(tls?: KafkaTls): Promise<Kafka> {
  const directory = mkdtempSync(join(tmpdir(), "lineside-kafka-"));
  const [port, securePort, controllerPort] = [await freePort(), await freePort(), await freePort()];
  const config = join(directory, "server.properties");
  const secure = tls === undefined ? "" : `,SASL_SSL://127.0.0.1:${securePort}`;
  writeFileSync(
    config,
    [
      "process.roles=broker,controller",
      "node.id=1",
      `controller.quorum.voters=1@127.0.0.1:${controllerPort}`,
      `listeners=PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}${secure}`,
      `advertised.listeners=PLAINTEXT://127.0.0.1:${port}${secure.replace("127.0.0.1", "broker.example")}`,
      "controller.listener.names=CONTROLLER",
      "listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL_SSL:SASL_SSL",
      "inter.broker.listener.name=PLAINTEXT",
      `log.dirs=${directory}/data`,
      "offsets.topic.num.partitions=1",
      "offsets.topic.replication.factor=1",
      "transaction.state.log.replication.factor=1",
      "transaction.state.log.min.isr=1",
      // A broker that was killed may come back only when its session has ended.
      "broker.session.timeout.ms=1000",
      "broker.heartbeat.interval.ms=100",
      "group.initial.rebalance.delay.ms=0",
      "auto.create.topics.enable=false",
      "default.replication.factor=1",
      ...(tls === undefined ? [] : secureLines(tls)),
      "",
    ].join("\n"),
  );
  const users = ["SCRAM-SHA-256", "SCRAM-SHA-512"].flatMap((mechanism) => [
    "--add-scram",
    `${mechanism}=[name=uplink,password=secret]`,
  ]);
  const format = Bun.spawn(
    [java ?? "java", ...JVM, "kafka.tools.StorageTool", "format", "-t", CLUSTER_ID, "-c", config, ...users],
    { stdout: "ignore", stderr: "inherit" },
  );
  if ((await format.exited) !== 0) throw new Error("the storage of Kafka could not be formatted");
  let child: Bun.Subprocess | undefined;
  const kafka: Kafka = {
    port,
    securePort,
    async start() {
      child = Bun.spawn([java ?? "java", ...JVM, "kafka.Kafka", config], {
        stdout: "ignore",
        stderr: "inherit",
      });
      const deadline = performance.now() + START_MS_MAX;
      while (!(await accepts(port))) {
        if (child.exitCode !== null) throw new Error(`Kafka has ended with ${child.exitCode}`);
        if (performance.now() > deadline) throw new Error("Kafka did not start");
        await Bun.sleep(20);
      }
    },
    async kill() {
      child?.kill("SIGKILL");
      await child?.exited;
      child = undefined;
    },
    read: (topic, count) => readTopic(port, topic, count),
    async stop() {
      await kafka.kill();
      rmSync(directory, { recursive: true, force: true });
    },
  };
  await kafka.start();
  return kafka;
}

const accepts = (port: number): Promise<boolean> =>
  Bun.connect({ hostname: "127.0.0.1", port, socket: { data() {} } }).then(
    (socket) => {
      socket.end();
      return true;
    },
    () => false,
  );

async function readTopic(port: number, topic: string, count: number) {
  const consumer = new Consumer({
    clientId: "reader",
    groupId: `reader-${crypto.randomUUID()}`,
    bootstrapBrokers: [`127.0.0.1:${port}`],
  });
  const stream = await consumer.consume({ topics: [topic], mode: "earliest", maxWaitTime: 50 });
  const found: { key: string; value: string; partition: number; offset: bigint }[] = [];
  for await (const { key, value, partition, offset } of stream) {
    found.push({ key: key.toString(), value: value.toString(), partition, offset });
    if (found.length >= count) break;
  }
  await consumer.close(true);
  found.sort((a, b) => a.partition - b.partition || Number(a.offset - b.offset));
  return found.map(({ key, value }) => ({ key, value }));
}
