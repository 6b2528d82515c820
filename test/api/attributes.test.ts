import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { apiRows } from "../support/api-rows.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

let fixture: TestApp;
let owner: string;
let reader: string;
let stranger: string;
let device: { deviceId: string; token: string };
const json = { "content-type": "application/json" };

const atTime = (suffix = "") => `/api/devices/${device.deviceId}/attributes${suffix}`;
const set = (body: unknown, token = owner) => ({ method: "POST", path: atTime(), token, body });

beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  reader = (await fixture.signIn("TENANT_READ_ONLY")).token;
  stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
  device = await fixture.createDevice(owner);
});
afterAll(() => fixture.stop());

describe("a person sets attributes", () => {
  apiRows(
    () => fixture,
    [
      {
        name: "anonymous is 401 without a body",
        request: () => ({ method: "POST", path: atTime(), body: {} }),
        status: 401,
        answer: "none",
      },
      {
        name: "a reader may not",
        request: () => set({ scope: "SHARED", attributes: { a: 1 } }, reader),
        status: 403,
        answer: "error",
      },
      {
        name: "another tenant's device is 404",
        request: () => set({ scope: "SHARED", attributes: { a: 1 } }, stranger),
        status: 404,
        answer: "error",
      },
      {
        name: "a missing scope is 400",
        request: () => set({ attributes: { a: 1 } }),
        status: 400,
        answer: "error",
      },
      {
        name: "missing attributes are 400",
        request: () => set({ scope: "SHARED" }),
        status: 400,
        answer: "error",
      },
      {
        name: "attributes in an array are 400",
        request: () => set({ scope: "SHARED", attributes: [1] }),
        status: 400,
        answer: "error",
      },
      {
        name: "attributes as a text are 400",
        request: () => set({ scope: "SHARED", attributes: "a" }),
        status: 400,
        answer: "error",
      },
      {
        name: "an unknown scope is 400",
        request: () => set({ scope: "PRIVATE", attributes: { a: 1 } }),
        status: 400,
        answer: "error",
      },
      {
        name: "malformed JSON is 400",
        request: () => ({ ...set(undefined), raw: '{"scope":', headers: json }),
        status: 400,
        answer: "error",
      },
      {
        name: "what the gateway observes cannot be set",
        request: () => set({ scope: "SERVER", attributes: { active: true } }),
        status: 400,
        answer: "error",
      },
      {
        name: "any JSON value is taken",
        request: () => set({ scope: "SHARED", attributes: { target: 21.5, mode: { eco: [true, null] } } }),
        status: 200,
        answer: ({ body }) => expect(body).toEqual({ success: true }),
      },
      {
        name: "in SERVER scope too",
        request: () => set({ scope: "SERVER", attributes: { note: "north wall" } }),
        status: 200,
      },
    ],
  );
});

describe("a person reads attributes", () => {
  apiRows(
    () => fixture,
    [
      {
        name: "anonymous is 401 without a body",
        request: () => ({ method: "GET", path: atTime() }),
        status: 401,
        answer: "none",
      },
      {
        name: "another tenant's device is 404",
        request: () => ({ method: "GET", path: atTime(), token: stranger }),
        status: 404,
        answer: "error",
      },
      {
        name: "an unknown scope is 400",
        request: () => ({ method: "GET", path: atTime("?scope=ALL"), token: owner }),
        status: 400,
        answer: "error",
      },
      {
        name: "one scope",
        request: () => ({ method: "GET", path: atTime("?scope=SHARED"), token: reader }),
        status: 200,
        answer: ({ body }) => {
          expect(body).toMatchObject([
            { key: "mode", value: { eco: [true, null] }, scope: "SHARED" },
            { key: "target", value: 21.5, scope: "SHARED" },
          ]);
          expect(new Date(body[0].updatedAt).toISOString()).toBe(body[0].updatedAt);
        },
      },
      {
        name: "all scopes",
        request: () => ({ method: "GET", path: atTime(), token: reader }),
        status: 200,
        answer: ({ body }) =>
          expect(body.map((entry: { key: string }) => entry.key)).toEqual(["note", "mode", "target"]),
      },
      {
        name: "the names of a device",
        request: () => ({ method: "GET", path: atTime("/keys"), token: reader }),
        status: 200,
        answer: ({ body }) => expect(body).toEqual([{ key: "mode" }, { key: "note" }, { key: "target" }]),
      },
      {
        name: "the names of the tenant",
        request: () => ({ method: "GET", path: "/api/attributes/keys", token: reader }),
        status: 200,
        answer: ({ body }) => expect(body).toEqual([{ key: "mode" }, { key: "note" }, { key: "target" }]),
      },
      {
        name: "but not another tenant's",
        request: () => ({ method: "GET", path: "/api/attributes/keys", token: stranger }),
        status: 200,
        answer: ({ body }) => expect(body).toEqual([]),
      },
    ],
  );
});

describe("a device reads and reports attributes", () => {
  const own = (suffix: string) => `/api/v1/${device.token}/attributes${suffix}`;
  apiRows(
    () => fixture,
    [
      {
        name: "an invalid token is 400",
        request: () => ({ method: "GET", path: "/api/v1/nope/attributes" }),
        status: 400,
        answer: "error",
      },
      {
        name: "only SHARED scope",
        request: () => ({ method: "GET", path: own("?scope=SERVER") }),
        status: 400,
        answer: "error",
      },
      {
        name: "SHARED ones as entries",
        request: () => ({ method: "GET", path: own("") }),
        status: 200,
        answer: ({ body }) =>
          expect(body.map((entry: { key: string }) => entry.key)).toEqual(["mode", "target"]),
      },
      {
        name: "flat needs a scope",
        request: () => ({ method: "GET", path: own("/flat?keys=a") }),
        status: 400,
        answer: "error",
      },
      {
        name: "flat needs keys",
        request: () => ({ method: "GET", path: own("/flat?scope=SHARED") }),
        status: 400,
        answer: "error",
      },
      {
        name: "flat leaves out what does not exist",
        request: () => ({ method: "GET", path: own("/flat?scope=SHARED&keys=target,nothing,note") }),
        status: 200,
        answer: ({ body }) => expect(body).toEqual({ target: 21.5 }),
      },
      {
        name: "reporting needs a valid token",
        request: () => ({ method: "POST", path: "/api/v1/nope/attributes", body: { a: 1 } }),
        status: 400,
        answer: "error",
      },
      {
        name: "reporting an array is 400",
        request: () => ({ method: "POST", path: own(""), body: [1] }),
        status: 400,
        answer: "error",
      },
      {
        name: "reporting malformed JSON is 400",
        request: () => ({ method: "POST", path: own(""), raw: "{", headers: json }),
        status: 400,
        answer: "error",
      },
      {
        name: "reporting",
        request: () => ({ method: "POST", path: own(""), body: { firmware: "1.2", __proto: 1 } }),
        status: 200,
        answer: ({ body }) => expect(body).toEqual({ success: true }),
      },
      {
        name: "by key lists of both scopes",
        request: () => ({ method: "GET", path: own("?clientKeys=firmware,x&sharedKeys=target") }),
        status: 200,
        answer: ({ body }) => expect(body).toEqual({ client: { firmware: "1.2" }, shared: { target: 21.5 } }),
      },
      {
        name: "what it reported is in CLIENT scope",
        request: () => ({ method: "GET", path: atTime("?scope=CLIENT"), token: owner }),
        status: 200,
        answer: ({ body }) =>
          expect(body).toMatchObject([
            { key: "__proto", value: 1 },
            { key: "firmware", value: "1.2" },
          ]),
      },
    ],
  );

  test("what was refused is listed on the device, newest first", async () => {
    const { body } = await fixture.call("GET", `/api/devices/${device.deviceId}/rejections`, {
      token: reader,
    });
    expect(body.map((rejection: { code: string }) => rejection.code)).toEqual([
      "body.malformed",
      "attribute.body_invalid",
    ]);
    expect(body[0]).toMatchObject({ source: "http", where: "/attributes", sample: "{" });
  });

  test("being heard of makes it active, as SERVER attributes", async () => {
    const { body } = await fixture.call("GET", atTime("?scope=SERVER"), { token: reader });
    expect(body).toContainEqual({
      key: "active",
      value: true,
      scope: "SERVER",
      updatedAt: expect.any(String),
    });
  });
});

describe("a person deletes an attribute", () => {
  const remove = (path: string, token = owner) => ({ method: "DELETE", path: atTime(path), token });
  apiRows(
    () => fixture,
    [
      {
        name: "anonymous is 401 without a body",
        request: () => ({ method: "DELETE", path: atTime("/SHARED/target") }),
        status: 401,
        answer: "none",
      },
      {
        name: "a reader may not",
        request: () => remove("/SHARED/target", reader),
        status: 403,
        answer: "error",
      },
      {
        name: "another tenant's device is 404",
        request: () => remove("/SHARED/target", stranger),
        status: 404,
        answer: "error",
      },
      { name: "an unknown scope is 400", request: () => remove("/ANY/target"), status: 400, answer: "error" },
      {
        name: "it goes",
        request: () => remove("/SHARED/target"),
        status: 200,
        answer: ({ body }) => expect(body).toEqual({ success: true }),
      },
      {
        name: "and is gone",
        request: () => ({ method: "GET", path: atTime("?scope=SHARED"), token: owner }),
        status: 200,
        answer: ({ body }) => expect(body.map((entry: { key: string }) => entry.key)).toEqual(["mode"]),
      },
    ],
  );
});
