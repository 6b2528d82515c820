import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { drizzle } from "drizzle-orm/bun-sqlite";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import fc from "fast-check";
import { conflict, notFound } from "../../../src/lib/core/domain-error.ts";
import type { TenantId } from "../../../src/lib/core/ids.ts";
import { createResourceStore, type ResourceStore } from "../../../src/platform/database/resource-store.ts";

const notes = sqliteTable("notes", {
  noteId: text("note_id").primaryKey(),
  tenantId: text("tenant_id").notNull().$type<TenantId>(),
  title: text("title").notNull(),
  color: text("color").notNull(),
  reads: integer("reads").notNull(),
  comment: text("comment"),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
});
type Note = typeof notes.$inferSelect;
type Notes = ResourceStore<Note, "noteId">;

/** Like notes, but without the time of the last change. */
const stamps = sqliteTable("stamps", {
  stampId: text("stamp_id").primaryKey(),
  tenantId: text("tenant_id").notNull().$type<TenantId>(),
  title: text("title").notNull(),
  createdAt: integer("created_at").notNull(),
});

const site = "one" as TenantId;
const otherSite = "two" as TenantId;
const LIMIT = 3;

let sqlite: Database;
let now: number;
/** Transactions that were begun. */
let transactions: number;

beforeEach(() => {
  sqlite = new Database(":memory:");
  sqlite.run(
    "CREATE TABLE notes (note_id TEXT PRIMARY KEY, tenant_id TEXT, title TEXT, color TEXT, reads INTEGER, comment TEXT, created_at INTEGER, updated_at INTEGER)",
  );
  sqlite.run(
    "CREATE TABLE stamps (stamp_id TEXT PRIMARY KEY, tenant_id TEXT, title TEXT, created_at INTEGER)",
  );
  now = 1_000;
  transactions = 0;
});
afterEach(() => sqlite.close());

const database = () => ({
  orm: drizzle(sqlite),
  transact<Result>(work: () => Result): Result {
    transactions++;
    return sqlite.transaction(work).immediate();
  },
});
const clock = { now: () => now };
const taken = (other: { title: string }) => conflict("codec.name_taken", { name: other.title });
const reached = (limit: number) => conflict("codec.limit", { limit });

const storeOf = (
  options: {
    ignoresCase?: boolean;
    limit?: number;
    mibMax?: number;
    by?: "title" | "color";
    isVersioned?: boolean;
  } = {},
): Notes =>
  createResourceStore(
    {
      table: notes,
      key: "noteId",
      order: { by: options.by ?? "color", ...options },
      ...(options.isVersioned !== undefined && { isVersioned: options.isVersioned }),
      notFound: () => notFound("codec.not_found"),
      limit: { max: options.limit ?? LIMIT, reached, ...(options.mibMax && { mibMax: options.mibMax }) },
      unique: [{ column: "title", taken, ...options }],
    },
    database(),
    clock,
  );

const codeOf = (work: () => unknown): unknown => {
  try {
    work();
  } catch (error) {
    return error instanceof Error && "code" in error ? error.code : error;
  }
  return undefined;
};
const fields = { color: "red", reads: 0, comment: null };

describe("a store", () => {
  test("stamps a new row with id, tenant and times", () => {
    const store = storeOf();
    const note = store.insert(site, { title: "a", ...fields });
    expect(note).toEqual({
      noteId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      tenantId: site,
      title: "a",
      ...fields,
      createdAt: 1_000,
      updatedAt: 1_000,
    });
    expect(store.get(site, note.noteId)).toEqual(note);
    expect(store.insert(site, { noteId: "own", title: "b", ...fields }).noteId).toBe("own");
  });

  test("writes changed columns alone, and the time of the change", () => {
    const store = storeOf();
    const note = store.insert(site, { title: "a", ...fields });
    sqlite.run("UPDATE notes SET reads = 7");
    now = 2_000;
    const changed = store.update(note, { title: "b", comment: undefined });
    expect(changed).toEqual({ ...note, title: "b", updatedAt: 2_000 });
    expect(store.get(site, note.noteId)).toEqual({ ...changed, reads: 7 });
    now = 1_500; // the clock was set back
    expect(store.update(changed, { ...changed, title: "c" })).toEqual({
      ...changed,
      title: "c",
      updatedAt: 1_500,
    });
  });

  test("gives versions of a row different times, if asked to", () => {
    const store = storeOf({ isVersioned: true });
    const note = store.insert(site, { title: "a", ...fields });
    const changed = store.update(note, { title: "b" });
    expect(changed.updatedAt).toBe(1_001);
    expect(store.get(site, note.noteId).updatedAt).toBe(1_001);
    now = 2_000;
    expect(store.update(changed, { title: "c" }).updatedAt).toBe(2_000);
    const plain = storeOf();
    expect(plain.update(plain.insert(otherSite, { title: "a", ...fields }), { title: "b" }).updatedAt).toBe(
      2_000,
    );
  });

  test("sets no time that the table does not have, and accepts a change of nothing", () => {
    const store = createResourceStore(
      {
        table: stamps,
        key: "stampId",
        order: { by: "title" },
        notFound: () => notFound("codec.not_found"),
        limit: { max: 10, reached },
      },
      database(),
      clock,
    );
    const stamp = store.insert(site, { title: "a" });
    expect(stamp).toEqual({ stampId: stamp.stampId, tenantId: site, title: "a", createdAt: 1_000 });
    expect(store.update(stamp, {})).toEqual(stamp);
    expect(store.update(stamp, { title: "b" })).toEqual({ ...stamp, title: "b" });
    for (const title of "cdefg") store.insert(site, { title });
    expect(store.list(site).map(({ title }) => title)).toEqual(["b", "c", "d", "e", "f", "g"]);
    expect(store.insert(site, { title: "g" }).title).toBe("g");
  });

  test("tells a taken value before a reached limit, and the limit to those who ask for it first", () => {
    const store = storeOf({ limit: 1 });
    store.ensureRoom(site);
    store.insert(site, { title: "a", ...fields });
    expect(codeOf(() => store.insert(site, { title: "a", ...fields }))).toBe("codec.name_taken");
    expect(codeOf(() => store.insert(site, { title: "b", ...fields }))).toBe("codec.limit");
    expect(codeOf(() => store.ensureRoom(site))).toBe("codec.limit");
    expect(store.insert(otherSite, { title: "a", ...fields }).title).toBe("a");
    store.ensureRoom("three" as TenantId);
  });

  test("keeps the texts of a tenant's rows within their space", () => {
    const store = storeOf({ limit: 10, mibMax: 1 });
    const third = "x".repeat(340_000);
    const [a, b, c] = ["a", "b", "c"].map((title) =>
      store.insert(site, { title, ...fields, comment: third }),
    );
    const refused = "resource.too_much";
    expect(codeOf(() => store.insert(site, { title: "d", ...fields, comment: third }))).toBe(refused);
    expect(store.count(site)).toBe(3);
    if (a === undefined || b === undefined || c === undefined) throw new Error("there are three");
    expect(codeOf(() => store.update(a, { comment: `${third}${third}` }))).toBe(refused);
    expect(store.get(site, a.noteId)).toEqual(a);
    expect(store.insert(otherSite, { title: "d", ...fields, comment: third }).title).toBe("d");
    // What a tenant has too much of, by an earlier version, can still be changed if it does not grow.
    sqlite.run("UPDATE notes SET comment = comment || comment WHERE note_id = ?", [c.noteId]);
    expect(store.update(b, { color: "tan" }).color).toBe("tan");
    expect(codeOf(() => store.update(b, { color: "green" }))).toBe(refused);
    store.update(c, { comment: "short" });
    expect(store.update(b, { color: "green" }).color).toBe("green");
  });

  test("checks and writes in one transaction", () => {
    const store = storeOf();
    const note = store.insert(site, { title: "a", ...fields });
    expect(transactions).toBe(1);
    store.update(note, { title: "b" });
    expect(transactions).toBe(2);
  });

  test("finds a row by a unique column of its tenant", () => {
    const store = storeOf({ ignoresCase: true });
    store.insert(site, { title: "Plant", ...fields });
    expect(store.findBy(site, "title", "plant")?.title).toBe("Plant");
    expect(store.findBy(otherSite, "title", "Plant")).toBeUndefined();
    expect(store.findBy(site, "color", "red")).toBeUndefined(); // not unique
    expect(storeOf().findBy(site, "title", "plant")).toBeUndefined();
    expect(storeOf().insert(site, { title: "plant", ...fields }).title).toBe("plant");
  });
});

/** The naive model: all rows in an array. */
class Model {
  rows: Note[] = [];
  constructor(readonly options: { ignoresCase: boolean; by: "title" | "color" }) {}

  key = (value: string) => (this.options.ignoresCase ? value.toLowerCase() : value);
  list = (tenantId: TenantId) =>
    this.rows
      .filter((row) => row.tenantId === tenantId)
      .toSorted((a, b) => {
        const [left, right] = [this.key(a[this.options.by]), this.key(b[this.options.by])];
        if (left !== right) return left < right ? -1 : 1;
        return a.noteId < b.noteId ? -1 : 1;
      });
  /** Returns the code of the error of a write. */
  refusal(tenantId: TenantId, title: string, noteId?: string): string | undefined {
    const mine = this.list(tenantId);
    if (mine.some((row) => row.noteId !== noteId && this.key(row.title) === this.key(title)))
      return "codec.name_taken";
    return noteId === undefined && mine.length >= LIMIT ? "codec.limit" : undefined;
  }
}

const tenant = fc.constantFrom(site, otherSite);
const title = fc.constantFrom("a", "A", "b", "B", "c", "d");
const color = fc.constantFrom("red", "Red", "blue", "Green");
const operation = fc.oneof(
  fc.record({ kind: fc.constant("insert" as const), tenant, title, color }),
  fc.record({
    kind: fc.constant("update" as const),
    at: fc.nat(5),
    changes: fc.record({ title: fc.option(title, { nil: undefined }), color }, { requiredKeys: [] }),
  }),
  fc.record({ kind: fc.constant("delete" as const), at: fc.nat(5) }),
);
type Operation = typeof operation extends fc.Arbitrary<infer Value> ? Value : never;

function apply(store: Notes, model: Model, step: Operation): void {
  now++;
  if (step.kind === "insert") {
    const { tenant: tenantId, kind: _, ...own } = step;
    const refusal = model.refusal(tenantId, step.title);
    const write = () => model.rows.push(store.insert(tenantId, { ...fields, ...own }));
    expect(codeOf(write)).toBe(refusal);
    if (refusal === undefined) expect(model.rows.at(-1)).toMatchObject({ ...own, tenantId, createdAt: now });
    return;
  }
  const row = model.rows[step.at];
  if (row === undefined) return;
  if (step.kind === "delete") {
    store.delete(row);
    model.rows.splice(step.at, 1);
    return;
  }
  const wanted = {
    ...row,
    ...(step.changes.title !== undefined && { title: step.changes.title }),
    ...(step.changes.color !== undefined && { color: step.changes.color }),
    updatedAt: now,
  };
  const refusal = model.refusal(row.tenantId, wanted.title, row.noteId);
  expect(codeOf(() => expect(store.update(row, step.changes)).toEqual(wanted))).toBe(refusal);
  if (refusal === undefined) model.rows[step.at] = wanted;
}

test("is what a list of rows would be, in two tenants", () => {
  fc.assert(
    fc.property(
      fc.boolean(),
      fc.constantFrom("title" as const, "color" as const),
      fc.array(operation, { maxLength: 30 }),
      (ignoresCase, by, steps) => {
        sqlite.run("DELETE FROM notes");
        const store = storeOf({ ignoresCase, by });
        const model = new Model({ ignoresCase, by });
        for (const step of steps) {
          apply(store, model, step);
          for (const tenantId of [site, otherSite]) {
            const listed = model.list(tenantId);
            expect(store.list(tenantId)).toEqual(listed);
            expect(store.count(tenantId)).toBe(listed.length);
            for (const row of model.rows) {
              const isOwn = row.tenantId === tenantId;
              expect(store.findAcrossTenants(row.noteId)).toEqual(row);
              expect(store.find(tenantId, row.noteId)).toEqual(isOwn ? row : undefined);
              expect(codeOf(() => store.get(tenantId, row.noteId))).toBe(
                isOwn ? undefined : "codec.not_found",
              );
            }
          }
        }
      },
    ),
    { numRuns: 200 },
  );
});
