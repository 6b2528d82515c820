import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { drizzle } from "drizzle-orm/bun-sqlite";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { type AnyElysia, Elysia, t } from "elysia";
import fc from "fast-check";
import type { Route } from "../../../src/http/openapi/operations.ts";
import { conflict, DomainError, notFound } from "../../../src/lib/core/domain-error.ts";
import type { TenantId } from "../../../src/lib/core/ids.ts";
import { auditReader, resourceRoutes } from "../../../src/modules/api/resource.routes.ts";
import { defineResource, itemToWire } from "../../../src/modules/api/resource.ts";
import type { NewAuditEntry } from "../../../src/modules/audit/audit.types.ts";
import { createAuthPlugin } from "../../../src/modules/identity/identity.plugin.ts";
import { createRequestAudit } from "../../../src/modules/identity/request-audit.ts";
import type { Principal } from "../../../src/modules/users/users.types.ts";
import { BodySpace } from "../../../src/platform/load/body-space.ts";
import { ResponseSpace } from "../../../src/platform/load/response-space.ts";

const notes = sqliteTable("notes", {
  noteId: text("note_id").primaryKey(),
  tenantId: text("tenant_id").notNull().$type<TenantId>(),
  title: text("title").notNull(),
  content: text("content").notNull(),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
});

const shown = { noteId: t.String(), title: t.String(), createdAt: t.String(), updatedAt: t.String() };
const item = t.Object({ ...shown, content: t.String() }, { title: "Note" });
const withToken = t.Object({ ...shown, content: t.String(), token: t.Optional(t.String()) });

const noteResource = defineResource({
  name: "note",
  table: notes,
  key: "noteId",
  path: "/api/notes",
  tag: "notes",
  permissions: { read: "integrations:read", write: "integrations:write" },
  order: { by: "title" },
  list: { sort: ["title"], search: ["title"], filters: { content: t.Optional(t.String()) } },
  notFound: () => notFound("codec.not_found"),
  unique: [{ column: "title", taken: ({ title }) => conflict("codec.name_taken", { name: title }) }],
  limit: { max: 3, reached: (limit) => conflict("codec.limit", { limit }) },
  schemas: {
    item,
    listed: t.Object(shown, { title: "ListedNote" }),
    created: withToken,
    create: t.Object({ title: t.String(), content: t.String() }),
    update: t.Object({ title: t.Optional(t.String()), content: t.Optional(t.String()) }),
  },
  operations: {
    list: { summary: "List notes", description: "Without their contents." },
    create: { summary: "Write a note" },
    get: { summary: "Read a note" },
    update: { summary: "Change a note", action: "edit" },
    delete: { summary: "Delete a note", operationId: "tearNote" },
  },
});
type Note = typeof noteResource.$item & { readonly token?: string };

let sqlite: Database;
let now: number;
let entries: NewAuditEntry[];
let store: typeof noteResource.$store;

const auth = () => {
  const principalOf = (token: string): Principal | undefined => {
    const [tenantId, role] = token.split("-");
    if (role === undefined) return undefined;
    const principal = { userId: token, tenantId, email: `${token}@example`, role, devices: "all" };
    return { ...principal, sessionId: token, canAcknowledgeAlarms: false } as Principal; // made up here
  };
  return createAuthPlugin(
    { authenticate: async (token) => principalOf(token), refused: async () => 0 },
    createRequestAudit({ record: (entry) => void entries.push(entry), durable: async () => undefined }),
    { responses: { note: () => undefined }, bodySpace: new BodySpace(), ensureRoom: () => undefined },
  );
};

/** Notes, created and shortened after a turn of the event loop, as a service that asks another does. */
const service = {
  list: ({ tenantId }: Principal, { content }: { content?: string }): Note[] =>
    store.list(tenantId).filter((note) => content === undefined || note.content === content),
  get: ({ tenantId }: Principal, id: string): Note => store.get(tenantId, id),
  create: async ({ tenantId }: Principal, input: typeof noteResource.$create): Promise<Note> => {
    await Promise.resolve();
    return { ...store.insert(tenantId, input), token: "shown once" };
  },
  update: ({ tenantId }: Principal, id: string, changes: typeof noteResource.$update): Note =>
    store.update(store.get(tenantId, id), changes),
  delete: async ({ tenantId }: Principal, id: string): Promise<void> => {
    await Promise.resolve();
    store.delete(store.get(tenantId, id));
  },
};
const cut = t.Object({ length: t.Integer() });

const routesOf = () =>
  resourceRoutes(noteResource, {
    service,
    toWire: (note: Note, { url }) => ({
      ...itemToWire(note),
      ...(url.endsWith("?loud") && { title: note.title.toUpperCase() }),
    }),
    read: auditReader(service, ["title"]),
    actions: {
      empty: {
        action: "clear",
        summary: "Empty a note",
        run: (principal, id) => service.update(principal, id, { content: "" }),
      },
      cut: {
        summary: "Shorten a note",
        description: "Keeps its first characters.",
        body: cut,
        run: (principal, id, { length }: typeof cut.static) =>
          service.update(principal, id, { content: service.get(principal, id).content.slice(0, length) }),
      },
    },
    auth: auth(),
  });

let app: AnyElysia;

beforeEach(() => {
  sqlite = new Database(":memory:");
  sqlite.run(
    "CREATE TABLE notes (note_id TEXT PRIMARY KEY, tenant_id TEXT, title TEXT, content TEXT, created_at INTEGER, updated_at INTEGER)",
  );
  now = Date.UTC(2026, 0, 1);
  entries = [];
  const transact = <Result>(work: () => Result): Result => sqlite.transaction(work).immediate();
  store = noteResource.createStore({ orm: drizzle(sqlite), transact }, { now: () => now });
  const failed = ({ error }: { error: unknown }) => {
    const cause = error instanceof Error && error.cause instanceof DomainError ? error.cause : error; // of a parse hook
    return cause instanceof DomainError ? Response.json({ code: cause.code }, { status: 500 }) : undefined;
  };
  app = new Elysia({ normalize: true }).onError(failed).use(routesOf());
});
afterEach(() => sqlite.close());

async function call(method: string, path: string, body?: unknown, token = "one-TENANT_OWNER") {
  const response = await app.handle(
    new Request(`http://localhost/api/notes${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
  );
  const received = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: /^[[{]/.test(received) ? JSON.parse(received) : received,
  };
}
const write = async (title: string, token?: string): Promise<string> =>
  (await call("POST", "", { title, content: `about ${title}` }, token)).body.noteId;

describe("routes of a resource", () => {
  test("create, read, change and delete an item", async () => {
    const created = await call("POST", "", { title: "a", content: "first" });
    const stamps = { createdAt: "2026-01-01T00:00:00.000Z", updatedAt: "2026-01-01T00:00:00.000Z" };
    const { noteId } = created.body;
    const note = { noteId, title: "a", content: "first", ...stamps };
    expect([created.status, created.body]).toEqual([201, { ...note, token: "shown once" }]);
    expect((await call("GET", `/${noteId}`)).body).toEqual(note);
    expect((await call("GET", `/${noteId}?loud`)).body.title).toBe("A");
    now += 1_000;
    const changed = { ...note, content: "second", updatedAt: "2026-01-01T00:00:01.000Z" };
    expect(await call("PATCH", `/${noteId}`, { content: "second" })).toMatchObject({
      status: 200,
      body: changed,
    });
    expect(await call("DELETE", `/${noteId}`)).toMatchObject({ status: 200, body: { success: true } });
    expect((await call("GET", `/${noteId}`)).body).toEqual({ code: "codec.not_found" });
  });

  test("list what the schema of the list has, with its parameters", async () => {
    for (const title of ["b", "c", "a"]) await write(title);
    const { body, headers } = await call("GET", "?sort=-title&limit=2");
    expect(body.map(({ title }: Note) => title)).toEqual(["c", "b"]);
    expect(Object.keys(body[0]).sort()).toEqual(["createdAt", "noteId", "title", "updatedAt"]);
    expect(headers.get("x-total-count")).toBe("3");
    expect((await call("GET", "?content=about+c")).body).toMatchObject([{ title: "c" }]);
    expect((await call("GET", "?search=A")).body).toMatchObject([{ title: "a" }]);
  });

  test("read the items of a long list one at a time, and only those of the page", async () => {
    const { list: _, ...rest } = service;
    const found: string[] = [];
    const longList = {
      responses: new ResponseSpace(),
      read: ({ tenantId }: Principal) => ({
        keys: store.heads(tenantId),
        read(head: { noteId: string }) {
          const note = store.find(tenantId, head.noteId);
          found.push(note?.title ?? "deleted");
          if (note?.title === "b") store.delete(store.get(tenantId, ids.at(2) ?? ""));
          return note;
        },
      }),
    };
    app = new Elysia({ normalize: true }).use(
      resourceRoutes(noteResource, {
        service: rest,
        longList,
        toWire: (note: Note) => itemToWire(note),
        read: auditReader(service, ["title"]),
        auth: auth(),
      }),
    );
    const ids: string[] = [];
    for (const title of ["a", "b", "c"])
      ids.push((await call("POST", "", { title, content: title })).body.noteId);
    const page = await call("GET", "?sort=-title&limit=1&offset=2");
    expect([found, page.headers.get("x-total-count")]).toEqual([["a"], "3"]);
    const { content, ...listed } = (await call("GET", `/${ids[0]}`)).body;
    expect([content, page.body]).toEqual(["a", [listed]]);
    const all = await call("GET", "");
    expect(all.body.map(({ title }: Note) => title)).toEqual(["a", "b"]);
    expect(found).toEqual(["a", "a", "b", "deleted"]);
  });

  test("run actions on an item, with and without a body", async () => {
    const noteId = await write("a");
    expect((await call("POST", `/${noteId}/cut`, { length: 5 })).body).toMatchObject({
      noteId,
      content: "about",
    });
    expect(await call("POST", `/${noteId}/empty`)).toMatchObject({ status: 200, body: { content: "" } });
    expect((await call("POST", `/${noteId}/cut`, { length: "long" })).status).toBe(422);
    expect(entries.map(({ action }) => action)).toEqual(["note.create", "note.cut", "note.clear"]);
  });

  test("ask for permission", async () => {
    const noteId = await write("a");
    const reader = "one-TENANT_READ_ONLY";
    expect((await call("GET", "", undefined, reader)).status).toBe(200);
    expect((await call("GET", `/${noteId}`, undefined, reader)).status).toBe(200);
    for (const [method, path, body] of [
      ["POST", "", { title: "b", content: "" }],
      ["PATCH", `/${noteId}`, { title: "b" }],
      ["DELETE", `/${noteId}`, undefined],
      ["POST", `/${noteId}/empty`, undefined],
    ] as const) {
      expect((await call(method, path, body, reader)).body).toEqual({ code: "auth.forbidden" });
      expect((await call(method, path, body, "nobody")).body).toEqual({ code: "auth.required" });
    }
    expect((await call("GET", "", undefined, "nobody")).body).toEqual({ code: "auth.required" });
  });

  test("record who did what, with the state before and after", async () => {
    const noteId = await write("a");
    await call("PATCH", `/${noteId}`, { title: "b" });
    await call("PATCH", `/${noteId}`, { title: "c" }, "two-TENANT_OWNER");
    await call("DELETE", `/${noteId}`);
    const target = { type: "note", id: noteId };
    expect(entries).toMatchObject([
      { action: "note.create", target, after: { title: "a" }, tenantId: "one" },
      { action: "note.edit", target, before: { title: "a" }, after: { title: "b" } },
      { action: "note.delete", target, before: { title: "b" } },
    ]);
    expect(entries[1]?.after).toEqual({ title: "b" });
  });

  test("say what they are in the OpenAPI document", () => {
    const routes = (app as unknown as { routes: Route[] }).routes;
    const texts = routes.map(({ method, path, hooks }) => {
      const { operationId, summary, description } = hooks.detail ?? {};
      return [`${method} ${path}`, operationId, summary, ...(description === undefined ? [] : [description])];
    });
    expect(texts).toEqual([
      ["GET /api/notes", "listNotes", "List notes", "Without their contents."],
      ["GET /api/notes/:noteId", "getNote", "Read a note"],
      ["POST /api/notes", "createNote", "Write a note"],
      ["PATCH /api/notes/:noteId", "updateNote", "Change a note"],
      ["DELETE /api/notes/:noteId", "tearNote", "Delete a note"],
      ["POST /api/notes/:noteId/empty", "emptyNote", "Empty a note"],
      ["POST /api/notes/:noteId/cut", "cutNote", "Shorten a note", "Keeps its first characters."],
    ]);
    expect(
      routes.every(({ hooks }) => hooks.tags?.join() === "notes" || hooks.detail?.tags?.join() === "notes"),
    ).toBe(true);
  });

  test("leave out the route of one item, and name the id in the path as they are told", async () => {
    const { get: _, ...operations } = noteResource.operations;
    const { listed: __, created: ___, ...schemas } = noteResource.schemas;
    const small = { ...noteResource, operations, schemas, parameter: "note" };
    const toWire = (note: Note) => itemToWire(note);
    app = new Elysia({ normalize: true }).use(
      resourceRoutes(small, { service, toWire, read: auditReader(service, ["title"]), auth: auth() }),
    );
    const created = await call("POST", "", { title: "a", content: "c" });
    expect(Object.keys(created.body)).not.toContain("token");
    const { noteId } = created.body;
    expect((await call("GET", "")).body).toMatchObject([{ noteId, content: "c" }]);
    expect((await call("GET", `/${noteId}`)).status).toBe(404);
    expect((await call("PATCH", `/${noteId}`, { title: "b" })).body).toMatchObject({ title: "b" });
    const routes = (app as unknown as { routes: Route[] }).routes;
    expect(routes.map(({ path }) => path)).toContain("/api/notes/:note");
  });
});

const tenant = fc.constantFrom("one", "two");
const title = fc.constantFrom("a", "b", "c", "d", "e");
const request = fc.oneof(
  fc.record({ kind: fc.constant("POST" as const), tenant, title }),
  fc.record({ kind: fc.constant("PATCH" as const), tenant, title, at: fc.nat(4) }),
  fc.record({ kind: fc.constant("DELETE" as const), tenant, at: fc.nat(4) }),
);
type Item = { tenant: string; noteId: string; title: string };

/** Returns the code that a naive list of items answers a request with, and changes the list. */
function responseOf(items: Item[], asked: typeof request extends fc.Arbitrary<infer Value> ? Value : never) {
  const mine = items.filter((other) => other.tenant === asked.tenant);
  const isTaken = (wanted: string, id?: string) =>
    mine.some((other) => other.title === wanted && other.noteId !== id);
  if (asked.kind === "POST") {
    if (isTaken(asked.title)) return "codec.name_taken";
    return mine.length >= 3 ? "codec.limit" : undefined;
  }
  const target = items[asked.at];
  if (target === undefined || target.tenant !== asked.tenant) return "codec.not_found";
  if (asked.kind === "DELETE") {
    items.splice(asked.at, 1);
    return undefined;
  }
  if (isTaken(asked.title, target.noteId)) return "codec.name_taken";
  target.title = asked.title;
  return undefined;
}

test("requests of two tenants have the effect that they would have on a list", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(request, { maxLength: 20 }), async (requests) => {
      sqlite.run("DELETE FROM notes");
      const items: Item[] = [];
      for (const asked of requests) {
        const token = `${asked.tenant}-TENANT_OWNER`;
        const path = asked.kind === "POST" ? "" : `/${items[asked.at]?.noteId ?? "none"}`;
        const body =
          asked.kind === "DELETE" ? undefined : { title: asked.title, ...(path === "" && { content: "" }) };
        const wanted = responseOf(items, asked);
        const response = await call(asked.kind, path, body, token);
        expect(response.body.code).toBe(wanted);
        if (asked.kind === "POST" && wanted === undefined)
          items.push({ tenant: asked.tenant, noteId: response.body.noteId, title: asked.title });
        for (const name of ["one", "two"]) {
          const listed = (await call("GET", "", undefined, `${name}-TENANT_OWNER`)).body;
          const titles = items.filter((other) => other.tenant === name).map((other) => other.title);
          expect(listed.map((note: Note) => note.title)).toEqual(titles.sort());
        }
      }
    }),
    { numRuns: 40 },
  );
});
