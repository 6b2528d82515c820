import { describe, expect, test } from "bun:test";
import { apiRows } from "../support/api-rows.ts";
import { type Entry, entries, fixture, newest, owner, reader, stranger, useAudit } from "./audit-fixture.ts";

useAudit();

describe("reading the audit log", () => {
  apiRows(
    () => fixture,
    [
      ...["/api/audit", "/api/audit/actions", "/api/audit/export"].flatMap((path) => [
        {
          name: `${path}: anonymous is 401 without a body`,
          request: () => ({ method: "GET", path }),
          status: 401,
          answer: "none" as const,
        },
        {
          name: `${path}: a reader is 403`,
          request: () => ({ method: "GET", path, token: reader }),
          status: 403,
          answer: "error" as const,
        },
      ]),
      {
        name: "an invalid time is refused",
        request: () => ({ method: "GET", path: "/api/audit?from=yesterday", token: owner.token }),
        status: 400,
        answer: "error",
      },
      {
        name: "an invalid cursor is refused",
        request: () => ({ method: "GET", path: "/api/audit?cursor=x", token: owner.token }),
        status: 400,
        answer: "error",
      },
      {
        name: "an unknown outcome is refused",
        request: () => ({ method: "GET", path: "/api/audit?outcome=MAYBE", token: owner.token }),
        status: 400,
        answer: "error",
      },
      {
        name: "an unknown entry is 404",
        request: () => ({ method: "GET", path: "/api/audit/nothing", token: owner.token }),
        status: 404,
        answer: "error",
      },
    ],
  );

  test("administrators read it, and users who only write data do not", async () => {
    const admin = (await fixture.signIn("TENANT_ADMIN")).token;
    const writer = (await fixture.signIn("TENANT_RW")).token;
    const statuses = await Promise.all(
      [admin, writer].map(async (token) => (await fixture.call("GET", "/api/audit", { token })).status),
    );
    expect(statuses).toEqual([200, 403]);
  });

  test("a single entry is read by its id", async () => {
    const entry = await newest();
    const { body } = await fixture.call("GET", `/api/audit/${entry.auditId}`, { token: owner.token });
    expect(body).toEqual(entry);
  });

  test("another tenant reads nothing of it", async () => {
    await fixture.createDevice(owner.token, { name: "kept apart" });
    const { auditId } = await newest();
    const read = await fixture.call("GET", `/api/audit/${auditId}`, { token: stranger });
    expect(read.status).toBe(404);
    const list = await fixture.call("GET", "/api/audit?limit=1000", { token: stranger });
    expect(list.text).not.toContain("kept apart");
    const exported = await fixture.call("GET", "/api/audit/export", { token: stranger });
    expect(exported.text).not.toContain("kept apart");
  });

  test("entries about hidden devices are left out", async () => {
    const { deviceId } = await fixture.createDevice(owner.token, { name: "not granted" });
    const { deviceId: granted } = await fixture.createDevice(owner.token, { name: "granted to the admin" });
    const { token } = await fixture.signIn("TENANT_ADMIN", { devices: [granted] });
    const seen = await fixture.call("GET", "/api/audit?limit=1000", { token });
    expect(seen.text).toContain(granted);
    expect(seen.text).not.toContain(deviceId);
    expect(seen.headers.get("x-total-count")).toBe(String(seen.body.length));
  });

  test("hidden devices and assets that others were granted are left out of entries", async () => {
    const { deviceId: hidden } = await fixture.createDevice(owner.token, { assetId: "secret hall" });
    const { deviceId: granted } = await fixture.createDevice(owner.token);
    const { token } = await fixture.signIn("TENANT_ADMIN", { devices: [granted] });
    const { user } = await fixture.signIn("TENANT_RW", { devices: [] });
    const grants = { hasGlobalDeviceAccess: false, deviceIds: [hidden, granted] };
    await fixture.call("PATCH", `/api/users/${user.userId}`, {
      token: owner.token,
      body: { ...grants, assetIds: ["secret hall"] },
    });
    const { auditId } = await newest("?action=user.update");
    const apiResponse = await fixture.call("POST", "/api/api-keys", {
      token: owner.token,
      body: { name: "of two", role: "TENANT_RW", ...grants },
    });
    await fixture.call("DELETE", `/api/api-keys/${apiResponse.body.apiKeyId}`, { token: owner.token });
    const exported = "/api/audit/export?format=";
    for (const path of [
      "/api/audit?limit=1000",
      `/api/audit/${auditId}`,
      `${exported}csv`,
      `${exported}ndjson`,
    ]) {
      const seen = await fixture.call("GET", path, { token });
      expect([seen.status, seen.text]).toEqual([200, expect.stringContaining(granted)]);
      expect(seen.text).not.toContain(hidden);
      expect(seen.text).not.toContain("secret hall");
      expect((await fixture.call("GET", path, { token: owner.token })).text).toContain(hidden);
    }
  });

  test("ids of hidden devices are left out of other entries", async () => {
    const { deviceId: hidden } = await fixture.createDevice(owner.token);
    const { deviceId: granted } = await fixture.createDevice(owner.token);
    const { token } = await fixture.signIn("TENANT_ADMIN", { devices: [granted] });
    const post = async (path: string, body: unknown) => {
      const response = await fixture.call("POST", path, { token: owner.token, body });
      expect([path, response.status]).toEqual([path, 201]);
    };
    await post("/api/data-pipelines", {
      name: "of both",
      scope: { deviceIds: [hidden, granted] },
      steps: [],
    });
    await post("/api/rule-chains", {
      name: "of both",
      type: "data_generator",
      enabled: true,
      status: "draft",
      config: { deviceIds: [hidden, granted], intervalSeconds: 1, metrics: [{ key: "a", min: 0, max: 1 }] },
    });
    await post("/api/dashboards", {
      name: "of both",
      aliases: [{ id: "a", name: "a", type: "deviceList", deviceIds: [hidden, granted] }],
      configuration: { note: `see ${hidden}` },
    });
    for (const path of ["/api/audit?limit=1000", "/api/audit/export?format=ndjson"]) {
      const seen = await fixture.call("GET", path, { token });
      expect(seen.text).toContain("of both");
      expect(seen.text).toContain(granted);
      expect(seen.text).not.toContain(hidden);
    }
  });

  test("entries about notes, alarms, units and jobs of hidden devices are left out", async () => {
    const { deviceId: hidden, token: hiddenToken } = await fixture.createDevice(owner.token, {
      name: "hidden press",
    });
    const { deviceId: granted } = await fixture.createDevice(owner.token, { name: "granted press" });
    const { token } = await fixture.signIn("TENANT_ADMIN", { devices: [granted] });
    const call = async (method: string, path: string, body: unknown) => {
      const response = await fixture.call(method, path, { token: owner.token, body });
      expect([path, response.status]).toEqual([path, expect.any(Number)]);
      expect(response.status).toBeLessThan(300);
      return response.body;
    };
    const connection = await call("POST", "/api/s7/connections", {
      name: "controller",
      host: "192.0.2.1",
      enabled: false,
    });
    for (const [name, deviceId] of [
      ["for few", hidden],
      ["of all", granted],
    ] as const) {
      const note = await call("POST", "/api/notes", { deviceId, text: name, at: "2026-11-28T08:30:00Z" });
      await call("PATCH", `/api/notes/${note.noteId}`, { text: `changed: ${name}` });
      await call("POST", `/api/s7/connections/${connection.connectionId}/units`, { deviceId });
      await call("POST", "/api/scheduler", {
        name,
        schedule: { kind: "interval", everyMs: 60_000 },
        action: { type: "attributes", deviceIds: [deviceId], attributes: { a: 1 } },
      });
      await call("POST", "/api/rule-chains", {
        name,
        type: "data_generator",
        enabled: true,
        status: "draft",
        config: { deviceIds: [deviceId], intervalSeconds: 1, metrics: [{ key: "a", min: 0, max: 1 }] },
      });
    }
    const rule = { severity: "MAJOR", condition: { key: "alarming", op: "EQ", value: true } };
    const profile = await call("POST", "/api/device-profiles", {
      name: "alarming",
      alarmRules: [{ alarmType: "own", createRules: [rule] }],
    });
    await call("PATCH", `/api/devices/${hidden}`, { profileId: profile.profileId });
    await fixture.call("POST", `/api/v1/${hiddenToken}/telemetry`, { body: { alarming: true } });
    const { body: alarms } = await fixture.call("GET", "/api/alarms", { token: owner.token });
    const { alarmId } = alarms[0];
    const message = "for few";
    await call("POST", `/api/alarms/${alarmId}/comments`, { message });
    await call("POST", "/api/alarms/comments/bulk", { alarmIds: [alarmId], message });
    await call("PATCH", `/api/alarms/${alarmId}/ack`, undefined);

    const ofOwner = await entries("?limit=1000");
    expect(ofOwner.filter((entry) => JSON.stringify(entry).includes("for few")).length).toBe(6);
    const seen = await fixture.call("GET", "/api/audit?limit=1000", { token });
    expect(seen.body.filter((entry: Entry) => JSON.stringify(entry).includes("of all")).length).toBe(4);
    expect(seen.text).toContain("granted press");
    expect(seen.body.map(({ action }: Entry) => action)).not.toContain("alarm.acknowledge");
    expect(seen.headers.get("x-total-count")).toBe(String(seen.body.length));
    const exported = await fixture.call("GET", "/api/audit/export", { token });
    const { auditId } = await newest("?action=note.update");
    expect((await fixture.call("GET", `/api/audit/${auditId}`, { token })).status).toBe(200);
    const first = ofOwner.findLast(({ action }) => action === "note.update");
    expect((await fixture.call("GET", `/api/audit/${first?.auditId}`, { token })).status).toBe(404);
    for (const { text } of [seen, exported])
      for (const name of ["for few", "hidden press"]) expect(text).not.toContain(name);
  });

  test("pages hold each entry once, also while more come in", async () => {
    for (let index = 0; index < 5; index++) await fixture.createDevice(owner.token);
    const total = (await entries("?limit=1000")).length;
    const seen: string[] = [];
    let path: string | undefined = "/api/audit?limit=3";
    while (path !== undefined) {
      const page = await fixture.call("GET", path, { token: owner.token });
      for (const { auditId } of page.body as Entry[]) seen.push(auditId);
      path = /^<([^>]+)>; rel="next"$/.exec(page.headers.get("link") ?? "")?.[1];
      if (seen.length === 3) await fixture.createDevice(owner.token);
    }
    expect(seen.length).toBe(total);
    expect(new Set(seen).size).toBe(total);
  });

  test("entries are filtered by action, kind, person, target, words and time", async () => {
    const { deviceId } = await fixture.createDevice(owner.token, { name: "Zentrifuge" });
    const pump = await fixture.createDevice(owner.token, { name: "Pump" });
    const attributes = `/api/devices/${pump.deviceId}/attributes`;
    await fixture.call("POST", attributes, {
      token: owner.token,
      body: { scope: "SHARED", attributes: { target: 20 } },
    });
    await fixture.call("DELETE", `${attributes}/SHARED/target`, { token: owner.token });
    const actions = async (query: string) => new Set((await entries(query)).map(({ action }) => action));
    expect(await actions("?action=device.create")).toEqual(new Set(["device.create"]));
    expect([...(await actions("?action=attributes.&limit=1000"))].sort()).toEqual([
      "attributes.delete",
      "attributes.set",
    ]);
    const own = await entries(`?actorId=${owner.userId}&limit=1000`);
    expect(new Set(own.map(({ actorId }) => actorId))).toEqual(new Set([owner.userId]));
    expect((await entries(`?targetId=${deviceId}`)).length).toBe(1);
    expect((await entries("?search=zentri")).map(({ targetId }) => targetId)).toEqual([deviceId]);
    const { at } = await newest();
    expect((await entries(`?from=${encodeURIComponent(at)}`)).length).toBeGreaterThan(0);
    expect(await entries(`?from=${Date.parse(at) + 60_000}`)).toEqual([]);
    expect(await entries("?to=2001-01-01T00:00:00Z")).toEqual([]);
    const { body } = await fixture.call("GET", "/api/audit/actions", { token: owner.token });
    expect(body).toContain("device.create");
    expect(body).toEqual([...body].sort());
  });

  test("the export is CSV that no spreadsheet executes, or NDJSON", async () => {
    await fixture.createDevice(owner.token, { name: '=HYPERLINK("http://evil.example")' });
    const csv = await fixture.call("GET", "/api/audit/export?search=hyperlink", { token: owner.token });
    expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(csv.headers.get("content-disposition")).toBe('attachment; filename="audit.csv"');
    const [head, row] = csv.text.split("\r\n");
    expect(head).toBe(
      "at,outcome,action,actorType,actorName,actorId,impersonatorName,targetType,targetName,targetId,address,userAgent,before,after",
    );
    expect(row).toContain(`"'=HYPERLINK(""http://evil.example"")"`);
    const ndjson = await fixture.call("GET", "/api/audit/export?format=ndjson&search=hyperlink", {
      token: owner.token,
    });
    const lines = ndjson.text.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).action)).toEqual(["device.create"]);
  });

  test("the export is complete, however long it is", async () => {
    const { services } = fixture.app;
    const { user } = await fixture.signIn("TENANT_OWNER", { tenant: "long" });
    const { token } = await fixture.signIn("TENANT_OWNER", { tenant: "long" });
    for (let index = 0; index < 1_203; index++)
      services.audit.record({
        tenantId: user.tenantId,
        actor: { type: "USER", id: user.userId, name: user.email },
        action: "device.update",
        outcome: "SUCCESS",
        target: { type: "profile", id: String(index) },
      });
    const { text } = await fixture.call("GET", "/api/audit/export?format=ndjson&action=device.update", {
      token,
    });
    const ids = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).targetId);
    expect(ids).toEqual(Array.from({ length: 1_203 }, (_, index) => String(1_202 - index)));
  });
});
