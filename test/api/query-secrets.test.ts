// Secrets in the query of an address are kept sealed, or refused where people can read the address.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";
import { createWebhookReceiver, type WebhookReceiver } from "../support/webhook-receiver.ts";

const SECRET = "s3sam.op-en%2Fup";
let fixture: TestApp;
let receiver: WebhookReceiver;
let owner: string;
let reader: string;
let stranger: string;
let device: { deviceId: string; token: string };

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

const call = (method: string, path: string, body?: unknown, token = owner) =>
  fixture.call(method, path, { token, ...(body !== undefined && { body }) });

const stepTo = (url: string, rest = {}) => ({ type: "webhook_forward", url, ...rest });

async function createPipeline(steps: unknown[], token = owner) {
  const response = await call("POST", "/api/data-pipelines", { name: "erp", status: "active", steps }, token);
  expect({ status: response.status, text: response.text.slice(0, 300) }).toMatchObject({ status: 201 });
  return response.body as { pipelineId: string; steps: { url: string; config?: { url: string } }[] };
}

const update = ({ pipelineId }: { pipelineId: string }, steps: unknown[]) =>
  call("PATCH", `/api/data-pipelines/${pipelineId}`, { steps });

async function deliver(value: number) {
  const before = receiver.received.length;
  await fixture.call("POST", `/api/v1/${device.token}/telemetry`, { body: { t: value } });
  await until(() => receiver.received.length > before);
  return receiver.received.at(-1);
}

/** Everything that the database holds as text. */
function stored(): string {
  const database = new Database(join(fixture.directory, "lineside.db"), { readonly: true });
  const tables = database
    .query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .all();
  const text = JSON.stringify(tables.map(({ name }) => database.query(`SELECT * FROM "${name}"`).all()));
  database.close();
  return text;
}

test("a secret in the query of a webhook is sent, and shown nowhere", async () => {
  receiver.answer = () => new Response("no", { status: 410 });
  const pipeline = await createPipeline([
    {
      type: "webhook_forward",
      config: { url: `${receiver.url}/in?a=1&token=${SECRET}&b=%20&sig=${SECRET}#end` },
    },
  ]);
  const url = pipeline.steps[0]?.config?.url ?? "";
  expect(url).toMatch(/\/in\?a=1&token=kept-[0-9a-f]{16}&b=%20&sig=kept-[0-9a-f]{16}#end$/);
  expect(await deliver(1)).toMatchObject({
    path: "/in",
    search: `?a=1&token=${SECRET}&b=%20&sig=${SECRET}`,
  });
  const path = `/api/data-pipelines/${pipeline.pipelineId}`;
  await until(
    async () =>
      (await call("GET", `/api/data-pipelines/deliveries?pipelineId=${pipeline.pipelineId}`)).body.length > 0,
  );
  for (const token of [owner, reader])
    for (const shown of [
      "/api/data-pipelines",
      path,
      `${path}/versions`,
      `/api/data-pipelines/deliveries?pipelineId=${pipeline.pipelineId}`,
      "/api/audit",
      "/api/faults",
      "/api/gateway/faults",
      "/api/gateway/logs",
    ])
      expect((await call("GET", shown, undefined, token)).text).not.toContain(SECRET);
  const steps = [stepTo(`${receiver.url}/in?api_key=${SECRET}`)];
  const preview = await call("POST", "/api/data-pipelines/preview", { steps, telemetry: { t: 1 } });
  expect(preview.body.webhookPreviews[0].url).toMatch(/\?api_key=kept-[0-9a-f]{16}$/);
  expect(preview.text).not.toContain(SECRET);
  expect(stored()).not.toContain(SECRET);
  await call("DELETE", path);
  receiver.answer = () => new Response("taken");
});

test("the mark keeps the secret, for the same server and the same site", async () => {
  const pipeline = await createPipeline([stepTo(`${receiver.url}/in?code=${SECRET}`)]);
  const [{ url } = { url: "" }] = pipeline.steps;
  const unchanged = await update(pipeline, [stepTo(url, { includeContext: false })]);
  expect(unchanged.body.steps[0].url).toBe(url);
  expect(await deliver(2)).toMatchObject({ path: "/in", search: `?code=${SECRET}` });
  const changed = await update(pipeline, [stepTo(`${url}&page=2`)]);
  expect(changed.status).toBe(200);
  expect(await deliver(3)).toMatchObject({ path: "/in", search: `?code=${SECRET}&page=2` });
  for (const other of [url.replace("127.0.0.1", "localhost"), url.replace("/in", "/other")]) {
    const elsewhere = await update(pipeline, [stepTo(other)]);
    expect([elsewhere.status, elsewhere.body.code]).toEqual([400, "step.secret_moved"]);
  }
  const renamed = await update(pipeline, [stepTo(url.replace("code=", "key="))]);
  expect([renamed.status, renamed.body.code]).toEqual([400, "step.secret_unknown"]);
  const theirs = await call("POST", "/api/data-pipelines", { name: "x", steps: [stepTo(url)] }, stranger);
  expect([theirs.status, theirs.body.code]).toEqual([400, "step.secret_unknown"]);
  await call("DELETE", `/api/data-pipelines/${pipeline.pipelineId}`);
});

test("a mark is valid only where it was shown", async () => {
  const headers = { authorization: SECRET };
  const pipeline = await createPipeline([
    stepTo(`${receiver.url}/in?code=${SECRET}`, { headers, secret: "signs" }),
  ]);
  const [step] = pipeline.steps as unknown as [
    { url: string; headers: { authorization: { kept: string } }; secret: { kept: string } },
  ];
  const mark = /kept-([0-9a-f]{16})/.exec(step.url)?.[0] ?? "";
  const ofUrl = { kept: mark.slice(5) };
  const { authorization } = step.headers;
  const to = receiver.url;
  for (const wrong of [
    stepTo(`${to}/in/${mark}?code=${SECRET}`),
    stepTo(`${to}/in/x${mark}`),
    stepTo(`${to}/in?page=${mark}`),
    stepTo(`${to}/in?page=kept%2D${ofUrl.kept}`),
    stepTo(`${to}/in#${mark}`),
    stepTo(`${to}/in?code=kept-${authorization.kept}`),
    stepTo(`${to}/in`, { headers: { authorization: ofUrl } }),
    stepTo(`${to}/in`, { headers: { authorization: mark } }),
    stepTo(`${to}/in`, { headers: { "x-api-key": authorization } }),
    stepTo(`${to}/in`, { secret: authorization }),
    stepTo(`${to}/in`, { secret: ofUrl }),
    stepTo(`${to}/in`, { headers: { authorization: step.secret } }),
  ]) {
    const { status, body } = await update(pipeline, [wrong]);
    expect([wrong, status, JSON.stringify(body)]).toEqual([
      wrong,
      400,
      expect.stringContaining("step.secret_"),
    ]);
  }
  const moved = await update(pipeline, [stepTo(`${to}/other`, { headers: { authorization } })]);
  expect([moved.status, moved.body.code]).toEqual([400, "step.secret_moved"]);
  const kept = await update(pipeline, [{ ...step, headers: { Authorization: authorization } }]);
  expect(kept.status).toBe(200);
  await call("DELETE", `/api/data-pipelines/${pipeline.pipelineId}`);
});

test("a token in the path of a webhook is sent, and shown nowhere", async () => {
  const token = "a1B2c3D4e5F6g7H8i9J0k1";
  const pipeline = await createPipeline([stepTo(`${receiver.url}/hooks/${token}/in`)]);
  const [{ url } = { url: "" }] = pipeline.steps;
  expect(url).toMatch(/\/hooks\/kept-[0-9a-f]{16}\/in$/);
  expect(
    (await call("GET", `/api/data-pipelines/${pipeline.pipelineId}`, undefined, reader)).text,
  ).not.toContain(token);
  expect(stored()).not.toContain(token);
  expect((await update(pipeline, [stepTo(url, { includeContext: false })])).body.steps[0].url).toBe(url);
  expect(await deliver(5)).toMatchObject({ path: `/hooks/${token}/in` });
  const elsewhere = await update(pipeline, [stepTo(url.replace("/in", "/out"))]);
  expect([elsewhere.status, elsewhere.body.code]).toEqual([400, "step.secret_moved"]);
  await call("DELETE", `/api/data-pipelines/${pipeline.pipelineId}`);
});

test("nobody names the sealed address itself", async () => {
  const pipeline = await createPipeline([stepTo(`${receiver.url}/in`, { sealedUrl: { sealed: "AAAA" } })]);
  expect(await deliver(4)).toMatchObject({ path: "/in", search: "" });
  expect(JSON.stringify(pipeline.steps)).not.toContain("sealed");
  await call("DELETE", `/api/data-pipelines/${pipeline.pipelineId}`);
});

const names = [
  "token",
  "access_token",
  "API-KEY",
  "apikey",
  "x%2Dapi%2Dkey",
  "password",
  "sig",
  "code",
  "client_secret",
];

test.each(names)("an address that people can read must not have %s in its query", async (name) => {
  const query = `?page=1&${name}=${SECRET}`;
  const rule = {
    id: "r",
    alarmType: "hot",
    createRules: [{ severity: "MAJOR", condition: { key: "t", op: "GT", value: 1 } }],
    actions: [{ on: "CREATED", type: "webhook", url: `https://erp.example/in${query}` }],
  };
  const refused = await Promise.all([
    call("POST", "/api/device-profiles", { name: `p ${name}`, alarmRules: [rule] }),
    ...[
      { type: "HTTP", url: `https://erp.example/in${query}` },
      { type: "INFLUXDB", api: "V1", url: `https://influx.example/${query}`, database: "d" },
      { type: "MQTT", url: `wss://broker.example/mqtt${query}` },
    ].map((target) => call("POST", "/api/uplinks", { name: `u ${name}`, target })),
    call("POST", "/api/integrations", {
      name: `i ${name}`,
      type: "MQTT",
      settings_json: { mqtt: { brokerUrl: `wss://broker.example/mqtt${query}`, topicFilter: "a" } },
    }),
  ]);
  for (const { status, text } of refused) {
    expect({ status, text }).toEqual({ status: 400, text: expect.stringContaining("quer") });
    expect(text).not.toContain(SECRET);
  }
});
