import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { RawClient } from "../mqtt/raw-client.ts";
import { until } from "../support/until.ts";
import { type Device, fixture, owner, read, send, useCommands } from "./commands-fixture.ts";

useCommands();

const COMMANDS = "v1/devices/me/rpc/request/+";

/** Connects with a session that outlives the connection, or with one that does not. */
const connect = (device: Device, version: 4 | 5, isDurable: boolean, isClean = !isDurable) =>
  RawClient.connect(fixture.app.mqttPort ?? 0, version, {
    username: device.token,
    clientId: "pump",
    clean: isClean,
    ...(version === 5 && isDurable ? { properties: { sessionExpiryInterval: 3600 } } : {}),
  });

const subscribe = async (client: RawClient, qos: 0 | 1 | 2 = 1) => {
  client.send({ cmd: "subscribe", messageId: 9, subscriptions: [{ topic: COMMANDS, qos }] });
  await client.next("suback");
};

/** Ends a connection, and waits until the server has seen that. */
async function leave(client: RawClient): Promise<void> {
  client.send({ cmd: "disconnect" });
  await client.end();
}

/** Takes commands until the last one of a list has come, acknowledging each unless `keeps`. */
async function takeUntil(client: RawClient, last: string, keeps = false): Promise<string[]> {
  const methods: string[] = [];
  while (methods.at(-1) !== last) {
    const { payload, messageId, qos } = await client.next("publish");
    methods.push(JSON.parse(payload.toString()).method);
    if (qos > 0 && !keeps) client.send({ cmd: "puback", messageId: messageId ?? 0 });
  }
  return methods;
}

const sendAll = async (device: Device, methods: readonly string[]) => {
  const created = [];
  for (const method of methods) created.push(await send(device, { method, params: {} }));
  return created.map(({ body }) => body.commandId as string);
};

describe("a device that comes back to its session", () => {
  for (const version of [4, 5] as const) {
    test(`gets what waits without subscribing again, version ${version}`, async () => {
      const device = await fixture.createDevice(owner);
      const first = await connect(device, version, true);
      await subscribe(first);
      await leave(first);
      const waiting = Array.from({ length: 20 }, (_, index) => `waiting ${index}`);
      const ids = await sendAll(device, ["off", ...waiting]);
      const second = await connect(device, version, true);
      const [newest] = await sendAll(device, ["on"]);
      expect(await takeUntil(second, "on")).toEqual(["off", ...waiting, "on"]);
      await until(async () => (await read(device, newest ?? "")).status === "DELIVERED");
      expect((await read(device, ids[0] ?? "")).status).toBe("DELIVERED");
      second.drop();
    });

    test(`gets what it has not acknowledged before what waits, version ${version}`, async () => {
      const device = await fixture.createDevice(owner);
      const first = await connect(device, version, true);
      await subscribe(first);
      const sent = Array.from({ length: 10 }, (_, index) => `sent ${index}`);
      await sendAll(device, sent);
      await takeUntil(first, "sent 9", true);
      await leave(first);
      await sendAll(device, ["waiting"]);
      const second = await connect(device, version, true);
      expect(await takeUntil(second, "waiting")).toEqual([...sent, "waiting"]);
      second.drop();
    });

    test(`gets what an ended session had not delivered before newer commands, version ${version}`, async () => {
      const device = await fixture.createDevice(owner);
      const first = await connect(device, version, true);
      await subscribe(first);
      await sendAll(device, ["off"]);
      await takeUntil(first, "off", true);
      await leave(first);
      const second = await connect(device, version, false);
      await subscribe(second);
      await sendAll(device, ["on"]);
      expect(await takeUntil(second, "on")).toEqual(["off", "on"]);
      second.drop();
    });
  }
});

type Step = "send" | "take" | "connect" | "connect clean" | "drop" | "disconnect";

/** A device that acknowledges each command it takes, over connections that end in any way. */
class CommandedDevice {
  readonly #device: Device;
  readonly #version: 4 | 5;
  readonly #taken = new Set<number>();
  #sent = 0;
  #client: RawClient | undefined;
  #hasSession = false;
  #newest = -1;

  constructor(device: Device, version: 4 | 5) {
    this.#device = device;
    this.#version = version;
  }

  async run(step: Step): Promise<void> {
    if (step === "send") await sendAll(this.#device, [String(this.#sent++)]);
    else if (step === "take") await this.#takeNext();
    else if (step === "drop") this.#client?.drop();
    else if (step === "disconnect") await this.#leave();
    else await this.#connect(step === "connect clean");
  }

  /** Takes everything that has not come. */
  async end(): Promise<void> {
    await this.#connect(false);
    while (this.#taken.size < this.#sent) await this.#take();
    await this.#leave();
  }

  async #connect(isClean: boolean): Promise<void> {
    this.#client?.drop();
    this.#client = await connect(this.#device, this.#version, !isClean, isClean);
    this.#newest = -1;
    if (!this.#hasSession || isClean) await subscribe(this.#client);
    this.#hasSession = !isClean;
  }

  async #leave(): Promise<void> {
    if (this.#client?.closed === false) await leave(this.#client);
  }

  async #takeNext(): Promise<void> {
    if (this.#client?.closed !== false) return;
    await this.#client.ping();
    if (this.#client.packets.some(({ cmd }) => cmd === "publish")) await this.#take();
  }

  /** Takes the next command: it follows those of this connection, and each that was acknowledged before. */
  async #take(): Promise<void> {
    const client = this.#client;
    if (client === undefined) return;
    const { payload, messageId } = await client.next("publish");
    const no = Number(JSON.parse(payload.toString()).method);
    expect(no).toBe(this.#newest < 0 ? Math.max(-1, ...this.#taken) + 1 : this.#newest + 1);
    this.#newest = no;
    this.#taken.add(no);
    client.send({ cmd: "puback", messageId: messageId ?? 0 });
    await client.ping();
  }
}

const step = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Step>("send") },
  { weight: 3, arbitrary: fc.constant<Step>("take") },
  {
    weight: 3,
    arbitrary: fc.constantFrom<Step>("connect", "connect", "connect clean", "drop", "disconnect"),
  },
);

/** Devices whose commands are sent and taken at the same time. */
const TOGETHER = 10;

for (const version of [4, 5] as const) {
  const check = async (steps: readonly Step[]) => {
    const device = new CommandedDevice(await fixture.createDevice(owner), version);
    for (const each of steps) await device.run(each);
    await device.end();
  };

  test(`a device gets all of its commands once they are taken in order, version ${version}`, async () => {
    const steps = fc.array(step, { minLength: 20, maxLength: 40, size: "max" });
    await fc.assert(fc.asyncProperty(steps, check), { numRuns: 10 });
  });

  test(`and so do 500 devices with fewer steps, version ${version}`, async () => {
    const steps = fc.array(step, { minLength: 1, maxLength: 8, size: "max" });
    const all = fc.array(steps, { minLength: TOGETHER, maxLength: TOGETHER });
    const checkAll = async (histories: readonly (readonly Step[])[]) => {
      await Promise.all(histories.map(check));
    };
    await fc.assert(fc.asyncProperty(all, checkAll), { numRuns: 500 / TOGETHER });
  });
}
