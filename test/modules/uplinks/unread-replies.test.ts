import { afterEach, expect, test } from "bun:test";
import { createServer, type Socket } from "node:net";
import { generate, type IPublishPacket, type Packet, parser } from "mqtt-packet";
import { rebirthRequest } from "../../../src/lib/sparkplug/sparkplug-command.ts";
import type { TargetContext } from "../../../src/modules/uplinks/target.types.ts";
import { checkTarget } from "../../../src/modules/uplinks/target-settings.ts";
import { createTarget } from "../../../src/modules/uplinks/targets/targets.ts";
import { POSTED_BYTES_MAX } from "../../../src/platform/broker/broker-connection.ts";
import { until } from "../../support/until.ts";
import { batchOf, contextOf, deviceOf, neverAborted, rowsOf } from "../../support/uplink-batches.ts";

const closing: Array<() => unknown> = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A broker that acknowledges what it receives only as long as it wants to. */
async function startBroker() {
  const received: IPublishPacket[] = [];
  const taken = new Set<number | undefined>();
  const owed: number[] = [];
  const sockets = new Set<Socket>();
  let acknowledges = true;
  let lastId = 0;
  const say = (...packets: Packet[]) => {
    for (const socket of sockets) socket.write(Buffer.concat(packets.map((packet) => generate(packet))));
  };
  const acknowledge = (messageId: number) => say({ cmd: "puback", messageId });
  const response = (packet: Packet) => {
    if (packet.cmd === "connect") say({ cmd: "connack", returnCode: 0, sessionPresent: false });
    if (packet.cmd === "subscribe")
      say({
        cmd: "suback",
        messageId: packet.messageId ?? 0,
        granted: packet.subscriptions.map(() => 1),
      });
    if (packet.cmd === "puback") taken.add(packet.messageId);
    if (packet.cmd !== "publish") return;
    received.push(packet);
    if (acknowledges) acknowledge(packet.messageId ?? 0);
    else owed.push(packet.messageId ?? 0);
  };
  const server = createServer((socket) => {
    const parse = parser({ protocolVersion: 4 });
    parse.on("packet", response);
    socket.on("data", (bytes: Buffer) => parse.parse(bytes));
    socket.on("error", () => undefined);
    sockets.add(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as { port: number };
  return {
    url: `mqtt://broker.example:${port}`,
    received,
    /** Nothing is acknowledged until `resume`. */
    stall() {
      acknowledges = false;
    },
    resume() {
      acknowledges = true;
      for (const id of owed.splice(0)) acknowledge(id);
    },
    /** Sends a message many times; resolves once all of them are taken. */
    async flood(topic: string, payload: Buffer, count: number) {
      const messageId = ++lastId;
      const message = { cmd: "publish", topic, payload, dup: false, retain: false } as const;
      say(...Array.from({ length: count - 1 }, () => ({ ...message, qos: 0 as const })), {
        ...message,
        qos: 1,
        messageId,
      });
      await until(() => taken.has(messageId));
    },
  };
}

async function open(settings: Record<string, unknown>, context: Partial<TargetContext> = {}) {
  const target = await createTarget(checkTarget({ ...settings, protocolVersion: 4 }), contextOf(context));
  closing.push(() => target.close());
  return target;
}

test("any number of rebirth requests is one while births are unacknowledged", async () => {
  const broker = await startBroker();
  const { url, received } = broker;
  const target = await open({ type: "MQTT", url, format: "SPARKPLUG_B", groupId: "g", edgeNodeId: "plant" });
  await target.send(batchOf("1", rowsOf(deviceOf(), [1], { n: [7] })), neverAborted());
  const before = received.length;
  const births = () => received.slice(before).map(({ topic }) => topic);
  const once = ["spBv1.0/g/NBIRTH/plant", "spBv1.0/g/DBIRTH/plant/Pump 1"];
  const flood = () => broker.flood("spBv1.0/g/NCMD/plant", Buffer.from(rebirthRequest(1)), 2_000);
  broker.stall();
  await flood();
  await until(() => births().length >= once.length);
  await flood();
  expect(births()).toEqual(once);
  broker.resume();
  await until(() => births().length >= 2 * once.length);
  await target.send(batchOf("2", rowsOf(deviceOf(), [2], { n: [8] })), neverAborted());
  expect(births()).toEqual([...once, ...once, "spBv1.0/g/DDATA/plant/Pump 1"]);
});

test("refusals of commands that the server does not acknowledge are left out beyond a limit", async () => {
  const broker = await startBroker();
  const { url, received } = broker;
  let reports = 0;
  await (
    await open(
      { type: "LINESIDE", url, token: "token" },
      {
        command: () => Promise.resolve(null),
        commandsUnanswered: () => {
          reports++;
        },
      },
    )
  ).check(neverAborted());
  const id = "7".repeat(10_000);
  const command = Buffer.from(JSON.stringify({ device: "Pump 1", data: { id, method: "stop" } }));
  const responses = () => received.filter(({ topic }) => topic === "v1/gateway/rpc");
  const bytes = () => responses().reduce((sum, { payload }) => sum + payload.length, 0);
  broker.stall();
  for (let round = 0; round < 4; round++) await broker.flood("v1/gateway/rpc", command, 250);
  await until(() => bytes() > POSTED_BYTES_MAX / 2);
  expect(bytes()).toBeLessThan(POSTED_BYTES_MAX + 2 * command.length);
  expect(reports).toBe(1);
  const unacknowledged = responses().length;
  broker.resume();
  await broker.flood("v1/gateway/rpc", command, 1);
  await until(() => responses().length > unacknowledged);
});
