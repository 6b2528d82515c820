import { describe, expect, test } from "bun:test";
import { generate, type Packet, type Parser, parser } from "mqtt-packet";
import { detail, inEnglish } from "../../../../src/lib/core/domain-error.ts";
import type { Text } from "../../../../src/lib/texts/text.ts";
import { POSTED_BYTES_MAX } from "../../../../src/platform/broker/broker-connection.ts";
import { createLogger } from "../../../../src/platform/core/log.ts";
import { type BridgeRig, connected, hasty, open, useBridges } from "./bridge-fixture.ts";

useBridges();

/** A broker of a few words: answers to what it is sent, by command. */
function playBroker(
  responses: (command: string, reply: (packet: Packet) => void, hangUp: () => void) => void,
) {
  return Bun.listen<{ parser: Parser }>({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      open(socket) {
        socket.data = { parser: parser({ protocolVersion: 5 }) };
        socket.data.parser.on("packet", ({ cmd, messageId }) =>
          responses(
            cmd,
            (packet) =>
              void socket.write(generate({ ...packet, messageId } as Packet, { protocolVersion: 5 })),
            () => socket.end(),
          ),
        );
      },
      data: (socket, bytes) => void socket.data.parser.parse(bytes),
    },
  });
}

test("a bridge reports why the broker disconnects", async () => {
  const server = playBroker((command, reply, hangUp) => {
    if (command === "connect") reply({ cmd: "connack", reasonCode: 0, sessionPresent: false });
    if (command !== "subscribe") return;
    reply({ cmd: "suback", granted: [1] });
    reply({ cmd: "disconnect", reasonCode: 142 });
    hangUp();
  });
  const rig = open({ brokerUrl: `mqtt://127.0.0.1:${server.port}`, topicFilter: "a", protocolVersion: 5 });
  await rig.until(({ status }) => status === "waiting");
  expect(rig.bridge.state.lastError?.code).toBe("broker_error.taken_over");
  server.stop(true);
});

test("a bridge reports refused subscriptions, and goes on with the others", async () => {
  let granted = [1, 128];
  const server = playBroker((command, reply) => {
    if (command === "connect") reply({ cmd: "connack", reasonCode: 0, sessionPresent: false });
    if (command === "subscribe") reply({ cmd: "suback", granted });
  });
  const settings = {
    brokerUrl: `mqtt://127.0.0.1:${server.port}`,
    topicFilter: ["a", "b"],
    protocolVersion: 5 as const,
  };
  const rig = open(settings);
  await rig.until(connected);
  expect(rig.bridge.state).toMatchObject({
    lastError: detail("broker_error.subscription_refused", { filters: ["b"] }),
    subscriptions: [
      { filter: "a", qos: 1 },
      { filter: "b", qos: null },
    ],
  });
  granted = [135, 135];
  const none = open(settings);
  await none.until(({ status }) => status === "waiting");
  expect(none.bridge.state.lastError?.params).toEqual({ filters: ["a", "b"] });
  granted = [0, 1];
  const lesser = open(settings);
  await lesser.until(connected);
  expect(lesser.bridge.state.lastError).toEqual(
    detail("broker_error.lesser_quality", { filter: "a", qos: "0" }),
  );
  server.stop(true);
});

test("a bridge leaves out replies that the broker does not acknowledge beyond a limit", async () => {
  let published = 0;
  const goodBye = Promise.withResolvers<void>();
  const server = playBroker((command, reply) => {
    if (command === "connect") reply({ cmd: "connack", reasonCode: 0, sessionPresent: false });
    if (command === "subscribe") reply({ cmd: "suback", granted: [1] });
    if (command === "publish") published++;
    if (command === "disconnect") goodBye.resolve();
  });
  const logged: string[] = [];
  const { bridge, until } = open(
    { brokerUrl: `mqtt://127.0.0.1:${server.port}`, topicFilter: "a", protocolVersion: 5 },
    { log: { ...createLogger("bridge"), warn: (text) => void logged.push(text) } },
  );
  await until(connected);
  const payload = Buffer.alloc(POSTED_BYTES_MAX / 8);
  const taken = [];
  for (let count = 0; count < 20; count++) taken.push(await bridge.reply({ topic: "b", payload, qos: 1 }));
  await bridge.stop();
  await goodBye.promise;
  expect(published).toBe(8);
  expect(taken.filter(Boolean)).toHaveLength(8);
  expect(logged.filter((text) => text.startsWith("replies dropped"))).toHaveLength(1);
  server.stop(true);
});

test("a bridge can be stopped while the broker has not answered yet", async () => {
  const asked = Promise.withResolvers<void>();
  const server = playBroker(() => asked.resolve());
  const rig = open({ brokerUrl: `mqtt://127.0.0.1:${server.port}`, topicFilter: "a", protocolVersion: 5 });
  await asked.promise;
  await rig.bridge.stop();
  expect(rig.bridge.state.status).toBe("stopped");
  server.stop(true);
});

const english = (text: Text | null) => (text === null ? null : inEnglish(text));

describe("a bridge that cannot connect", () => {
  const reasonOf = async (rig: BridgeRig) => {
    await rig.until(({ lastError }) => lastError !== null);
    return english(rig.bridge.state.lastError);
  };

  test("reports the reason and the time of the next attempt", async () => {
    const rig = open({ brokerUrl: "mqtt://127.0.0.1:1", topicFilter: "a" });
    expect(await reasonOf(rig)).toBe(
      "No program accepts connections at this address and port (connection refused).",
    );
    const { nextAttemptAt, since, failedAttempts } = rig.bridge.state;
    // Half a second at the least, at random up to one.
    expect((nextAttemptAt ?? 0) - since).toBeGreaterThanOrEqual(499);
    expect(failedAttempts).toBe(1);
  });

  test("waits longer after each failure, up to a minute", async () => {
    const waits: number[] = [];
    const rig = open(
      { brokerUrl: "mqtt://127.0.0.1:1", topicFilter: "a" },
      {
        clock: {
          ...hasty,
          schedule(ms, callback) {
            if (ms !== 20_000) waits.push(ms);
            return hasty.schedule(Math.min(ms, 1), callback);
          },
        },
        random: () => 1,
      },
    );
    await rig.until(({ failedAttempts }) => failedAttempts === 9);
    expect(waits.slice(0, 8)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  });

  test("goes to no address that the rule forbids", async () => {
    const { addresses } = await import("./bridge-fixture.ts");
    const rig = open({ brokerUrl: "mqtt://localhost:1883", topicFilter: "a" }, { addresses: addresses("") });
    expect(await reasonOf(rig)).toMatch(
      /^The gateway sends nothing to localhost \(.*\): It is an address of this machine./,
    );
  });

  test("reports invalid settings", async () => {
    const rig = open({ brokerUrl: "mqtt://127.0.0.1:1", topicFilter: "a", topicDeviceRegex: "(" });
    expect(await reasonOf(rig)).toStartWith("`topicDeviceRegex` ");
    expect(rig.bridge.state.status).toBe("stopped");
  });

  test("reports another protocol at the address", async () => {
    const server = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: { data: (socket) => void socket.write("HTTP/1.1 400 Bad Request\r\n\r\n") },
    });
    const rig = open({ brokerUrl: `ws://127.0.0.1:${server.port}/mqtt`, topicFilter: "a" });
    expect(await reasonOf(rig)).toBe("The WebSocket request was answered with 400.");
    server.stop(true);
  });
});
