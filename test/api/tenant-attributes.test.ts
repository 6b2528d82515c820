import { describe, expect, test } from "bun:test";
import { apiRows } from "../support/api-rows.ts";
import { as, fixture, plain, roles, set, stranger, tenantId, useTenants } from "./tenants-fixture.ts";

useTenants();

describe("tenant attributes", () => {
  const value = { theme: { primary: "#123456" }, list: [1, "2", null], text: "ü" };
  apiRows(
    () => fixture,
    [
      ...(["/api/tenant-attributes", "/api/tenant-attributes/none", "/api/tenant/profile"] as const).map(
        (path) => ({
          name: `GET ${path} without a credential is 401 without a body`,
          request: () => ({ method: "GET", path }),
          status: 401,
          answer: "none" as const,
        }),
      ),
      {
        name: "POST without a credential is 401 without a body, whatever it holds",
        request: () => set(undefined, {}),
        status: 401,
        answer: "none",
      },
      {
        name: "DELETE without a credential is 401 without a body",
        request: () => ({ method: "DELETE", path: "/api/tenant-attributes/logo" }),
        status: 401,
        answer: "none",
      },
      ...(["TENANT_RW", "TENANT_READ_ONLY"] as const).flatMap((role) => [
        {
          name: `POST by ${role} is 403`,
          request: () => set(as(role), { key: "logo", value }),
          status: 403,
          answer: "error" as const,
        },
        {
          name: `DELETE by ${role} is 403`,
          request: () => ({ method: "DELETE", path: "/api/tenant-attributes/logo", token: as(role) }),
          status: 403,
          answer: "error" as const,
        },
      ]),
      {
        name: "POST on a plan without whitelabeling is 403, and says so",
        request: () => set(plain.token, { key: "logo", value }),
        status: 403,
        answer: ({ body }) =>
          expect(body).toEqual({
            statusCode: 403,
            error: "Forbidden",
            message: "The plan of this site does not include whitelabeling.",
            code: "plan.whitelabel",
            params: {},
          }),
      },
      {
        name: "POST without a key is 400",
        request: () => set(as("TENANT_OWNER"), { value }),
        status: 400,
        answer: "error",
      },
      {
        name: "POST with an empty key is 400",
        request: () => set(as("TENANT_OWNER"), { key: "", value }),
        status: 400,
        answer: "error",
      },
      {
        name: "POST without a value is 400",
        request: () => set(as("TENANT_OWNER"), { key: "logo" }),
        status: 400,
        answer: "error",
      },
      ...(
        [
          ["a list", [1]],
          ["a text", "x"],
          ["null", null],
          ["a number", 1],
        ] as const
      ).map(([subject, bad]) => ({
        name: `POST with ${subject} for a value is 400`,
        request: () => set(as("TENANT_OWNER"), { key: "logo", value: bad }),
        status: 400,
        answer: "error" as const,
      })),
      {
        name: "POST with a value that is too large is 400",
        request: () => set(as("TENANT_OWNER"), { key: "logo", value: { large: "x".repeat(256 * 1024) } }),
        status: 400,
        answer: "error",
      },
      {
        name: "POST with a body that is no JSON is 400",
        request: () => ({
          ...set(as("TENANT_OWNER"), undefined),
          raw: "{key",
          headers: { "content-type": "application/json" },
        }),
        status: 400,
        answer: "error",
      },
      {
        name: "GET of an unknown key is 404",
        request: () => ({ method: "GET", path: "/api/tenant-attributes/nothing", token: as("TENANT_OWNER") }),
        status: 404,
        answer: "error",
      },
      {
        name: "DELETE of an unknown key is 404",
        request: () => ({
          method: "DELETE",
          path: "/api/tenant-attributes/nothing",
          token: as("TENANT_OWNER"),
        }),
        status: 404,
        answer: "error",
      },
      ...(["TENANT_OWNER", "TENANT_ADMIN"] as const).map((role) => ({
        name: `POST by ${role} answers the attribute`,
        request: () => set(as(role), { key: `of ${role}`, value }),
        status: 200,
        answer: ({ body }: { body: unknown }) =>
          expect(body).toEqual({
            key: `of ${role}`,
            value,
            updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
          }),
      })),
      ...roles.flatMap((role) => [
        {
          name: `GET by ${role} lists them by key`,
          request: () => ({ method: "GET", path: "/api/tenant-attributes", token: as(role) }),
          status: 200,
          answer: ({ body }: { body: Array<{ key: string; value: unknown }> }) => {
            expect(body.map(({ key }) => key)).toEqual(["of TENANT_ADMIN", "of TENANT_OWNER"]);
            expect(body[0]?.value).toEqual(value);
          },
        },
        {
          name: `GET of one by ${role} answers it`,
          request: () => ({
            method: "GET",
            path: "/api/tenant-attributes/of%20TENANT_OWNER",
            token: as(role),
          }),
          status: 200,
          answer: ({ body }: { body: unknown }) =>
            expect(body).toMatchObject({ key: "of TENANT_OWNER", value }),
        },
      ]),
      {
        name: "another tenant has none of them",
        request: () => ({ method: "GET", path: "/api/tenant-attributes", token: stranger }),
        status: 200,
        answer: ({ text }) => expect(text).toBe("[]"),
      },
      {
        name: "POST again takes the place of the value as a whole",
        request: () => set(as("TENANT_OWNER"), { key: "of TENANT_ADMIN", value: { other: 1 } }),
        status: 200,
        answer: ({ body }) => expect(body.value).toEqual({ other: 1 }),
      },
      {
        name: "DELETE by TENANT_ADMIN answers success",
        request: () => ({
          method: "DELETE",
          path: "/api/tenant-attributes/of%20TENANT_ADMIN",
          token: as("TENANT_ADMIN"),
        }),
        status: 200,
        answer: ({ text }) => expect(text).toBe('{"success":true}'),
      },
    ],
  );

  test("of a former plan can be deleted on a plan without whitelabeling", async () => {
    const { services } = fixture.app;
    services.tenantAttributes.set(tenantId as never, "moved", {}); // on the better plan
    const { value: kept } = services.tenantAttributes.get(tenantId as never, "moved");
    expect(kept).toEqual({});
    const path = "/api/tenant-attributes/moved";
    await fixture.call("DELETE", path, { token: as("TENANT_OWNER") });
    expect((await fixture.call("DELETE", path, { token: plain.token })).status).toBe(404); // not 403
  });

  test("keep a key named __proto__, within a value and as the key itself", async () => {
    const raw = '{"key":"__proto__","value":{"__proto__":{"x":1},"constructor":2}}';
    const response = await fixture.call("POST", "/api/tenant-attributes", {
      token: as("TENANT_OWNER"),
      raw,
      headers: { "content-type": "application/json" },
    });
    expect(response.text).toContain('"value":{"__proto__":{"x":1},"constructor":2}');
    const read = await fixture.call("GET", "/api/tenant-attributes/__proto__", { token: as("TENANT_OWNER") });
    expect(read.text).toContain('"__proto__":{"x":1}');
  });

  test("are limited to a hundred, and existing ones are still changed", async () => {
    const { token } = await fixture.signIn("TENANT_OWNER", { tenant: "many" });
    for (let index = 0; index < 100; index++)
      expect(
        (await fixture.call("POST", "/api/tenant-attributes", set(token, { key: `k${index}`, value: {} })))
          .status,
      ).toBe(200);
    expect(
      (await fixture.call("POST", "/api/tenant-attributes", set(token, { key: "more", value: {} }))).status,
    ).toBe(409);
    expect(
      (await fixture.call("POST", "/api/tenant-attributes", set(token, { key: "k7", value: {} }))).status,
    ).toBe(200);
  });

  test("are written into the audit log as they were and are", async () => {
    await fixture.call(
      "POST",
      "/api/tenant-attributes",
      set(as("TENANT_OWNER"), { key: "motto", value: { en: "a" } }),
    );
    await fixture.call(
      "POST",
      "/api/tenant-attributes",
      set(as("TENANT_OWNER"), { key: "motto", value: { en: "b" } }),
    );
    const { body } = await fixture.call("GET", "/api/audit?action=tenant_attribute.set&limit=1", {
      token: as("TENANT_OWNER"),
    });
    expect(body[0]).toMatchObject({ targetId: "motto", before: { en: "a" }, after: { en: "b" } });
  });
});
