// Webhooks of pipelines that were given up: shown, sent again and deleted, one by one and all of a pipeline.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";
import { createWebhookReceiver, type WebhookReceiver } from "../support/webhook-receiver.ts";

let fixture: TestApp;
let receiver: WebhookReceiver;
let owner: string;
let reader: string;
let stranger: string;
let device: { deviceId: string; token: string };
let pipelineId: string;

beforeAll(async () => {
  fixture = await createTestApp({ config: { outbound_allow: "127.0.0.1" } });
  receiver = createWebhookReceiver();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  reader = (await fixture.signIn("TENANT_READ_ONLY")).token;
  stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
  device = await fixture.createDevice(owner);
});
afterAll(async () => {
  await fixture.stop();
  await receiver.stop();
});
beforeEach(async () => {
  const response = await call("POST", "/api/data-pipelines", {
    name: "To the ERP system",
    status: "active",
    steps: [{ type: "webhook_forward", url: `${receiver.url}/telemetry` }],
  });
  pipelineId = response.body.pipelineId;
  receiver.answer = () => new Response("no", { status: 400 });
  return async () => {
    await call("DELETE", `/api/data-pipelines/${pipelineId}`);
  };
});

const call = (method: string, path: string, body?: unknown, token = owner) =>
  fixture.call(method, path, { token, ...(body !== undefined && { body }) });

/** Dead letters of the pipeline, the newest first. */
async function deadLetters(): Promise<{ deliveryId: string }[]> {
  const { body } = await call("GET", `/api/data-pipelines/deliveries?pipelineId=${pipelineId}&state=dead`);
  return body;
}

async function fail(...values: number[]): Promise<string[]> {
  for (const value of values)
    await fixture.call("POST", `/api/v1/${device.token}/telemetry`, { body: { temperature: value } });
  await until(async () => (await deadLetters()).length === values.length);
  return (await deadLetters()).map(({ deliveryId }) => deliveryId);
}

/** Values of the webhooks that came since `before`. */
const valuesSince = (before: number) =>
  receiver.received.slice(before).map(({ text }) => Number(/"temperature":(\d+)/.exec(text)?.[1]));

test("a dead letter is shown with its body and why it failed", async () => {
  const [deliveryId] = await fail(71);
  const { status, body } = await call("GET", `/api/data-pipelines/deliveries/${deliveryId}`);
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { deliveryId, pipelineId, state: "dead", attempts: 1, lastStatus: 400, nextAttemptAt: null },
  });
  expect(body.body).toContain('"temperature":71');
});

test("a dead letter is sent again, once", async () => {
  const [deliveryId] = await fail(72);
  receiver.answer = () => new Response("ok");
  const before = receiver.received.length;
  const { status, body } = await call("POST", `/api/data-pipelines/deliveries/${deliveryId}/replay`);
  expect({ status, state: body.state }).toEqual({ status: 200, state: "waiting" });
  await until(() => receiver.received.length > before);
  expect(valuesSince(before)).toEqual([72]);
  await until(async () => (await call("GET", `/api/data-pipelines/deliveries/${deliveryId}`)).status === 404);
  expect((await call("POST", `/api/data-pipelines/deliveries/${deliveryId}/replay`)).status).toBe(404);
});

test("a deleted dead letter is gone, and the others stay", async () => {
  const [newest, oldest] = await fail(73, 74);
  expect(await call("DELETE", `/api/data-pipelines/deliveries/${newest}`)).toMatchObject({
    status: 200,
    body: { success: true },
  });
  expect((await deadLetters()).map(({ deliveryId }) => deliveryId)).toEqual([oldest ?? ""]);
  expect((await call("DELETE", `/api/data-pipelines/deliveries/${newest}`)).status).toBe(404);
});

test("all dead letters of a pipeline are sent again in their order", async () => {
  await fail(75, 76, 77);
  receiver.answer = () => new Response("ok");
  const before = receiver.received.length;
  const { status, body } = await call("POST", `/api/data-pipelines/${pipelineId}/deliveries/replay`);
  expect({ status, body }).toEqual({ status: 200, body: { replayed: 3 } });
  await until(() => receiver.received.length === before + 3);
  expect(valuesSince(before)).toEqual([75, 76, 77]);
});

test("all dead letters of a pipeline are deleted", async () => {
  await fail(78, 79);
  const { status, body } = await call("DELETE", `/api/data-pipelines/${pipelineId}/deliveries`);
  expect({ status, body }).toEqual({ status: 200, body: { deleted: 2 } });
  expect(await deadLetters()).toEqual([]);
});

describe("another tenant and a reader", () => {
  test.each([
    ["GET", 404, 200, (id: string) => `/deliveries/${id}`],
    ["POST", 404, 403, (id: string) => `/deliveries/${id}/replay`],
    ["DELETE", 404, 403, (id: string) => `/deliveries/${id}`],
    ["POST", 404, 403, () => `/${pipelineId}/deliveries/replay`],
    ["DELETE", 404, 403, () => `/${pipelineId}/deliveries`],
  ])("%s is %d and %d", async (method, ofStranger, ofReader, path) => {
    const [deliveryId = ""] = await fail(80);
    const address = `/api/data-pipelines${path(deliveryId)}`;
    expect((await call(method, address, undefined, stranger)).status).toBe(ofStranger);
    expect((await call(method, address, undefined, reader)).status).toBe(ofReader);
    expect((await deadLetters()).length).toBe(1);
  });
});
