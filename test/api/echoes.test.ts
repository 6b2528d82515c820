import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";

/** Text of a request in an error message is an excerpt: short, printable, on one line. */

let fixture: TestApp;
let token: string;
let deviceId: string;

beforeAll(async () => {
  fixture = await createTestApp();
  token = (await fixture.signIn("TENANT_OWNER")).token;
  deviceId = (await fixture.createDevice(token)).deviceId;
  const body = { name: LONG_NAME, source: "function decodeUplink() { return { data: {} }; }" };
  expect((await fixture.call("POST", "/api/integrations/codecs", { token, body })).status).toBe(201);
});
afterAll(() => fixture.stop());

const MARK = "q".repeat(41);
const CONTROLS = ["\u007F", "\u202E"] as const;
/** Fits every name and passes every pattern, so that the refusal is about what it stands for. */
const LONG = `${CONTROLS.join("")}${MARK}${"q".repeat(60)}`;
/** A name has no control characters. */
const LONG_NAME = LONG.replace(CONTROLS[0], "");
const profile = (alarmRules: unknown) => ({ name: "echo", alarmRules });
const rule = (fields: object) => ({
  alarmType: LONG,
  createRules: [{ severity: "MAJOR", condition: { key: "a", op: "GT", value: 1 } }],
  ...fields,
});

type Row = readonly [name: string, method: string, path: string, body: unknown];
const rows: readonly Row[] = [
  ["an unknown pipeline step", "POST", "/api/data-pipelines", { name: "p", steps: [{ type: LONG }] }],
  [
    "an unknown field of a step",
    "POST",
    "/api/data-pipelines/preview",
    { steps: [{ type: "pick_keys", keys: ["a"], [LONG]: 1 }], telemetry: {} },
  ],
  [
    "an unknown function of an expression",
    "POST",
    "/api/data-pipelines/preview",
    {
      steps: [{ type: "derive_key", key: "b", expression: `${MARK}${MARK}(1)` }],
      telemetry: { a: 1 },
    },
  ],
  [
    "an unknown mapping step",
    "POST",
    "/api/integrations",
    { name: "x", type: "HTTP", mappingSteps: [{ type: LONG }] },
  ],
  [
    "an unknown setting",
    "POST",
    "/api/integrations",
    { name: "x", type: "HTTP", settings_json: { [LONG]: 1 } },
  ],
  [
    "a path that cannot be read",
    "POST",
    "/api/integrations",
    { name: "x", type: "HTTP", settings_json: { paths: { deviceId: `${LONG}[` } } },
  ],
  [
    "a pattern that cannot be read",
    "POST",
    "/api/integrations",
    {
      name: "x",
      type: "MQTT",
      settings_json: { mqtt: { brokerUrl: "mqtt://h", topicFilter: "a", topicDeviceRegex: `${LONG}(` } },
    },
  ],
  [
    "a name of a codec that is taken",
    "POST",
    "/api/integrations/codecs",
    { name: LONG_NAME, source: "function decodeUplink() { return { data: {} }; }" },
  ],
  ["an unknown field of an alarm rule", "POST", "/api/device-profiles", profile([rule({ [LONG]: 1 })])],
  ["an alarm type that has a rule already", "POST", "/api/device-profiles", profile([rule({}), rule({})])],
  [
    "an alias of an unknown type",
    "POST",
    "/api/dashboards/resolve-alias",
    { alias: { id: "a", name: LONG, type: LONG } },
  ],
  [
    "two aliases of one id",
    "POST",
    "/api/dashboards",
    { name: "d", aliases: [1, 2].map(() => ({ id: LONG, name: "a", type: "singleDevice" })) },
  ],
  [
    "a schedule that cannot be read",
    "POST",
    "/api/scheduler/preview-next",
    { schedule: { kind: "cron", expression: `${MARK}${MARK} * * * *`, timezone: "UTC" }, count: 1 },
  ],
  [
    "a header that cannot be sent",
    "POST",
    "/api/data-pipelines",
    { name: "p", steps: [{ type: "webhook_forward", url: "https://h.example", headers: { [LONG]: "a" } }] },
  ],
  ["an unknown column of a list", "POST", "/api/devices/bulk/validate", { rows: [{ name: "a", [LONG]: 1 }] }],
];

const readable = ({ body }: { body: unknown }) => {
  const text = JSON.stringify(body);
  for (const part of [MARK, CONTROLS[0], CONTROLS[1]]) expect(text).not.toContain(part);
};

describe("an error shows an excerpt of", () => {
  test.each(rows)("%s", async (_, method, path, body) => {
    const response = await fixture.call(method, path, { token, body });
    expect([response.status < 500, response.text]).toEqual([true, expect.stringMatching(/q{3}|�/)]);
    readable(response);
  });

  test.each([
    ["an unknown column", `name,deviceType,${LONG}\na,b,c\n`],
    ["a column that is there twice", `name,attributes.shared.${LONG},attributes.shared.${LONG}\na,1,2\n`],
    ["a cell that cannot be read", `name,deviceType\n${LONG}"q,b\n`],
  ])("%s of a CSV file", async (_, raw) => {
    const headers = { "content-type": "text/csv" };
    const response = await fixture.call("POST", "/api/devices/bulk/validate", { token, raw, headers });
    expect([response.status, response.text]).toEqual([400, expect.stringMatching(/q{3}|�/)]);
    readable(response);
  });

  test("a key whose values have no average", async () => {
    const { token: deviceToken } = await fixture.createDevice(token, { name: "texts" });
    await fixture.call("POST", `/api/v1/${deviceToken}/telemetry`, { body: { [LONG]: "text" } });
    const [{ deviceId: texts }] = (await fixture.call("GET", "/api/devices?search=texts", { token })).body;
    const body = {
      deviceIds: [deviceId, texts],
      keys: [LONG.replace(/\p{Cc}/gu, "\uFFFD")], // as it is stored
      from: 0,
      to: Date.now() + 1000,
      aggregation: "avg",
    };
    const response = await fixture.call("POST", "/api/v1/telemetry/query", { token, body });
    expect([response.status, response.text]).toEqual([400, expect.stringContaining("qqq")]);
    readable(response);
  });
});
