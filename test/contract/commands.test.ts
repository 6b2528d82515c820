import { describe, expect, test } from "bun:test";
import { until } from "../support/until.ts";
import { type ContractRow, contract, createWorld, keep } from "./client.ts";
import { including, iso, listOf, oneOf, uuid } from "./shapes.ts";

const world = createWorld();
const time = "/api/devices/{device}/commands";
const statuses = oneOf("QUEUED", "SENT", "DELIVERED", "SUCCESSFUL", "FAILED", "TIMEOUT", "EXPIRED");
const created = {
  success: true,
  commandId: uuid,
  requestId: (value: unknown) => (value === undefined ? "no requestId" : undefined),
  status: statuses,
};
const poll = () => world.ask("anonymous", "GET /api/v1/{deviceToken}/rpc?timeout=5000");
const status = async (commandId: string) => {
  const list: Array<{ commandId: string; status: string }> = await world.need("rw", `GET ${time}`);
  return list.find((command) => command.commandId === commandId)?.status;
};

/** The request's shapes, and the method and parameters that the device gets. */
const forms: ReadonlyArray<[name: string, request: object, method: string, params: unknown]> = [
  ["method and params", { method: "blink", params: { times: 3 } }, "blink", { times: 3 }],
  ["command as it is", { command: { method: "reset", params: { hard: true } } }, "reset", { hard: true }],
  ["key and value", { key: "target", value: 21 }, "setValue", { key: "target", value: 21 }],
  ["channel and state", { channel: 2, state: 1 }, "setState", { channel: 2, state: 1 }],
];

describe("sending a command", () => {
  for (const [name, request, method, params] of forms)
    test(`${name} reach the device as ${method}, and its answer makes the command SUCCESSFUL`, async () => {
      const response = await world.ask("rw", `POST ${time}`, { body: request });
      expect([response.status, response.body.success]).toEqual([201, true]);
      const received = await poll();
      expect([received.status, received.body.method, received.body.params]).toEqual([200, method, params]);
      expect(Number.isInteger(received.body.id)).toBe(true);
      const reply = await world.ask("anonymous", `POST /api/v1/{deviceToken}/rpc/${received.body.id}`, {
        body: { ok: true },
      });
      expect(reply.status).toBe(200);
      await until(async () => (await status(response.body.commandId)) === "SUCCESSFUL", "SUCCESSFUL");
    });

  test("type alone is the method", async () => {
    await world.need("rw", `POST ${time}`, { type: "reboot" });
    const { body } = await poll();
    expect(body.method).toBe("reboot");
    await world.need("anonymous", `POST /api/v1/{deviceToken}/rpc/${body.id}`, {});
  });

  contract(world, [
    [
      "answers id, request id and status",
      `rw POST ${time}`,
      201,
      {
        body: { method: "later", requestId: "r-1" },
        is: { ...created, requestId: "r-1" },
        check: keep(world, "command", (body) => body.commandId),
      },
    ],
    [
      "lists commands",
      `reader GET ${time}`,
      200,
      { is: listOf({ commandId: uuid, status: statuses, createdAt: iso }) },
    ],
    [
      "lists the waiting one",
      `reader GET ${time}`,
      200,
      { is: including({ commandId: uuid, requestId: "r-1", status: "QUEUED" }) },
    ],
    ...Object.entries({
      "a method that is a number": { method: 5 },
      "a channel that is a text": { channel: "2", state: 1 },
      "retries that are a text": { method: "x", retries: "3" },
      "a command that is a text": { command: "x" },
      "a list": [],
    }).map(([name, body]): ContractRow => [`refuses ${name}`, `rw POST ${time}`, 400, { body }]),
    ["403 for a reader", `reader POST ${time}`, 403, { body: { method: "x" } }],
    ["404 for another tenant's device", `stranger POST ${time}`, 404, { body: { method: "x" } }],
    ["404 to list another tenant's", `stranger GET ${time}`, 404],
    ["404 for a hidden device", `limited POST ${time}`, 404, { body: { method: "x" } }],
  ]);
});

describe("playing the device's answer", () => {
  const path = "/api/devices/{device}/test-ack";
  contract(world, [
    [
      "answers the waiting command",
      `rw POST ${path}`,
      201,
      {
        body: { requestId: "r-1", success: true, message: "done" },
        check: () =>
          until(async () => (await status(world.ids.command ?? "")) === "SUCCESSFUL", "SUCCESSFUL"),
      },
    ],
    [
      "a further command is sent",
      `rw POST ${time}`,
      201,
      {
        body: { method: "fails", requestId: "r-2" },
        check: keep(world, "failing", (body) => body.commandId),
      },
    ],
    [
      "a failure makes it FAILED",
      `rw POST ${path}`,
      201,
      {
        body: { requestId: "r-2", success: false, message: "jammed" },
        check: () => until(async () => (await status(world.ids.failing ?? "")) === "FAILED", "FAILED"),
      },
    ],
    ["refuses a flag that is a text", `rw POST ${path}`, 400, { body: { success: "yes" } }],
    ["refuses a ts that is a text", `rw POST ${path}`, 400, { body: { ts: "now" } }],
    ["403 for a reader", `reader POST ${path}`, 403, { body: {} }],
    ["404 for another tenant", `stranger POST ${path}`, 404, { body: {} }],
  ]);
});

describe("test telemetry", () => {
  const path = "/api/devices/{device}/test-telemetry";
  contract(world, [
    ["goes the real path", `rw POST ${path}`, 201, { body: { protocol: "HTTP", payload: { tested: 7 } } }],
    [
      "goes it by MQTT too",
      `rw POST ${path}`,
      201,
      { body: { protocol: "MQTT", payload: { testedMqtt: 8 } } },
    ],
    [
      "is stored",
      "reader GET /api/devices/{device}/telemetry/latest",
      200,
      { is: { values: { tested: 7, testedMqtt: 8 } } },
    ],
    ["is generated without a payload", `rw POST ${path}`, 201, { body: {} }],
    ["needs no body", `rw POST ${path}`, 201, {}],
    ["knows two protocols", `rw POST ${path}`, 400, { body: { protocol: "COAP" } }],
    ["needs a payload that is an object", `rw POST ${path}`, 400, { body: { payload: "x" } }],
    ["403 for a reader", `reader POST ${path}`, 403, { body: {} }],
    ["404 for another tenant", `stranger POST ${path}`, 404, { body: {} }],
  ]);
});

describe("the device's HTTP protocol", () => {
  contract(world, [
    ["waiting for a command ends with 408", "anonymous GET /api/v1/{grantedToken}/rpc?timeout=1", 408],
    ["waiting needs a token", "anonymous GET /api/v1/no-such-token-at-all/rpc?timeout=1", 401],
    [
      "waiting for attributes ends with 408",
      "anonymous GET /api/v1/{grantedToken}/attributes/updates?timeout=1",
      408,
    ],
    [
      "waiting for attributes needs a token",
      "anonymous GET /api/v1/no-such-token-at-all/attributes/updates?timeout=1",
      401,
    ],
  ]);

  test("a changed shared attribute reaches the device that waits", async () => {
    const waiting = world.ask("anonymous", "GET /api/v1/{grantedToken}/attributes/updates?timeout=10000");
    let isDone = false;
    void waiting.then(() => {
      isDone = true;
    });
    let value = 0;
    // The request may not have arrived when the first change is made.
    await until(async () => {
      await world.need("rw", "POST /api/devices/{granted}/attributes", {
        scope: "SHARED",
        attributes: { target: ++value },
      });
      return isDone;
    });
    expect(typeof (await waiting).body.target).toBe("number");
  });
});
