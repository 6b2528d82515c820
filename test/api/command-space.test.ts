import { expect, test } from "bun:test";
import { until } from "../support/until.ts";
import { type Device, fixture, owner, send, useCommands } from "./commands-fixture.ts";

useCommands();

/** Commands of 64 KiB that fit into 4 MiB. */
const FITTING = 64;
const params = { text: "x".repeat(65_000) };

const listed = async ({ deviceId }: Device, query: string): Promise<Record<string, unknown>[]> =>
  (await fixture.call("GET", `/api/devices/${deviceId}/commands?limit=1000&${query}`, { token: owner })).body;

test("the open commands of a device take a limited space, and leave that of others alone", async () => {
  const [device, other] = [await fixture.createDevice(owner), await fixture.createDevice(owner)];
  for (let n = 0; n < FITTING; n++)
    expect((await send(device, { method: `m${n}`, params })).status).toBe(201);
  const refused = await send(device, { method: "more", params });
  expect(refused).toMatchObject({ status: 429, body: { code: "command.too_much", params: { mib: 4 } } });
  expect(await listed(device, "")).toHaveLength(FITTING);
  expect((await send(device, { method: "short" })).status).toBe(201);
  expect((await send(other, { method: "m", params })).status).toBe(201);
  // What a device has asked for is delivered or finished: it makes room.
  const taken = await fixture.call("GET", `/api/v1/${device.token}/rpc`);
  expect((await send(device, { method: "more", params })).status).toBe(429);
  expect(
    (await fixture.call("POST", `/api/v1/${device.token}/rpc/${taken.body.id}`, { body: {} })).status,
  ).toBe(200);
  expect((await send(device, { method: "more", params })).status).toBe(201);
});

test("commands that are sent simultaneously share the space, and those that are refused take none", async () => {
  const device = await fixture.createDevice(owner);
  const sendAll = (count: number, body: object) =>
    Promise.all(Array.from({ length: count }, () => send(device, { method: "m", params, ...body })));
  const statusesOf = (responses: Awaited<ReturnType<typeof sendAll>>) =>
    responses.map(({ status }) => status).sort();
  const first = await sendAll(30, { requestId: "one" });
  expect(statusesOf(first)).toEqual([201, ...Array<number>(29).fill(409)]);
  const second = await sendAll(FITTING + 9, {});
  expect(statusesOf(second)).toEqual([
    ...Array<number>(FITTING - 1).fill(201),
    ...Array<number>(10).fill(429),
  ]);
  expect(await listed(device, "")).toHaveLength(FITTING);
});

test("the newest finished commands of a device are kept, as far as their space allows", async () => {
  const [device, other] = [await fixture.createDevice(owner), await fixture.createDevice(owner)];
  const finish = async ({ token }: Device, body: object) => {
    const { id } = (await fixture.call("GET", `/api/v1/${token}/rpc`)).body;
    expect((await fixture.call("POST", `/api/v1/${token}/rpc/${id}`, { body })).status).toBe(200);
  };
  await send(other, { method: "kept", params });
  await finish(other, params);
  // Half is what was sent, half is what was answered.
  for (let n = 0; n < 80; n++) {
    await send(device, { method: `m${n}`, params });
    await finish(device, params);
  }
  await until(async () => (await listed(device, "")).length < 40);
  const left = await listed(device, "");
  expect(left.length).toBeGreaterThanOrEqual(30);
  expect(left.map(({ method }) => method)).toEqual(left.map((_, index) => `m${79 - index}`));
  expect(await listed(other, "")).toHaveLength(1);
});
