// Tags of dashboards, and what each person chooses among them.

import { describe, expect, test } from "bun:test";
import { apiRows } from "../support/api-rows.ts";
import { call, create, fixture, tokens, useDashboards, type Who } from "./dashboards-fixture.ts";

useDashboards();

const choose = (who: Who, id: string, body: unknown) => call("PATCH", `/${id}/mine`, body, who);
const mine = async (who: Who) => (await call("GET", "/mine", undefined, who)).body;
const NOTHING = { favorites: [], start: null };

test("tags are kept with the dashboard, each once", async () => {
  const { id, tags } = await create({ tags: ["Line 1", "energy", "Line 1"] });
  expect(tags).toEqual(["Line 1", "energy"]);
  expect((await call("GET", `/${id}/export`)).body.tags).toEqual(tags);
  expect((await call("PATCH", `/${id}`, { tags: [] })).body.tags).toEqual([]);
  expect((await create()).tags).toEqual([]);
  for (const wrong of ["x", [5], [""], ["x".repeat(65)], Array(65).fill("x")])
    expect([wrong, (await call("PATCH", `/${id}`, { tags: wrong })).status]).toEqual([wrong, 400]);
});

test("each person has favorites, in the order of their names, and one start page", async () => {
  const [b, a] = [await create({ name: "B" }), await create({ name: "a" })];
  await choose("reader", b.id, { isFavorite: true });
  const { status, body } = await choose("reader", a.id, { isFavorite: true, isStart: true });
  expect([status, body]).toEqual([200, { favorites: [a.id, b.id], start: a.id }]);
  expect((await choose("reader", b.id, { isStart: true })).body.start).toBe(b.id);
  await choose("reader", b.id, { isFavorite: false });
  expect(await mine("reader")).toEqual({ favorites: [a.id], start: b.id });
  expect(await mine("owner")).toEqual(NOTHING);
  await call("DELETE", `/${b.id}`);
  expect(await mine("reader")).toEqual({ favorites: [a.id], start: null });
  await choose("reader", a.id, { isFavorite: false });
  expect(await mine("reader")).toEqual(NOTHING);
});

describe("permissions", () => {
  let id = "";
  test("a dashboard", async () => {
    ({ id } = await create());
  });
  const row = (who: Who | undefined, status: number, body?: unknown) => ({
    name: `${who ?? "anonymous"} ${body === undefined ? "reads" : `chooses ${JSON.stringify(body)}`}: ${status}`,
    request: () => ({
      method: body === undefined ? "GET" : "PATCH",
      path: body === undefined ? "/api/dashboards/mine" : `/api/dashboards/${id}/mine`,
      ...(who && { token: tokens[who] }),
      ...(body !== undefined && { body }),
    }),
    status,
    ...(status === 401 ? { answer: "none" as const } : status >= 400 && { answer: "error" as const }),
  });
  const change = { isFavorite: true };
  apiRows(
    () => fixture,
    [
      row(undefined, 401),
      row(undefined, 401, change),
      row("stranger", 404, change),
      row("reader", 400, { isFavorite: "yes" }),
      ...(["reader", "limited", "writer", "owner"] as const).flatMap((who) => [
        row(who, 200),
        row(who, 200, change),
      ]),
    ],
  );

  test("an API key is nobody's console", async () => {
    const created = await fixture.call("POST", "/api/api-keys", {
      token: tokens.owner,
      body: { name: "script", role: "TENANT_RW" },
    });
    const response = await fixture.call("GET", "/api/dashboards/mine", {
      token: created.body.key ?? created.body.secret,
    });
    expect([created.status, response.status]).toEqual([201, 403]);
  });
});
