import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { PROGRAM } from "../support/program.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { createWorld } from "./client.ts";

/** The process, its settings and its command line. */

const world = createWorld();

async function run(...args: string[]): Promise<{ code: number; output: string }> {
  const child = Bun.spawn([...PROGRAM, ...args], {
    env: { PATH: process.env.PATH ?? "", LINESIDE_HTTP_PORT: new URL(world.test.app.url).port },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, output: stdout + stderr };
}

describe("the probes", () => {
  for (const path of ["/healthz", "/readyz"])
    test(`${path} answers 200 without a credential`, async () => {
      expect((await fetch(world.test.app.url + path)).status).toBe(200);
    });
  test("the API document names version 1.0 and every resource", async () => {
    const { body } = await world.ask("anonymous", "GET /docs/json");
    expect(body.openapi).toStartWith("3.1");
    expect(body.info.version).toBe("1.0");
    for (const path of [
      "/api/devices",
      "/api/v1/telemetry/query",
      "/api/alarms",
      "/api/rule-chains",
      "/api/scheduler",
    ])
      expect(Object.keys(body.paths)).toContain(path);
  });
});

describe("the command line", () => {
  test("prints its version", async () => {
    const { code, output } = await run("version");
    expect(code).toBe(0);
    expect(output).toMatch(/\d+\.\d+\.\d+/);
  });
  test("refuses an unknown command", async () => {
    expect((await run("teleport")).code).not.toBe(0);
  });
  test("reports every mistake in the settings at once", async () => {
    const child = Bun.spawn([...PROGRAM, "serve"], {
      env: { PATH: process.env.PATH ?? "", LINESIDE_HTTP_PORT: "many", LINESIDE_SIGNUP: "perhaps" },
      stdout: "pipe",
      stderr: "pipe",
    });
    const [stdout, stderr] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    expect(await child.exited).not.toBe(0);
    expect(stdout + stderr).toMatch(/http_port/i);
    expect(stdout + stderr).toMatch(/signup/i);
  });
  test("healthcheck answers for a gateway that runs", async () => {
    expect((await run("healthcheck")).code).toBe(0);
  });
});

describe("the switches", () => {
  let app: TestApp;
  let token: string;
  let device: { deviceId: string; token: string };
  beforeAll(async () => {
    app = await createTestApp({
      config: {
        data_pipelines_enabled: false,
        integrations_mapping_enabled: false,
        scheduler_enabled: false,
      },
    });
    token = (await app.signIn("TENANT_OWNER")).token;
    device = await app.createDevice(token);
  });
  afterAll(() => app.stop());
  const need = async (method: string, path: string, body?: unknown) => {
    const response = await app.call(method, path, { token, body });
    expect(`${response.status} ${response.status < 300 ? "" : response.text}`).toMatch(/^20/);
    return response.body;
  };

  test("DATA_PIPELINES_ENABLED=false passes telemetry through", async () => {
    const { pipelineId } = await need("POST", "/api/data-pipelines", {
      name: "Doubling",
      steps: [{ type: "scale_keys", keys: ["t"], factor: 2 }],
    });
    await need("POST", `/api/data-pipelines/${pipelineId}/start`);
    await need("POST", `/api/v1/${device.token}/telemetry`, { payload: { t: 4 } });
    expect((await need("GET", `/api/devices/${device.deviceId}/telemetry/latest`)).values.t).toBe(4);
  });

  test("INTEGRATIONS_MAPPING_ENABLED=false leaves messages as they are", async () => {
    const created = await need("POST", "/api/integrations", {
      name: "Meters",
      type: "HTTP",
      mappingSteps: [{ type: "scale_keys", keys: ["litres"], factor: 10 }],
    });
    await need("POST", `/api/integrations/${created.integrationId}/start`);
    const { secret } = await need("POST", "/api/tenant/integration/rotate-secret");
    const { tenantId } = await need("GET", "/api/tenant/profile");
    const response = await app.call(
      "POST",
      `/api/v1/integrations/generic/${created.integrationId}/telemetry`,
      {
        headers: { "x-webhook-secret": secret, "x-tenant-id": tenantId },
        body: { deviceToken: device.token, telemetry: { litres: 3 } },
      },
    );
    expect(response.status).toBe(200);
    expect((await need("GET", `/api/devices/${device.deviceId}/telemetry/latest`)).values.litres).toBe(3);
  });
});

describe("the audit log", () => {
  test("names who wrote what", async () => {
    await world.need("rw", "PATCH /api/devices/{device}", { name: "renamed for the log" });
    const entries = await world.need("owner", "GET /api/audit");
    const text = JSON.stringify(entries);
    expect(text).toContain(world.ids.rwUser ?? "-");
    expect(text).toContain(world.ids.device ?? "-");
  });
  test("holds no other tenant's entries", async () => {
    expect(JSON.stringify(await world.need("stranger", "GET /api/audit"))).not.toContain(
      world.ids.device ?? "-",
    );
  });
});

describe("limits", () => {
  test("a plan's number of devices is its limit", async () => {
    const { token } = await world.test.signIn("TENANT_OWNER", { tenant: "small", plan: "basic" });
    const { body: plans } = await world.test.call("GET", "/api/plans");
    const limit = plans.find(({ id }: { id: string }) => id === "basic")?.limits.devices;
    expect(limit).toBeGreaterThan(0);
    const rows = Array.from({ length: limit + 1 }, (_, index) => ({ name: `n${index}`, deviceType: "s" }));
    const tooMany = await world.test.call("POST", "/api/devices/bulk/import", { token, body: { rows } });
    expect(tooMany.status).toBeGreaterThanOrEqual(400);
    const full = await world.test.call("POST", "/api/devices/bulk/import", {
      token,
      body: { rows: rows.slice(0, limit) },
    });
    expect(full.status).toBe(201);
    const apiResponse = await world.test.call("POST", "/api/devices", {
      token,
      body: { name: "x", deviceType: "s" },
    });
    expect(apiResponse.status).toBe(403);
  });

  test("a text value has at most 64 KiB", async () => {
    const post = (length: number) =>
      world.ask("anonymous", "POST /api/v1/{deviceToken}/telemetry", {
        body: { payload: { long: "x".repeat(length) } },
      });
    expect((await post(64 * 1024)).status).toBe(200);
    expect((await post(64 * 1024 + 1)).status).toBe(413);
  });

  test("a device has at most 2,000 keys", async () => {
    const post = (first: number) =>
      world.ask("anonymous", "POST /api/v1/{grantedToken}/telemetry", {
        body: Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`key ${first + index}`, 1])),
      });
    for (const first of [0, 500, 1000, 1500]) expect((await post(first)).status).toBe(200);
    expect((await post(2000)).status).toBeGreaterThanOrEqual(400);
    expect(await world.need("owner", "GET /api/devices/{granted}/keys?limit=1000")).toHaveLength(1000);
  });

  test("wrong device tokens are throttled with 429 and Retry-After", async () => {
    const post = (index: number) =>
      world.ask("anonymous", `POST /api/v1/wrong-device-token-${index}/telemetry`, { body: { a: 1 } });
    let response = await post(0);
    expect(response.status).toBe(400);
    for (let index = 1; index < 2000 && response.status !== 429; index++) response = await post(index);
    expect(response.status).toBe(429);
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
  });
});
