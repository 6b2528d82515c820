import { describe, expect, test } from "bun:test";
import { DomainError } from "../../src/lib/core/domain-error.ts";
import { until } from "../support/until.ts";
import { publishPacket, RawClient } from "./raw-client.ts";
import { serverPerTest } from "./running.ts";

const start = serverPerTest();
const telemetry = "v1/devices/me/telemetry";
const command = "v1/devices/me/rpc/response/7";
const ids = (client: RawClient) =>
  client.packets.filter(({ cmd }) => cmd === "puback" || cmd === "pubrec").map(({ messageId }) => messageId);

describe.each([4, 5] as const)("MQTT version %d", (version) => {
  test("a publish is acknowledged only after its commit", async () => {
    const { port, ingest } = await start();
    ingest.held = true;
    const client = await RawClient.connect(port, version);
    client.send(publishPacket(telemetry, '{"a":1}', { id: 7 }));
    await client.ping();
    expect(client.packets).toEqual([]);
    expect(ingest.taken).toEqual([{ deviceId: "device-token", kind: "telemetry", body: '{"a":1}' }]);
    ingest.commit();
    const ack = await client.next("puback");
    expect(ack.messageId).toBe(7);
  });

  test("answers come in the order of the messages, also when a later one is refused at once", async () => {
    const { port, ingest } = await start();
    ingest.held = true;
    const client = await RawClient.connect(port, version);
    for (const [id, body] of ["1", "2", "bad", "4", "bad"].entries()) {
      client.send(publishPacket(telemetry, body, { id: id + 1, qos: id === 1 ? 2 : 1 }));
    }
    await client.ping();
    expect(ids(client)).toEqual([]);
    ingest.commit();
    await until(() => ids(client).length === 5, "five answers");
    expect(ids(client)).toEqual([1, 2, 3, 4, 5]);
  });

  test("a commit that comes late holds back what was decided earlier", async () => {
    const first = Promise.withResolvers<void>();
    const { port, ingest } = await start({ onMessage: () => first.promise });
    const client = await RawClient.connect(port, version);
    client.send(publishPacket(command, "{}", { id: 1 }));
    client.send(publishPacket(telemetry, "{}", { id: 2 }));
    await until(() => ingest.taken.length === 1, "the second message");
    await client.ping();
    expect(ids(client)).toEqual([]);
    first.resolve();
    await until(() => ids(client).length === 2, "both answers");
    expect(ids(client)).toEqual([1, 2]);
  });

  test("each connection gets its own answers from a shared commit", async () => {
    const { port, ingest } = await start();
    ingest.held = true;
    const rawClient = await RawClient.connect(port, version, { username: "one" });
    const two = await RawClient.connect(port, version, { username: "two" });
    for (let id = 1; id <= 50; id++) {
      rawClient.send(publishPacket(telemetry, "{}", { id }));
      two.send(publishPacket(telemetry, "{}", { id: id + 100 }));
    }
    await until(() => ingest.taken.length === 100, "all messages");
    ingest.commit();
    await until(() => ids(rawClient).length === 50 && ids(two).length === 50, "all answers");
    expect(ids(rawClient)).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
    expect(ids(two)).toEqual(Array.from({ length: 50 }, (_, index) => index + 101));
  });

  test("nothing is acknowledged when the commit fails, and the connection ends", async () => {
    const { port, ingest } = await start();
    ingest.held = true;
    const client = await RawClient.connect(port, version);
    client.bytes.length = 0;
    client.send(publishPacket(telemetry, "{}", { id: 1 }));
    client.send(publishPacket(telemetry, "{}", { id: 2, qos: 2 }));
    await until(() => ingest.taken.length === 2, "both messages");
    ingest.fail();
    await client.end();
    expect(client.received).toBe(version === 5 ? "e00197" : "");
  });

  test("a message refused after the fact is answered as refused", async () => {
    const { port, ingest } = await start();
    ingest.held = true;
    const client = await RawClient.connect(port, version);
    client.send(publishPacket(telemetry, "{}", { id: 1 }));
    await until(() => ingest.taken.length === 1, "the message");
    ingest.fail(new DomainError("invalid", { code: "body.malformed", params: {} }));
    const ack = await client.next("puback");
    expect(ack.reasonCode).toBe(version === 5 ? 0x99 : undefined);
  });

  test("a connection with too much in progress is read no further until its commit", async () => {
    const { port, ingest } = await start({ limits: { inFlightMax: 4 } });
    ingest.held = true;
    const bystander = await RawClient.connect(port, version, {
      username: "bystander",
      clientId: "bystander",
    });
    const client = await RawClient.connect(port, version);
    for (let id = 1; id <= 20; id++) client.send(publishPacket(telemetry, `${id}`, { id }));
    for (let index = 0; index < 20; index++) client.send(publishPacket(telemetry, "q0", { qos: 0 }));
    for (let taken = 4; taken <= 40; taken += 4) {
      await until(() => ingest.taken.length === taken, `${taken} messages`);
      await bystander.ping(); // the server has had its turn to read on
      expect(ingest.taken.length).toBe(taken);
      ingest.commit();
    }
    await until(() => ids(client).length === 20, "twenty answers");
    await client.ping();
  });

  test("other messages of a device go to the application and are acknowledged when it has them", async () => {
    const received: string[] = [];
    const { port } = await start({
      onMessage: (device, topic, body) => {
        received.push(`${device.name} ${topic} ${new TextDecoder().decode(body)}`);
        return Promise.resolve();
      },
    });
    const client = await RawClient.connect(port, version);
    client.send(publishPacket(command, "1", { id: 1 }));
    client.send(publishPacket("v2/a/req/5", "{}", { id: 2 }));
    await client.next("puback");
    await client.next("puback");
    expect(received).toEqual([`token ${command} 1`, "token v1/devices/me/attributes/request/5 {}"]);
  });

  test("stopping waits for commits in progress, then disconnects clients", async () => {
    const { port, ingest, server } = await start();
    ingest.held = true;
    const client = await RawClient.connect(port, version);
    client.bytes.length = 0;
    client.send(publishPacket(telemetry, "{}", { id: 3 }));
    await until(() => ingest.taken.length === 1, "the message");
    const stopped = server.stop();
    ingest.commit();
    await stopped;
    await client.end();
    // A connection that had been closed before the commit would have no acknowledgement.
    expect(client.received).toBe(version === 5 ? "40020003e0018b" : "40020003");
  });
});

test("over the rate limit a 3.1.1 client is held back before it is answered", async () => {
  const { port } = await start();
  const client = await RawClient.connect(port, 4);
  client.send(publishPacket(telemetry, "limit", { id: 1 }));
  client.send(publishPacket(telemetry, "{}", { id: 2 }));
  await client.ping();
  expect(ids(client)).toEqual([]);
  await until(() => ids(client).length === 2, "both answers");
  expect(ids(client)).toEqual([1, 2]);
});
