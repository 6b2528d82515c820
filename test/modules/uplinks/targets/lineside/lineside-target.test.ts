import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import type { JsonValue } from "../../../../../src/lib/json/json.ts";
import type { Target, TargetContext, UplinkDevice } from "../../../../../src/modules/uplinks/target.types.ts";
import {
  type LinesideSettings,
  linesideSettings,
} from "../../../../../src/modules/uplinks/targets/lineside/lineside.schemas.ts";
import { createLinesideTarget } from "../../../../../src/modules/uplinks/targets/lineside/lineside.target.ts";
import { freePort } from "../../../../support/free-port.ts";
import { createTestApp, type TestApp } from "../../../../support/test-app.ts";
import { until, untilAnswer } from "../../../../support/until.ts";
import {
  batchOf,
  contextOf,
  deviceOf,
  eventsOf,
  failureOf,
  neverAborted,
  rowsOf,
} from "../../../../support/uplink-batches.ts";

const NOW = Date.now();
let central: TestApp;
let owner: string;
const targets: Target[] = [];
beforeAll(async () => {
  central = await createTestApp();
  owner = (await central.signIn("TENANT_OWNER")).token;
});
afterEach(async () => {
  for (const target of targets.splice(0)) await target.close();
});
afterAll(() => central.stop());

/** Names are unique among the devices of a tenant there. */
let counter = 0;
const nextDevice = (changes: Partial<UplinkDevice> = {}): UplinkDevice => {
  const deviceId = `0199f6a0-0000-7000-8000-${String(++counter).padStart(12, "0")}`;
  return deviceOf({ deviceId, name: `Pump ${counter}`, ...changes });
};

const createGateway = (app = central, token = owner) =>
  app.createDevice(token, { role: "GATEWAY", deviceType: "gateway" });

function openTarget(settings: Partial<LinesideSettings>, context: Partial<TargetContext> = {}): Target {
  const defaults = Value.Default(linesideSettings, {
    type: "LINESIDE",
    url: `mqtt://central.example:${central.app.mqttPort}`,
    ...settings,
  }) as LinesideSettings; // as the schema says
  const target = createLinesideTarget(defaults, contextOf(context));
  targets.push(target);
  return target;
}

interface Child {
  readonly deviceId: string;
  readonly name: string;
  readonly deviceType: string;
}

async function childrenOf(gateway: { deviceId: string }): Promise<Child[]> {
  const { body } = await central.call("GET", `/api/devices/${gateway.deviceId}/children`, { token: owner });
  return body;
}

const namesOf = async (gateway: { deviceId: string }) =>
  (await childrenOf(gateway)).map(({ name }) => name).sort();

async function childOf(gateway: { deviceId: string }, name: string): Promise<Child> {
  const child = (await childrenOf(gateway)).find((candidate) => candidate.name === name);
  if (child === undefined) throw new Error(`there is no child ${name}`);
  return child;
}

async function seriesOf({ deviceId }: Child, key: string): Promise<[ts: number, value: JsonValue][]> {
  const query = `keys=${encodeURIComponent(key)}&from=0&to=${NOW + 1}&aggregation=none&maxDataPoints=100000`;
  const { body } = await central.call("GET", `/api/devices/${deviceId}/telemetry/range?${query}`, {
    token: owner,
  });
  const points: { ts: number; value: JsonValue }[] = body.data[0]?.series[0]?.points ?? [];
  return points.map(({ ts, value }) => [ts, value]);
}

async function attributesOf({ deviceId }: Child): Promise<Record<string, JsonValue>> {
  const path = `/api/devices/${deviceId}/attributes?scope=CLIENT`;
  const { body } = await central.call("GET", path, { token: owner });
  return Object.fromEntries(body.map(({ key, value }: { key: string; value: JsonValue }) => [key, value]));
}

const send = (target: Target, device: UplinkDevice, ...values: JsonValue[]) =>
  target.send(
    batchOf(
      "1",
      rowsOf(
        device,
        values.map((_, index) => NOW - values.length + index),
        { level: values },
      ),
    ),
    neverAborted(),
  );

describe("a central Lineside shows", () => {
  test("the values of a device exactly as they are, with their timestamps", async () => {
    const gateway = await createGateway();
    const target = openTarget({ token: gateway.token });
    const values: Record<string, (JsonValue | undefined)[]> = {
      number: [0.1, 5e-324, 1e300],
      whole: [Number.MAX_SAFE_INTEGER, undefined, -7],
      flag: [true, false, undefined],
      text: ['"quoted"\n', "Grüße 🚀", ""],
      json: [{ a: [1, null, { b: "" }] }, undefined, [false]],
      'key "ä"': [1, undefined, undefined],
      none: [Number.NaN, Number.POSITIVE_INFINITY, undefined],
    };
    const ts = [946_684_801_234, NOW - 86_400_000, NOW];
    const device = nextDevice();
    const batch = batchOf("1", rowsOf(device, ts, values));
    await target.send(batch, neverAborted());
    await target.send(batch, neverAborted());
    expect(target.bytesSent).toBeGreaterThan(0);
    const child = await childOf(gateway, device.name);
    expect(child.deviceType).toBe("pump");
    for (const [key, column] of Object.entries(values)) {
      const expected: [number, JsonValue][] = [];
      for (const [row, value] of column.entries())
        if (value !== undefined && key !== "none") expected.push([ts[row] ?? 0, value]);
      expect(await seriesOf(child, key)).toEqual(expected);
    }
  });

  test("attributes of all scopes, tags, the site and the life of alarms", async () => {
    const gateway = await createGateway();
    const target = openTarget({ token: gateway.token });
    const device = nextDevice({ tags: { line: "3" } });
    const [created, attributes, alarm] = eventsOf(device, NOW - 5);
    if (created === undefined || attributes === undefined || alarm?.kind !== "alarm")
      throw new Error("no events");
    const cleared = { ...alarm, event: "CLEARED", status: "CLEARED_UNACK", eventId: "e2", ts: NOW };
    await target.send(batchOf("1", created, attributes, alarm, cleared), neverAborted());
    const child = await childOf(gateway, device.name);
    expect(await attributesOf(child)).toEqual({
      linesideDeviceId: device.deviceId,
      linesideSite: "Plant A",
      line: "3",
      "server.floor": 2,
      "server.label": "left",
    });
    expect(await seriesOf(child, "alarm.overheated")).toEqual([
      [NOW - 5, "MAJOR"],
      [NOW, "CLEARED"],
    ]);
    expect((await seriesOf(child, "alarm.overheated.event"))[0]?.[1]).toMatchObject({
      event: "CREATED",
      message: "hotter than 80 °C",
    });
  });

  test("a row with more keys and bytes than a message takes", async () => {
    const gateway = await createGateway();
    const target = openTarget({ token: gateway.token });
    const device = nextDevice();
    const text = "x".repeat(60_000);
    const columns = Object.fromEntries(
      Array.from({ length: 1_200 }, (_, index) => [`key ${index}`, [index]]),
    );
    await target.send(
      batchOf("1", rowsOf(device, [NOW], { ...columns, a: [text], b: [text] })),
      neverAborted(),
    );
    const child = await childOf(gateway, device.name);
    expect(await seriesOf(child, "key 1199")).toEqual([[NOW, 1_199]]);
    expect(await seriesOf(child, "b")).toEqual([[NOW, text]]);
  });
});

describe("names", () => {
  const twins = () => {
    const first = nextDevice();
    return [first, nextDevice({ name: first.name })] as const;
  };

  test("of two devices that are the same get an id, and stay over a restart in another order", async () => {
    const [first, second] = twins();
    const suffixed = `Hall/${first.name} (${second.deviceId.slice(-6)})`;
    const gateway = await createGateway();
    const target = openTarget({ token: gateway.token, namePrefix: "Hall/" });
    await Promise.all([send(target, first, 1), send(target, second, 2)]);
    const names = await namesOf(gateway);
    expect(names).toEqual([`Hall/${first.name}`, suffixed]);
    await target.close();
    const again = openTarget({ token: gateway.token, namePrefix: "Hall/" });
    await send(again, second, 20);
    await send(again, first, 10);
    expect(await namesOf(gateway)).toEqual(names);
    expect(await seriesOf(await childOf(gateway, `Hall/${first.name}`), "level")).toEqual([[NOW - 1, 10]]);
    expect(await seriesOf(await childOf(gateway, suffixed), "level")).toEqual([[NOW - 1, 20]]);
  });

  test("are free for another device when theirs is deleted, and are not those of other devices there", async () => {
    const [first, second] = twins();
    const gateway = await createGateway();
    const target = openTarget({ token: gateway.token });
    await central.createDevice(owner, { name: "Elsewhere" });
    await send(target, first, 1);
    await target.send(
      batchOf("2", { kind: "device", device: first, change: "deleted", ts: NOW }),
      neverAborted(),
    );
    await send(target, second, 2);
    await send(target, deviceOf({ deviceId: "0199f6a0-0000-7000-8000-0000000000ff", name: "Elsewhere" }), 3);
    expect(await namesOf(gateway)).toEqual(["Elsewhere (0000ff)", first.name]);
  });
});

describe("commands of the central Lineside", () => {
  const command = async (child: Child, method: string, params: JsonValue) =>
    central.call("POST", `/api/devices/${child.deviceId}/commands`, {
      token: owner,
      body: { method, params },
    });
  const responseOf = (child: Child, commandId: string) =>
    untilAnswer(
      async () =>
        (await central.call("GET", `/api/devices/${child.deviceId}/commands/${commandId}`, { token: owner }))
          .body,
      ({ status }) => status === "SUCCESSFUL" || status === "FAILED",
    );

  test("reach the device, also one that has sent nothing since the start, and are answered", async () => {
    const gateway = await createGateway();
    const device = nextDevice();
    await send(openTarget({ token: gateway.token }), device, 1);
    await targets.pop()?.close();
    const received: unknown[] = [];
    const target = openTarget(
      { token: gateway.token },
      {
        command: (deviceId, method, params) => {
          received.push([deviceId, method, params]);
          return method === "fail" ? Promise.reject(new Error("secret")) : Promise.resolve({ speed: 5 });
        },
      },
    );
    await target.check(neverAborted());
    const child = await childOf(gateway, device.name);
    const sent = await command(child, "setSpeed", { speed: 5 });
    expect((await responseOf(child, sent.body.commandId)).response).toEqual({ speed: 5 });
    const failing = await command(child, "fail", null);
    expect((await responseOf(child, failing.body.commandId)).response).toEqual({
      error: "Lineside failed to handle the request. The log has the details.",
      errorText: { code: "request.failed", params: {} },
    });
    const { deviceId } = device;
    expect(received).toEqual([
      [deviceId, "setSpeed", { speed: 5 }],
      [deviceId, "fail", {}],
    ]);
  });
});

describe("a target that cannot send says why:", () => {
  test("a token that is wrong", async () => {
    const failure = await failureOf(openTarget({ token: "wrong" }).check(neverAborted()));
    expect(failure).toEqual({
      reaction: "settings",
      message:
        "The target refuses the credentials: The broker refused the user name or the password. Check user, password, token or certificate.",
    });
  });

  test("a device that is no gateway", async () => {
    const { token } = await central.createDevice(owner);
    const failure = await failureOf(send(openTarget({ token }), nextDevice(), 1));
    expect(failure.reaction).toBe("settings");
  });

  test("a server that does not run, and one that does not answer until the signal is aborted", async () => {
    const port = await freePort();
    const target = openTarget({ url: `mqtt://central.example:${port}`, token: "x" });
    expect(await failureOf(target.check(neverAborted()))).toEqual({
      reaction: "retry",
      message:
        "The target cannot be reached: No program accepts connections at this address and port (connection refused).",
    });
    const sockets = new Set<unknown>();
    const server = Bun.listen({
      hostname: "127.0.0.1",
      port,
      socket: {
        open: (socket) => void sockets.add(socket),
        close: (socket) => void sockets.delete(socket),
        data() {},
      },
    });
    const controller = new AbortController();
    const checking = target.check(controller.signal);
    await until(() => sockets.size === 1);
    controller.abort(new Error("the uplink is stopped"));
    await expect(checking).rejects.toThrow("the uplink is stopped");
    await until(() => sockets.size === 0);
    server.stop(true);
  });
});
