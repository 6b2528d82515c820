import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { DomainError } from "../../../../src/lib/core/domain-error.ts";
import { createMosquitto, hasMosquitto, type Mosquitto } from "../../../support/mosquitto.ts";
import { type BridgeRig, connected, hasty, open, useBridges } from "./bridge-fixture.ts";

useBridges();

const came = (rig: BridgeRig, count: number) => rig.until(() => rig.messages.length >= count);

describe.skipIf(!hasMosquitto)("a bridge to a real broker", () => {
  let broker: Mosquitto;
  let url: string;
  beforeAll(async () => {
    broker = await createMosquitto();
    url = `mqtt://127.0.0.1:${broker.port}`;
  });
  afterAll(() => broker.stop());

  test.each([4, 5] as const)(
    "takes messages with the device of their topic, MQTT version %p",
    async (protocolVersion) => {
      const clientId = `takes-${protocolVersion}`;
      const rig = open({
        brokerUrl: url,
        topicFilter: [`t${protocolVersion}/+/up`, `t${protocolVersion}/other`],
        topicTemplate: "+/{device}/up",
        protocolVersion,
        clientId,
      });
      await rig.until(connected);
      expect(rig.bridge.state.subscriptions.map(({ qos }) => qos)).toEqual([1, 1]);
      const client = await broker.client();
      await client.publishAsync(`t${protocolVersion}/a1/up`, '{"t":1}', { qos: 1 });
      await client.publishAsync(`t${protocolVersion}/other`, '{"t":2}', { qos: 2 });
      await client.publishAsync(`t${protocolVersion}/a2/up`, '{"t":3}', { qos: 0 });
      await came(rig, 3);
      const seen = rig.messages.map(({ bytes, topic, topicDevice }) => [
        Buffer.from(bytes).toString(),
        topic,
        topicDevice,
      ]);
      expect(seen.sort()).toEqual([
        ['{"t":1}', `t${protocolVersion}/a1/up`, "a1"],
        ['{"t":2}', `t${protocolVersion}/other`, undefined],
        ['{"t":3}', `t${protocolVersion}/a2/up`, "a2"],
      ]);
      expect(rig.bridge.state).toMatchObject({ lastError: null, counts: { received: 3, ignored: 0 } });
    },
  );

  test("works on many messages at once, and acknowledges none before it is taken", async () => {
    const gate = Promise.withResolvers<void>();
    let inFlight = 0;
    const allThere = Promise.withResolvers<void>();
    const settings = { brokerUrl: url, topicFilter: "many/#", clientId: "many" };
    const first = open(settings, {
      async handle() {
        // Mosquitto has 20 in progress at once.
        if (++inFlight === 20) allThere.resolve();
        await gate.promise;
      },
    });
    await first.until(connected);
    const client = await broker.client();
    for (let n = 0; n < 30; n++) client.publish("many/x", String(n), { qos: 1 });
    await allThere.promise;
    // Nothing was acknowledged: the next client of the session gets all messages.
    const stopped = first.bridge.stop();
    const second = open(settings);
    await came(second, 30);
    expect(second.texts()).toEqual(Array.from({ length: 30 }, (_, n) => String(n)));
    gate.resolve();
    await stopped;
  });

  test("gets what came while it was stopped, and nothing when its session was ended", async () => {
    const settings = { brokerUrl: url, topicFilter: "away/#", clientId: "away" };
    const rig = open(settings);
    await rig.until(connected);
    await rig.bridge.stop();
    expect(rig.bridge.state).toMatchObject({ status: "stopped", subscriptions: [] });
    const client = await broker.client();
    await client.publishAsync("away/x", "while away", { qos: 1 });
    rig.bridge.start();
    await came(rig, 1);
    expect(rig.texts()).toEqual(["while away"]);
    await rig.bridge.end();
    await client.publishAsync("away/x", "after the end", { qos: 1 });
    rig.bridge.start();
    await rig.until(connected);
    await client.publishAsync("away/x", "later", { qos: 1 });
    await came(rig, 2);
    expect(rig.texts()).toEqual(["while away", "later"]);
  });

  test("leaves out replays of retained messages and empty ones unless it is to take them", async () => {
    const client = await broker.client();
    await client.publishAsync("kept/x", "old", { qos: 1, retain: true });
    for (const protocolVersion of [4, 5] as const) {
      const clientId = `kept-${protocolVersion}`;
      const rig = open({ brokerUrl: url, topicFilter: "kept/#", clientId, protocolVersion });
      await rig.until(connected);
      await client.publishAsync("kept/y", "", { qos: 1 });
      await client.publishAsync("kept/x", "new", { qos: 1, retain: true });
      await came(rig, 1);
      expect(rig.texts()).toEqual(["new"]);
      const eager = open({
        brokerUrl: url,
        topicFilter: "kept/x",
        clientId: `eager-${protocolVersion}`,
        protocolVersion,
        takeRetained: true,
      });
      await came(eager, 1);
      expect(eager.messages[0]).toMatchObject({ topic: "kept/x", retained: true });
    }
  });

  test("drops subscriptions that its settings have no more", async () => {
    const clientId = "filters";
    const first = open({ brokerUrl: url, topicFilter: ["old/#", "both/#"], clientId });
    await first.until(connected);
    await first.bridge.stop();
    const client = await broker.client();
    await client.publishAsync("old/x", "left over", { qos: 1 });
    const second = open(
      { brokerUrl: url, topicFilter: "both/#", clientId },
      { formerFilters: ["old/#", "both/#"] },
    );
    await second.until(connected);
    await client.publishAsync("old/x", "not asked for", { qos: 1 });
    await client.publishAsync("both/x", "asked for", { qos: 1 });
    await came(second, 1);
    expect(second.texts()).toEqual(["asked for"]);
    expect(second.bridge.state.counts).toMatchObject({ received: 2, ignored: 1 });
  });

  test("leaves the connection when nothing can be taken, and gets the message again", async () => {
    let refusals = 2;
    const rig = open(
      { brokerUrl: url, topicFilter: "full/#", clientId: "full" },
      {
        clock: hasty,
        async handle() {
          if (refusals-- > 0) throw new DomainError("unavailable", { code: "storage.disk_full", params: {} });
        },
      },
    );
    await rig.until(connected);
    const client = await broker.client();
    await client.publishAsync("full/x", "one", { qos: 1 });
    await rig.until(
      ({ lastError, status }) => status === "waiting" && lastError?.code === "storage.disk_full",
    );
    // Again, this time before the subscription is answered: the broker has the session still.
    const problems = new Set<string | undefined>();
    await rig.until(({ status, problem, counts }) => {
      if (status === "waiting") problems.add(problem?.code);
      return counts.received === 3;
    });
    expect([...problems]).toEqual(["storage.disk_full"]);
    await came(rig, 1);
    expect(rig.texts()).toEqual(["one"]);
    await rig.until(connected);
    expect(rig.bridge.state.counts.received).toBe(3);
  });

  test("reports a lost message that the broker will not send again", async () => {
    let isFull = true;
    const rig = open(
      { brokerUrl: url, topicFilter: "lossy/#", clientId: "lossy" },
      {
        async handle() {
          if (isFull) throw new DomainError("unavailable", { code: "storage.disk_full", params: {} });
        },
      },
    );
    await rig.until(connected);
    const client = await broker.client();
    await client.publishAsync("lossy/x", "gone", { qos: 0 });
    await rig.until(({ lastError }) => lastError?.code === "broker_error.message_lost");
    isFull = false;
    await client.publishAsync("lossy/x", "next", { qos: 0 });
    await came(rig, 1);
    expect(rig.texts()).toEqual(["next"]);
    expect(rig.bridge.state).toMatchObject({ status: "connected", failedAttempts: 0 });
  });

  test("waits where the rate is limited, and skips messages that nobody can take", async () => {
    const notified: string[] = [];
    const kinds = [
      new DomainError("limited", { code: "rate.limited", params: {} }, { retryAfterSeconds: 0.01 }),
      new DomainError("limited", { code: "rate.limited", params: {} }),
      undefined,
      new DomainError("invalid", { code: "body.malformed", params: {} }),
      undefined,
    ];
    const rig = open(
      { brokerUrl: url, topicFilter: "slow/#", clientId: "slow" },
      {
        clock: hasty,
        async handle({ bytes }) {
          notified.push(Buffer.from(bytes).toString());
          const error = kinds.shift();
          if (error !== undefined) throw error;
        },
      },
    );
    await rig.until(connected);
    const client = await broker.client();
    await client.publishAsync("slow/x", "one", { qos: 1 });
    await came(rig, 1);
    await client.publishAsync("slow/x", "bad", { qos: 1 });
    await client.publishAsync("slow/x", "two", { qos: 1 });
    await came(rig, 2);
    expect(notified).toEqual(["one", "one", "one", "bad", "two"]);
    expect(rig.bridge.state).toMatchObject({ status: "connected", failedAttempts: 0 });
  });

  test("a message that makes the program fail is tried three times and does not stop those after it", async () => {
    let tries = 0;
    const rig = open(
      { brokerUrl: url, topicFilter: "bug/#", clientId: "bug" },
      {
        clock: hasty,
        async handle({ bytes }) {
          if (Buffer.from(bytes).toString() !== "poison") return;
          tries++;
          throw new TypeError("undefined is not a function");
        },
      },
    );
    await rig.until(connected);
    const client = await broker.client();
    await client.publishAsync("bug/x", "poison", { qos: 1 });
    await client.publishAsync("bug/x", "good", { qos: 1 });
    await rig.until(({ lastError }) => lastError?.code === "broker_error.message_failed");
    await came(rig, 1);
    expect(tries).toBe(3);
    expect(rig.texts()).toEqual(["good"]);
  });

  test("publishes, and says when it cannot", async () => {
    const rig = open({ brokerUrl: url, topicFilter: "up/#", clientId: "publishes" });
    await rig.until(connected);
    const client = await broker.client();
    const received = Promise.withResolvers<string>();
    client.on("message", (topic, payload) => received.resolve(`${topic} ${payload}`));
    await client.subscribeAsync("down/#", { qos: 1 });
    await rig.bridge.publish({ topic: "down/a1", payload: Buffer.from("on"), qos: 1 });
    expect(await received.promise).toBe("down/a1 on");
    await rig.bridge.stop();
    const refused = await rig.bridge
      .publish({ topic: "down/a1", payload: "on", qos: 1 })
      .catch((error) => error);
    expect(refused).toMatchObject({ kind: "unavailable", code: "integration.not_connected" });
  });
});
