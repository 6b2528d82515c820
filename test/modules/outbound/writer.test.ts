import { expect, test } from "bun:test";
import type { TenantId } from "../../../src/lib/core/ids.ts";
import type { TargetRow } from "../../../src/modules/outbound/outbound.repository.ts";
import { createOutboundWriter } from "../../../src/modules/outbound/outbound-writer.ts";
import { createSealedBox } from "../../../src/platform/secrets/sealed-box.ts";
import { FakeClock } from "../../support/fake-clock.ts";

function createWriter() {
  /** Tenant of each request that was written, by transaction. */
  const transactions: string[][] = [];
  const writer = createOutboundWriter({
    repository: {
      ensureTarget: ({ targetId }: TargetRow) => targetId,
      insert: () => 1,
    },
    delivery: {
      now: () => 0,
      queue: { added: ({ tenantId }) => void transactions.at(-1)?.push(tenantId) },
    },
    box: createSealedBox(new Uint8Array(32), "test"),
    transact(work) {
      transactions.push([]);
      const start = performance.now();
      work();
      while (performance.now() - start < 5); // a slow disk
    },
    durable: () => Promise.resolve(),
    clock: new FakeClock(),
  });
  const requests = (tenantId: string, count: number) =>
    Array.from({ length: count }, () => ({
      tenantId: tenantId as TenantId,
      source: { kind: "pipeline", id: "p" } as const,
      target: { url: "http://a/", method: "POST", headers: {}, timeoutMs: 1, secret: null },
      orderKey: "d",
      body: "{}",
    }));
  return { writer, transactions, requests };
}

test("thousands of requests of a tenant are written a few at a time, and those of another tenant in between", async () => {
  const { writer, transactions, requests } = createWriter();
  const many = writer.enqueueAfter(Promise.resolve(), requests("many", 2_000));
  await Promise.resolve();
  const few = writer.enqueueAfter(Promise.resolve(), requests("few", 1));
  await few;
  expect(transactions.flat().filter((tenantId) => tenantId === "many").length).toBeLessThan(2_000);
  await many;
  expect(Math.max(...transactions.map((written) => written.length))).toBeLessThanOrEqual(200);
  expect(transactions.flat().length).toBe(2_001);
});

test("requests of a tenant are written in the order of their messages", async () => {
  const { writer, transactions, requests } = createWriter();
  const first = writer.enqueueAfter(Promise.resolve(), requests("t", 1_000));
  const second = writer.enqueueAfter(Promise.resolve(), requests("t", 1));
  let isFirstDone = false;
  void first.then(() => {
    isFirstDone = true;
  });
  await second;
  expect(isFirstDone).toBe(true);
  expect(transactions.at(-1)).toEqual(["t"]);
  await first;
});

test("a failed write fails its own requests alone", async () => {
  const { writer, requests } = createWriter();
  const failed = writer.enqueueAfter(Promise.reject(new Error("no commit")), requests("t", 1));
  const written = writer.enqueueAfter(Promise.resolve(), requests("t", 1));
  expect(failed).rejects.toThrow("no commit");
  await written;
});
