// The log of what went wrong: what is listed, who may see it, and how it is cleared.
import { beforeAll, describe, expect, test } from "bun:test";
import {
  FAULTS,
  fixture,
  GATEWAY_FAULTS,
  list,
  METRICS_TOKEN,
  ownerEmail,
  tokens,
  useFaults,
} from "./faults-fixture.ts";

type Roles = "TENANT_OWNER" | "TENANT_ADMIN" | "TENANT_RW" | "TENANT_READ_ONLY";
let device: { deviceId: string; token: string };
let hidden: { deviceId: string; token: string };

useFaults();
const send = (token: string, body: unknown) => fixture.call("POST", `/api/v1/${token}/telemetry`, { body });
const codesOf = (faults: readonly { reason: { code: string } }[]) =>
  [...new Set(faults.map(({ reason }) => reason.code))].sort();

beforeAll(async () => {
  device = await fixture.createDevice(tokens.owner, { name: "press" });
  hidden = await fixture.createDevice(tokens.owner, { name: "oven" });
  for (let count = 0; count < 3; count++) await send(device.token, "no telemetry");
  await send(hidden.token, "no telemetry");
  await send("TokenOfNobodyAtAll", { t: 1 });
  await fixture.call("POST", "/idp/authorize", { body: { email: ownerEmail, password: "wrong password 1" } });
});

describe("an entry", () => {
  test("says what happened, to what, how often, and shows the message", async () => {
    const [fault] = await list(tokens.owner, `?subject=device&subjectId=${device.deviceId}`);
    expect(fault).toMatchObject({
      source: "device_api",
      reason: { code: expect.any(String), params: expect.any(Object), message: expect.any(String) },
      subject: { kind: "device", id: device.deviceId, name: "press" },
      sample: expect.stringContaining("no telemetry"),
      count: 3,
    });
    expect(Date.parse(fault.firstAt)).toBeLessThanOrEqual(Date.parse(fault.lastAt));
  });

  test("is the same that the device's list of rejections has", async () => {
    const [fault] = await list(tokens.owner, `?subject=device&subjectId=${device.deviceId}`);
    const [rejection] = await list(tokens.owner, "", `/api/devices/${device.deviceId}/rejections`);
    expect(rejection).toMatchObject({
      at: fault.lastAt,
      source: "http",
      where: fault.where,
      code: fault.reason.code,
      reason: fault.reason.message,
      sample: fault.sample,
      count: 3,
    });
  });

  test("says what to do", async () => {
    const [fault] = await list(tokens.operator, "?code=refusal.token_wrong", GATEWAY_FAULTS);
    expect(fault).toMatchObject({
      identity: "Toke… (18)",
      address: "127.0.0.1",
      hint: { code: "refusal_hint.token_wrong" },
    });
    expect(JSON.stringify(await list(tokens.operator, "", GATEWAY_FAULTS))).not.toContain("TokenOfNobody");
  });
});

describe("filters", () => {
  test.each([
    ["source", "?source=sign_in", ["refusal.password_wrong"]],
    ["code", "?code=refusal.password_wrong", ["refusal.password_wrong"]],
    ["type of object", "?subject=user", ["refusal.password_wrong"]],
    ["time", "?to=1", []],
    ["text", "?search=WRONG", ["refusal.password_wrong"]],
    ["text that nothing has", "?search=nothing+has+this", []],
  ])("by %s", async (_, query, codes) => {
    expect(codesOf(await list(tokens.owner, query))).toEqual(codes);
  });

  test.each(["?source=nowhere", "?limit=0", "?limit=1001", "?cursor=nonsense", "?from=yesterday"])(
    "refuse %s",
    async (query) => {
      expect((await fixture.call("GET", `${FAULTS}${query}`, { token: tokens.owner })).status).toBe(400);
    },
  );

  test("pages are linked, and together they are the list", async () => {
    const whole = await list(tokens.owner);
    const found = [];
    let path: string | undefined = `${FAULTS}?limit=1`;
    while (path !== undefined) {
      const response = await fixture.call("GET", path, { token: tokens.owner });
      expect(response.headers.get("x-total-count")).toBe(String(whole.length));
      found.push(...response.body);
      path = /<(.+)>/.exec(response.headers.get("link") ?? "")?.[1];
    }
    expect(found).toEqual(whole);
  });
});

test("counts by source and code, by API and for Prometheus", async () => {
  const counts = await list(tokens.owner, "", `${FAULTS}/counts`);
  expect(counts).toContainEqual({ source: "sign_in", code: "refusal.password_wrong", entries: 1, count: 1 });
  const { text } = await fixture.call("GET", "/metrics", { token: METRICS_TOKEN });
  expect(text).toContain('lineside_faults_total{source="sign_in",code="refusal.password_wrong"} 1');
  expect(text).toMatch(/lineside_faults_total\{source="device_api",code="[a-z_.]+"\} 4/);
});

describe("who sees what", () => {
  test.each([
    ["TENANT_OWNER", "all", true, 2],
    ["TENANT_ADMIN", "all", true, 2],
    ["TENANT_RW", "all", false, 2],
    ["TENANT_READ_ONLY", "all", false, 2],
    ["TENANT_ADMIN", "some", false, 1],
    ["TENANT_READ_ONLY", "some", false, 1],
  ] as const)("%s with %s devices", async (role: Roles, devices, seesCredentials, deviceCount) => {
    const { token } = await fixture.signIn(role, devices === "some" ? { devices: [device.deviceId] } : {});
    const faults: { subject?: { kind: string; id: string }; reason: { code: string } }[] = await list(token);
    expect(codesOf(faults).includes("refusal.password_wrong")).toBe(seesCredentials);
    const ids = faults.flatMap(({ subject }) => (subject?.kind === "device" ? [subject.id] : []));
    expect(new Set(ids).size).toBe(deviceCount);
  });

  test("nobody sees those of another tenant, and none without a tenant", async () => {
    expect(await list(tokens.other)).toEqual([]);
    expect(await list(tokens.other, `?subject=device&subjectId=${device.deviceId}`)).toEqual([]);
    expect(codesOf(await list(tokens.owner))).not.toContain("refusal.token_wrong");
  });

  test("operators see all of the gateway, others do not", async () => {
    const codes = codesOf(await list(tokens.operator, "", GATEWAY_FAULTS));
    expect(codes).toContain("refusal.token_wrong");
    expect(codes).toContain("refusal.password_wrong");
    for (const token of [tokens.owner, tokens.other])
      expect((await fixture.call("GET", GATEWAY_FAULTS, { token })).status).toBe(403);
  });
});

describe("clearing", () => {
  test("is for administrators", async () => {
    for (const role of ["TENANT_RW", "TENANT_READ_ONLY"] as const) {
      const { token } = await fixture.signIn(role);
      expect((await fixture.call("DELETE", FAULTS, { token })).status).toBe(403);
    }
  });

  test("takes no entry of another tenant", async () => {
    const before = await list(tokens.owner);
    expect((await fixture.call("DELETE", FAULTS, { token: tokens.other })).body).toEqual({ cleared: 0 });
    expect(await list(tokens.owner)).toEqual(before);
  });

  test("takes what matches, and what goes wrong afterwards is listed again", async () => {
    const query = `?subject=device&subjectId=${device.deviceId}`;
    expect((await fixture.call("DELETE", `${FAULTS}${query}`, { token: tokens.owner })).body).toEqual({
      cleared: 1,
    });
    expect(await list(tokens.owner, query)).toEqual([]);
    expect(await list(tokens.owner, `?subject=device&subjectId=${hidden.deviceId}`)).toHaveLength(1);
    await send(device.token, "no telemetry");
    expect(await list(tokens.owner, query)).toMatchObject([{ count: 1 }]);
    const [entry] = (await fixture.call("GET", "/api/audit?action=fault.clear", { token: tokens.owner }))
      .body;
    expect(entry).toMatchObject({ action: "fault.clear", after: { subjectId: device.deviceId } });
  });

  test("takes what a search shows, and nothing else", async () => {
    await send(device.token, "no telemetry");
    const before = await list(tokens.owner);
    const found = await list(tokens.owner, "?search=press");
    const { body } = await fixture.call("DELETE", `${FAULTS}?search=press`, { token: tokens.owner });
    expect(body).toEqual({ cleared: found.length });
    expect(found.length).toBeGreaterThan(0);
    expect(await list(tokens.owner)).toHaveLength(before.length - found.length);
    expect(await list(tokens.owner, "?search=press")).toEqual([]);
  });

  test.each(["?sorce=mqtt", "?limit=1", "?source=mqtt&page=2"])(
    "refuses %s and clears nothing",
    async (query) => {
      const before = await list(tokens.owner);
      const { status, body } = await fixture.call("DELETE", `${FAULTS}${query}`, { token: tokens.owner });
      expect([status, body.code]).toEqual([400, "request.parameter_unknown"]);
      expect(before.length).toBeGreaterThan(0);
      expect(await list(tokens.owner)).toEqual(before);
    },
  );

  test("takes everything of the gateway", async () => {
    const { body } = await fixture.call("DELETE", GATEWAY_FAULTS, { token: tokens.operator });
    expect(body.cleared).toBeGreaterThan(2);
    expect(await list(tokens.operator, "", GATEWAY_FAULTS)).toEqual([]);
  });
});
