import { afterAll, describe, expect, test } from "bun:test";
import { until } from "../support/until.ts";
import { createWorld, type Who } from "./client.ts";

/** The stream of live data, as a console or a script reads it. */

const world = createWorld();
const sockets: WebSocket[] = [];
afterAll(() => {
  for (const socket of sockets) socket.close();
});

interface Message {
  readonly type: string;
  readonly id?: string;
  readonly telemetry?: readonly unknown[];
}

async function open(
  first: object,
): Promise<{ socket: WebSocket; messages: Message[]; state: { closed: boolean } }> {
  const socket = new WebSocket(`${world.test.app.url.replace("http", "ws")}/api/ws`);
  sockets.push(socket);
  const messages: Message[] = [];
  const state = { closed: false };
  socket.onmessage = ({ data }) => void messages.push(JSON.parse(String(data)));
  socket.onclose = () => {
    state.closed = true;
  };
  await new Promise((resolve) => {
    socket.onopen = resolve;
  });
  socket.send(JSON.stringify(first));
  return { socket, messages, state };
}

async function subscribe(who: Who, topics: string[], fields: object = {}) {
  const stream = await open({ type: "auth", token: world.tokens[who] });
  stream.socket.send(JSON.stringify({ type: "subscribe", id: "s1", topics, ...fields }));
  return stream;
}
const send = (token: string, values: object) =>
  world.need("anonymous", `POST /api/v1/{${token}}/telemetry`, { payload: values });
const received = (messages: readonly Message[], part: string) =>
  messages.some(
    ({ type, id, ...rest }) => type === "data" && id === "s1" && JSON.stringify(rest).includes(part),
  );

async function untilSnapshot(messages: readonly Message[]): Promise<readonly unknown[]> {
  const find = () => messages.find(({ type, id }) => type === "snapshot" && id === "s1");
  await until(() => find() !== undefined, "the snapshot");
  return find()?.telemetry ?? [];
}

/** Sends until the stream has it: a subscription is in force only some time after it is sent. */
const untilReceived = (messages: readonly Message[], part: string, act: () => Promise<unknown>) =>
  until(async () => {
    await act();
    return received(messages, part);
  }, part);

describe("the stream", () => {
  test("closes on a wrong token and says nothing", async () => {
    const { messages, state } = await open({ type: "auth", token: "nonsense" });
    await until(() => state.closed, "the end");
    expect(messages.some(({ type }) => type === "data")).toBe(false);
  });

  test("closes on a first message that signs nobody in", async () => {
    const { state } = await open({ type: "subscribe", id: "s1", topics: ["telemetry"] });
    await until(() => state.closed, "the end");
    expect(state.closed).toBe(true);
  });

  test("brings telemetry of the tenant", async () => {
    const { messages } = await subscribe("reader", ["telemetry"]);
    await untilReceived(messages, '"live"', () => send("deviceToken", { live: 1 }));
  });

  test("begins with a snapshot of what is there", async () => {
    await send("deviceToken", { there: 42 });
    const { messages } = await subscribe("reader", ["telemetry"], { deviceIds: [world.ids.device] });
    const [device] = await untilSnapshot(messages);
    expect(device).toMatchObject({ deviceId: world.ids.device, values: { there: 42 } });
  });

  test("brings the named devices and keys alone", async () => {
    const { messages } = await subscribe("reader", ["telemetry"], {
      deviceIds: [world.ids.device],
      keys: ["wanted"],
    });
    await untilReceived(messages, '"wanted"', async () => {
      await send("grantedToken", { wanted: 1, other: 1 });
      await send("deviceToken", { wanted: 1, unwanted: 1 });
    });
    expect(JSON.stringify(messages)).not.toContain("unwanted");
    expect(JSON.stringify(messages)).not.toContain(world.ids.granted ?? "-");
  });

  test("brings attributes", async () => {
    const { messages } = await subscribe("reader", ["attributes"]);
    await untilReceived(messages, '"changing"', () =>
      world.need("rw", "POST /api/devices/{device}/attributes", {
        scope: "SERVER",
        attributes: { changing: Math.random() },
      }),
    );
  });

  test("brings commands", async () => {
    const { messages } = await subscribe("reader", ["commands"]);
    await untilSnapshot(messages);
    const { commandId } = await world.need("rw", "POST /api/devices/{device}/commands", { method: "blink" });
    await until(() => received(messages, commandId), "the command");
  });

  test("brings changes of devices", async () => {
    const { messages } = await subscribe("reader", ["devices"]);
    await untilSnapshot(messages);
    const { deviceId } = await world.need("rw", "POST /api/devices", { name: "newly", deviceType: "sensor" });
    await until(() => received(messages, deviceId), "the device");
  });

  for (const who of ["stranger", "limited"] as const)
    test(`brings ${who} nothing of devices that are hidden from them`, async () => {
      const { messages } = await subscribe(who, [
        "telemetry",
        "attributes",
        "devices",
        "alarms",
        "commands",
        "events",
      ]);
      const own = who === "stranger" ? "foreignToken" : "grantedToken";
      await untilReceived(messages, '"own"', async () => {
        await send("deviceToken", { concealed: 1 });
        await send(own, { own: 1 });
      });
      expect(JSON.stringify(messages)).not.toContain("concealed");
      expect(JSON.stringify(messages)).not.toContain(world.ids.device ?? "-");
    });
});
