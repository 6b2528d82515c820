import { afterAll, describe, expect, test } from "bun:test";
import { until } from "../support/until.ts";
import { type StreamMessage, WebSocketClient } from "../support/websocket-client.ts";
import { createWorld, type Who } from "./client.ts";

/** The stream of live data, as a console or a script reads it. */

const world = createWorld();
const streams: WebSocketClient[] = [];
afterAll(() => Promise.all(streams.map((stream) => stream.close())));

async function open(first: object): Promise<WebSocketClient> {
  const stream = await WebSocketClient.open(`${world.test.app.url}/api/ws`);
  streams.push(stream);
  return stream.send(first);
}

async function subscribe(who: Who, topics: string[], fields: object = {}) {
  const stream = await open({ type: "auth", token: world.tokens[who] });
  return stream.send({ type: "subscribe", id: "s1", topics, ...fields });
}
const send = (token: string, values: object) =>
  world.need("anonymous", `POST /api/v1/{${token}}/telemetry`, { payload: values });
const received = ({ messages }: WebSocketClient, part: string) =>
  messages.some(
    ({ type, id, ...rest }) => type === "data" && id === "s1" && JSON.stringify(rest).includes(part),
  );

const isSnapshot = ({ type, id }: StreamMessage) => type === "snapshot" && id === "s1";

/** Sends until the stream has it: a subscription is in force only some time after it is sent. */
const untilReceived = (stream: WebSocketClient, part: string, act: () => Promise<unknown>) =>
  until(async () => {
    await act();
    return received(stream, part);
  }, part);

describe("the stream", () => {
  test("closes on a wrong token and says nothing", async () => {
    const { messages, closed } = await open({ type: "auth", token: "nonsense" });
    await closed;
    expect(messages.some(({ type }) => type === "data")).toBe(false);
  });

  test("closes on a first message that signs nobody in", async () => {
    const { closed } = await open({ type: "subscribe", id: "s1", topics: ["telemetry"] });
    expect((await closed).code).toBeGreaterThan(1000);
  });

  test("brings telemetry of the tenant", async () => {
    const stream = await subscribe("reader", ["telemetry"]);
    await untilReceived(stream, '"live"', () => send("deviceToken", { live: 1 }));
  });

  test("begins with a snapshot of what is there", async () => {
    await send("deviceToken", { there: 42 });
    const stream = await subscribe("reader", ["telemetry"], { deviceIds: [world.ids.device] });
    const { telemetry } = await stream.until(isSnapshot);
    expect(telemetry?.[0]).toMatchObject({ deviceId: world.ids.device, values: { there: 42 } });
  });

  test("brings the named devices and keys alone", async () => {
    const stream = await subscribe("reader", ["telemetry"], {
      deviceIds: [world.ids.device],
      keys: ["wanted"],
    });
    await untilReceived(stream, '"wanted"', async () => {
      await send("grantedToken", { wanted: 1, other: 1 });
      await send("deviceToken", { wanted: 1, unwanted: 1 });
    });
    expect(JSON.stringify(stream.messages)).not.toContain("unwanted");
    expect(JSON.stringify(stream.messages)).not.toContain(world.ids.granted ?? "-");
  });

  test("brings attributes", async () => {
    const stream = await subscribe("reader", ["attributes"]);
    await untilReceived(stream, '"changing"', () =>
      world.need("rw", "POST /api/devices/{device}/attributes", {
        scope: "SERVER",
        attributes: { changing: Math.random() },
      }),
    );
  });

  test("brings commands", async () => {
    const stream = await subscribe("reader", ["commands"]);
    await stream.until(isSnapshot);
    const { commandId } = await world.need("rw", "POST /api/devices/{device}/commands", { method: "blink" });
    await until(() => received(stream, commandId), "the command");
  });

  test("brings changes of devices", async () => {
    const stream = await subscribe("reader", ["devices"]);
    await stream.until(isSnapshot);
    const { deviceId } = await world.need("rw", "POST /api/devices", { name: "newly", deviceType: "sensor" });
    await until(() => received(stream, deviceId), "the device");
  });

  for (const who of ["stranger", "limited"] as const)
    test(`brings ${who} nothing of devices that are hidden from them`, async () => {
      const stream = await subscribe(who, [
        "telemetry",
        "attributes",
        "devices",
        "alarms",
        "commands",
        "events",
      ]);
      const own = who === "stranger" ? "foreignToken" : "grantedToken";
      await untilReceived(stream, '"own"', async () => {
        await send("deviceToken", { concealed: 1 });
        await send(own, { own: 1 });
      });
      expect(JSON.stringify(stream.messages)).not.toContain("concealed");
      expect(JSON.stringify(stream.messages)).not.toContain(world.ids.device ?? "-");
    });
});
