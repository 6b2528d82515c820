import { afterAll, afterEach, beforeAll, expect } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eq, inArray } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { detail } from "../../../src/lib/core/domain-error.ts";
import { backOffMs, type Verdict } from "../../../src/lib/network/retry-policy.ts";
import { createLogger } from "../../../src/platform/core/log.ts";
import { openMainDatabase } from "../../../src/platform/database/database.ts";
import type { DeliveryTarget } from "../../../src/platform/delivery-queue/delivery-lanes.ts";
import {
  type Attempt,
  type DeliveryKind,
  DeliveryQueue,
  defaultInFlight,
} from "../../../src/platform/delivery-queue/delivery-queue.ts";
import {
  createDeliveryStore,
  targetPlaceholder,
} from "../../../src/platform/delivery-queue/delivery-store.ts";
import { FakeClock } from "../../support/fake-clock.ts";

/** A kind of delivery with a table of its own. */
const parcels = sqliteTable("parcels", {
  seq: integer("seq").primaryKey({ autoIncrement: true }),
  tenantId: text("tenant_id").notNull(),
  targetId: text("target_id").notNull(),
  orderKey: text("order_key").notNull(),
  body: text("body").notNull(),
  bytes: integer("bytes").notNull(),
  state: text("state", { enum: ["WAITING", "DEAD", "SENT"] }).notNull(),
  attempts: integer("attempts").notNull(),
  dueAt: integer("due_at").notNull(),
  expiresAt: integer("expires_at").notNull(),
});
type Parcel = typeof parcels.$inferSelect;
type Kind = DeliveryKind<DeliveryTarget, Parcel>;

export const LIFETIME_MS = 24 * 3_600_000;
export const ATTEMPT_MS_MAX = 60_000;

let database: ReturnType<typeof openMainDatabase>;

/** Opens the database for the tests of a file. */
export function useDatabase(): void {
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), "lineside-delivery-"));
    database = openMainDatabase(join(directory, "a.db"), "lineside", createLogger("test"));
    database.sqlite.run(
      "CREATE TABLE parcels (seq INTEGER PRIMARY KEY AUTOINCREMENT, tenant_id TEXT, target_id TEXT, order_key TEXT, body TEXT, bytes INTEGER, state TEXT, attempts INTEGER, due_at INTEGER, expires_at INTEGER)",
    );
  });
  afterEach(ensureAttempts);
  afterAll(() => {
    database.close();
    rmSync(directory, { recursive: true, force: true });
  });
}

/** Expectations that failed within attempts, whose errors the queue catches. */
const failed: unknown[] = [];
function check(expectations: () => void): void {
  try {
    expectations();
  } catch (error) {
    failed.push(error);
  }
}

/** @throws the first expectation that failed within an attempt */
export function ensureAttempts(): void {
  const [first] = failed.splice(0);
  if (first !== undefined) throw first;
}

export const runTasks = async (count = 30) => {
  for (let turn = 0; turn < count; turn++) await Promise.resolve();
};

export interface Sent {
  readonly target: string;
  readonly tenantId: string | null;
  readonly key: string;
  readonly body: string;
  readonly at: number;
  readonly signal: AbortSignal;
}

type Answer = Verdict | Partial<Attempt>;

/** A queue over the one table: killed and started again as a test likes. */
export function createRig(
  options: Partial<Pick<Kind, "isStrict" | "writeAfterMs">> & { limits?: Partial<Kind["limits"]> } = {},
) {
  database.sqlite.run("DELETE FROM parcels; DELETE FROM sqlite_sequence WHERE name = 'parcels'");
  const { orm, transact } = database;
  const clock = new FakeClock();
  const log = createLogger("test");
  const store = createDeliveryStore(database, {
    ...{ table: parcels, seq: parcels.seq, isOfTarget: eq(parcels.targetId, targetPlaceholder) },
    ...{ orderKey: parcels.orderKey, state: parcels.state, waiting: "WAITING" },
    ...{ dueAt: parcels.dueAt, bytes: parcels.bytes, expiresAt: parcels.expiresAt },
    toRow: (row) => row,
  });
  const targets = new Map<string, DeliveryTarget>();
  const inFlight = new Set<string>();
  let most = 0;
  let created = 0;
  const ensureDisk = () => {
    if (rig.isDiskBroken) throw new Error("the disk failed");
  };
  const rig = {
    clock,
    sent: [] as Sent[],
    answer: (_: Sent): Answer | Promise<Answer> => "delivered",
    onAttempt: (_: Parcel): void => undefined,
    /** The queue can be neither read nor written. */
    isDiskBroken: false,
    headsRead: 0,
    giveUps: 0,
    writes: 0,
    upkeeps: 0,
    mostInFlight: () => most,
    queue: undefined as unknown as DeliveryQueue<DeliveryTarget, Parcel>,
    store,
    bodies: () => rig.sent.map(({ body }) => body),
    /** What ran before is forgotten, as a kill forgets it. */
    boot() {
      inFlight.clear();
      const isKilled = () => rig.queue !== mine;
      const never = () => new Promise<Attempt>(() => undefined);
      const kind: Kind = {
        store: {
          ...store,
          head(...of) {
            ensureDisk();
            rig.headsRead++;
            return store.head(...of);
          },
          targets: () => [...targets.values()].filter(({ targetId }) => store.waiting(targetId).rows > 0),
        },
        now: () => clock.monotonic(),
        writeAfterMs: 250,
        backOffMs: (failures) => backOffMs(failures, () => 0.5),
        async attempt(row, { targetId, tenantId }, signal) {
          if (isKilled()) return never();
          const lane = `${targetId} ${row.orderKey}`;
          check(() => {
            expect(inFlight.has(lane)).toBe(false);
            rig.onAttempt(row);
          });
          inFlight.add(lane);
          signal.addEventListener("abort", () => inFlight.delete(lane));
          most = Math.max(most, inFlight.size);
          const item = {
            target: targetId,
            tenantId,
            key: row.orderKey,
            body: row.body,
            at: clock.monotonic(),
            signal,
          };
          rig.sent.push(item);
          const leave = () => !isKilled() && inFlight.delete(lane);
          const response = await Promise.try(rig.answer, item).finally(leave);
          if (isKilled()) return never();
          const attempt =
            typeof response === "string" || "retry" in response ? { verdict: response } : response;
          return { verdict: "delivered", error: detail("delivery_error.refused"), ...attempt };
        },
        write(results) {
          if (isKilled()) return;
          ensureDisk();
          rig.writes++;
          transact(() => {
            for (const { row, state, attempts, dueAt } of results) {
              const states = { waiting: "WAITING", dead: "DEAD", delivered: "SENT" } as const;
              orm
                .update(parcels)
                .set({ state: states[state], attempts, dueAt })
                .where(eq(parcels.seq, row.seq))
                .run();
            }
          });
        },
        giveUp(fullest, { limit, ...of }) {
          ensureDisk();
          rig.giveUps++;
          let left = limit;
          const gone = new Map<string, { rows: number; bytes: number }>();
          for (const { targetId } of fullest) {
            const seqs = store.oldest(targetId, { ...of, limit: left });
            if (seqs.length === 0) continue;
            left -= seqs.length;
            const rows = orm
              .update(parcels)
              .set({ state: "DEAD" })
              .where(inArray(parcels.seq, seqs))
              .returning()
              .all();
            gone.set(targetId, {
              rows: rows.length,
              bytes: rows.reduce((total, { bytes }) => total + bytes, 0),
            });
            if (left === 0) break;
          }
          return gone;
        },
        upkeep: () => void rig.upkeeps++,
        ...options,
        limits: { inFlight: defaultInFlight, attemptMs: ATTEMPT_MS_MAX, ...options.limits },
      };
      const mine = new DeliveryQueue(kind, { clock, log });
      rig.queue = mine;
      mine.start();
    },
    target(name: string, tenantId = "t", isUrgent = false): DeliveryTarget {
      const target = { targetId: `${name}${++created}`, tenantId, isUrgent };
      targets.set(target.targetId, target);
      return target;
    },
    add(target: DeliveryTarget, orderKey: string, body: string, lifetimeMs = LIFETIME_MS) {
      rig.queue.added(target, rig.insert(target, orderKey, body, lifetimeMs));
    },
    /** Inserts a parcel as another process does. */
    insert(target: DeliveryTarget, orderKey: string, body: string, lifetimeMs = LIFETIME_MS) {
      const { targetId, tenantId } = target;
      const [now, bytes] = [clock.monotonic(), body.length];
      const expiresAt = now + lifetimeMs;
      orm
        .insert(parcels)
        .values({
          ...{ tenantId: tenantId ?? "", targetId, orderKey, body, bytes, expiresAt },
          ...{ state: "WAITING", attempts: 0, dueAt: now },
        })
        .run();
      return { orderKey, bytes, expiresAt };
    },
    async pass(ms: number, stepMs = 1_000) {
      for (let passed = 0; passed < ms; passed += stepMs) {
        clock.advance(Math.min(stepMs, ms - passed));
        await runTasks();
      }
    },
    rows: () => orm.select().from(parcels).orderBy(parcels.seq).all(),
    bodiesOf: (state: Parcel["state"]) =>
      rig.rows().flatMap((row) => (row.state === state ? [row.body] : [])),
    /** Makes a settled parcel wait again, as a person does. */
    revive: (body: string) =>
      void orm.update(parcels).set({ state: "WAITING" }).where(eq(parcels.body, body)).run(),
    postpone: (body: string, dueAt: number) =>
      void orm.update(parcels).set({ dueAt }).where(eq(parcels.body, body)).run(),
    delete: (body: string) => void orm.delete(parcels).where(eq(parcels.body, body)).run(),
  };
  rig.boot();
  return rig;
}

export type Rig = ReturnType<typeof createRig>;

/** Keeps every attempt in flight until the returned function is called with its answer. */
export function holdResponses(rig: Rig): (response: Answer) => Promise<void> {
  const held: Array<(response: Answer) => void> = [];
  rig.answer = () => new Promise<Answer>((resolve) => held.push(resolve));
  return async (response) => {
    for (const resolve of held.splice(0)) resolve(response);
    await runTasks();
  };
}

export const never = () => new Promise<Verdict>(() => undefined);
