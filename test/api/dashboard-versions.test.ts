// Versions of dashboards, and changes that must not undo those of others.

import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { VERSIONS_BYTES_MAX, VERSIONS_MAX } from "../../src/modules/dashboards/dashboards.types.ts";
import { apiRows } from "../support/api-rows.ts";
import { call, content, create, fixture, tokens, useDashboards, type Who } from "./dashboards-fixture.ts";

useDashboards();

const change = (id: string, body: unknown, ifMatch: string | undefined, who: Who = "owner") =>
  fixture.call("PATCH", `/api/dashboards/${id}`, {
    token: tokens[who],
    body,
    ...(ifMatch !== undefined && { headers: { "if-match": ifMatch } }),
  });
const versionsOf = async (id: string) => (await call("GET", `/${id}/versions`)).body;

describe("a change with If-Match", () => {
  test("is refused after another one, and done without the header", async () => {
    const first = await create({ name: "one" });
    const second = await change(first.id, { name: "two" }, `"${first.updatedAt}"`, "writer");
    expect([second.status, second.body.name]).toEqual([200, "two"]);
    const refused = await change(first.id, { name: "three" }, `"${first.updatedAt}"`);
    expect([refused.status, refused.body.error]).toEqual([412, "Precondition Failed"]);
    expect(refused.body).toMatchObject({
      code: "request.outdated",
      params: { updatedAt: second.body.updatedAt },
    });
    expect((await call("GET", `/${first.id}`)).body).toEqual(second.body);
    expect((await change(first.id, { name: "three" }, undefined)).body.name).toBe("three");
  });

  test("knows changes of the same millisecond apart", async () => {
    const before = await create();
    const stamps = new Set([before.updatedAt]);
    for (const name of ["a", "b", "c"]) stamps.add((await change(before.id, { name }, "*")).body.updatedAt);
    expect(stamps.size).toBe(4);
  });

  test("names versions as HTTP does", async () => {
    for (const form of [(stamp: string) => stamp, (stamp: string) => `"other", "${stamp}"`, () => " * "]) {
      const { id, updatedAt } = await create();
      expect((await change(id, { name: "new" }, form(updatedAt))).status).toBe(200);
    }
    const { id, updatedAt } = await create();
    for (const header of ["", '""', `W/"${updatedAt}"`, updatedAt.slice(0, -1)])
      expect([header, (await change(id, { name: "new" }, header)).status]).toEqual([header, 412]);
  });
});

test("every change keeps the version before it, with who and when", async () => {
  const { id, updatedAt, updatedBy } = await create({ ...content(), name: "one" });
  expect(await versionsOf(id)).toEqual([
    { version: 1, name: "one", widgets: 6, savedBy: updatedBy, savedAt: updatedAt },
  ]);
  const changed = (await change(id, { name: "two", widgets: [] }, undefined, "writer")).body;
  expect(changed.updatedBy).not.toBe(updatedBy);
  expect(await versionsOf(id)).toEqual([
    { version: 2, name: "two", widgets: 0, savedBy: changed.updatedBy, savedAt: changed.updatedAt },
    { version: 1, name: "one", widgets: 6, savedBy: updatedBy, savedAt: updatedAt },
  ]);
  expect((await call("GET", `/${id}/versions/1`)).body).toEqual({
    ...content(),
    type: "STATIC",
    tags: [],
    name: "one",
    version: 1,
    savedBy: updatedBy,
    savedAt: updatedAt,
  });
  expect((await call("GET", `/${id}/versions/2`)).body).toMatchObject({ name: "two", widgets: [] });
});

test("a change to what it is already makes no version", async () => {
  const created = await create(content());
  const { body } = await change(created.id, { name: created.name, ...content() }, undefined);
  expect([body, (await versionsOf(created.id)).length]).toEqual([created, 1]);
});

test("a restored version is a new one, with all of its content", async () => {
  const created = await create({ ...content(), name: "one", timeWindow: undefined });
  await change(created.id, { name: "two", widgets: ["text"], timeWindow: { from: 0, to: 1 } }, undefined);
  const restored = await call("POST", `/${created.id}/versions/1/restore`, undefined, "writer");
  expect(restored.status).toBe(200);
  const writer = restored.body.updatedBy;
  expect(restored.body).toEqual({ ...created, updatedBy: writer, updatedAt: expect.any(String) });
  expect((await call("GET", `/${created.id}`)).body).toEqual(restored.body);
  expect(
    (await versionsOf(created.id)).map(({ version, name }: { version: number; name: string }) => [
      version,
      name,
    ]),
  ).toEqual([
    [3, "one"],
    [2, "two"],
    [1, "one"],
  ]);
  const outdated = await fixture.call("POST", `/api/dashboards/${created.id}/versions/2/restore`, {
    token: tokens.owner,
    headers: { "if-match": `"${created.updatedAt}"` },
  });
  expect(outdated.status).toBe(412);
});

test("the oldest versions go, by number and by size, and the newest stays", async () => {
  const { id } = await create({ name: "0" });
  for (let n = 1; n <= VERSIONS_MAX + 3; n++) await change(id, { name: String(n) }, undefined);
  const kept = (await versionsOf(id)).map(({ name }: { name: string }) => Number(name));
  expect([kept.length, kept[0], kept.at(-1)]).toEqual([VERSIONS_MAX + 1, VERSIONS_MAX + 3, 3]);
  expect((await call("GET", `/${id}/versions/1`)).status).toBe(404);

  const large = { widgets: ["x".repeat(800 * 1024)] };
  for (let n = 0; n < 8; n++) await change(id, { ...large, name: `large ${n}` }, undefined);
  const left = await versionsOf(id);
  expect(left.length - 1).toBe(Math.floor(VERSIONS_BYTES_MAX.dashboard / (800 * 1024)));
  expect(left[0].name).toBe("large 7");
});

test("versions go with their dashboard", async () => {
  const { id } = await create();
  await change(id, { name: "other" }, undefined);
  await call("DELETE", `/${id}`);
  const database = new Database(join(fixture.directory, "lineside.db"), { readonly: true });
  const kept = database.query("select version from dashboard_versions where dashboard_id = ?").all(id);
  database.close();
  expect(kept).toEqual([]);
});

test("a file of a dashboard names nobody, and the answer of the API can be imported", async () => {
  const created = await create(content());
  await change(created.id, { name: "other" }, undefined);
  const { body } = await call("GET", `/${created.id}`);
  expect((await call("GET", `/${created.id}/export`)).body.updatedBy).toBeUndefined();
  expect((await call("POST", "/import", body)).body).toMatchObject(content());
});

describe("permissions", () => {
  let id = "";
  test("a dashboard with two versions", async () => {
    ({ id } = await create());
    await change(id, { name: "other" }, undefined);
  });
  const row = (who: Who | undefined, status: number, [method, path]: readonly [string, string]) => ({
    name: `${who ?? "anonymous"}: ${method} ${path} is ${status}`,
    request: () => ({
      method,
      path: `/api/dashboards/${id}${path}`,
      ...(who && { token: tokens[who] }),
    }),
    status,
    ...(status === 401 ? { answer: "none" as const } : status >= 400 && { answer: "error" as const }),
  });
  const [list, look, restore] = [
    ["GET", "/versions"],
    ["GET", "/versions/1"],
    ["POST", "/versions/1/restore"],
  ] as const;
  apiRows(
    () => fixture,
    [
      ...[list, look, restore].map((route) => row(undefined, 401, route)),
      row("reader", 403, restore),
      row("limited", 403, restore),
      ...[list, look, restore].map((route) => row("stranger", 404, route)),
      row("owner", 404, ["GET", "/versions/9"]),
      row("owner", 404, ["GET", "/versions/none"]),
      row("owner", 404, ["POST", "/versions/9/restore"]),
      ...(["reader", "limited", "writer", "owner"] as const).flatMap((who) => [
        row(who, 200, list),
        row(who, 200, look),
      ]),
      row("writer", 200, restore),
    ],
  );
});
