import { expect, test } from "bun:test";
import { createTestApp } from "../support/test-app.ts";

test("a page of more devices than are read in one go has all of them, in order", async () => {
  const fixture = await createTestApp();
  const { token } = await fixture.signIn("TENANT_OWNER");
  const names = Array.from({ length: 1_203 }, (_, index) => `device ${String(index).padStart(4, "0")}`);
  const rows = names.map((name, index) => ({ name, deviceType: index % 2 === 0 ? "even" : "odd" }));
  const imported = await fixture.call("POST", "/api/devices/bulk/import", { token, body: { rows } });
  expect(imported.status).toBe(201);
  const list = async (query: string) => {
    const { status, body, headers } = await fixture.call("GET", `/api/devices?${query}`, { token });
    expect(status).toBe(200);
    return {
      names: body.map(({ name }: { name: string }) => name),
      total: headers.get("x-total-count"),
      link: headers.get("link"),
    };
  };
  const all = await list("limit=10000");
  expect(all).toEqual({ names, total: "1203", link: null });
  expect((await list("limit=10000&sort=-name")).names).toEqual(names.toReversed());
  const page = await list("limit=1001&offset=100&sort=-state");
  expect(page.names).toEqual(names.slice(100, 1_101));
  expect(page.link).toContain("offset=1101");
  const odd = await list("limit=1000&deviceType=odd&search=device");
  expect(odd.names).toEqual(names.filter((_, index) => index % 2 === 1));
  expect(odd.total).toBe("601");
  const valued = await list("limit=10000&sort=key:none");
  expect(valued.names).toEqual(names);
  await fixture.stop();
});
