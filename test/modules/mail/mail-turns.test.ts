import { afterEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TenantId } from "../../../src/lib/core/ids.ts";
import type { DomainEvents } from "../../../src/modules/events.types.ts";
import { createMailRepository } from "../../../src/modules/mail/mail.repository.ts";
import { createMailService } from "../../../src/modules/mail/mail.service.ts";
import type { OutgoingMail } from "../../../src/modules/mail/mail.types.ts";
import { createTenantsRepository } from "../../../src/modules/tenants/tenants.repository.ts";
import { createEventBus } from "../../../src/platform/core/event-bus.ts";
import { createLogger } from "../../../src/platform/core/log.ts";
import { openMainDatabase } from "../../../src/platform/database/database.ts";
import { createMonotonicNow } from "../../../src/platform/time/clock.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { until } from "../../support/until.ts";

const log = createLogger("test");
const undo: Array<() => unknown> = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

function openOutbox() {
  const directory = mkdtempSync(join(tmpdir(), "lineside-mail-turns-"));
  undo.push(() => rmSync(directory, { recursive: true, force: true }));
  const database = openMainDatabase(join(directory, "lineside.db"), "lineside", log);
  undo.push(() => database.close());
  const clock = new FakeClock();
  const tenants = createTenantsRepository(database);
  for (const name of ["busy", "quiet"])
    tenants.insert({ tenantId: name as TenantId, name, planName: "onprem", isHost: false }, clock.now());
  const sent: string[] = [];
  const mail = createMailService({
    retentionTime: () => clock.now(),
    repository: createMailRepository(database),
    transport: () => ({
      send({ to }: OutgoingMail) {
        sent.push(to);
        clock.advance(300);
        return Promise.resolve("250 ok");
      },
    }),
    productOf: () => "Lineside",
    events: createEventBus<DomainEvents>(log),
    durable: database.durable,
    clock,
    now: createMonotonicNow(clock),
    log,
  });
  undo.push(() => mail.stop());
  const alarm = (tenantId: string, to: string) =>
    mail.enqueue({
      ...{ tenantId: tenantId as TenantId, to, template: "notification_test" },
      values: { fullName: "", timezone: "UTC", url: null },
    });
  return { mail, sent, alarm, database, clock };
}

test("tenants take turns, and mails about accounts come first", async () => {
  const { mail, sent, alarm } = openOutbox();
  for (let n = 0; n < 20; n++) alarm("busy", "busy");
  alarm("quiet", "quiet");
  alarm("quiet", "quiet");
  mail.enqueue({
    ...{ tenantId: "busy" as TenantId, to: "account", template: "password_changed" },
    values: { fullName: "", at: "2026-03-01T00:00:00Z" },
  });
  const values = { fullName: "", code: "123456", minutes: 15 };
  mail.enqueue({ tenantId: null, to: "stranger", template: "sign_up_code", values });
  mail.start();
  await until(() => sent.length === 24);
  expect(sent.slice(0, 2).sort()).toEqual(["account", "stranger"]);
  expect(sent.slice(2, 6).filter((to) => to === "quiet").length).toBe(2);
});

test("a mail that the command line queues is sent within 30 seconds", async () => {
  const { mail, sent, alarm, database, clock } = openOutbox();
  mail.start();
  alarm("busy", "first");
  await until(() => sent.length === 1);
  await until(
    () =>
      mail.list(
        { tenantId: "busy" as TenantId, includesStrangers: false },
        { state: "SENT", limit: 1, offset: 0 },
      ).total === 1,
  );
  database.sqlite.run("UPDATE mails SET state = 'QUEUED', next_attempt_at = 0");
  clock.advance(30_000);
  await until(() => sent.length === 2);
});

test("the outbox keeps the newest mails of each tenant: a busy tenant does not displace those of another", async () => {
  const { mail, alarm, database } = openOutbox();
  database.transact(() => {
    alarm("quiet", "quiet");
    for (let n = 0; n < 30; n++) alarm("busy", "busy");
  });
  database.sqlite.run("UPDATE mails SET state = 'SENT'");
  createMailRepository(database).prune({ keep: 10, before: 0, limit: 100 });
  const total = (tenantId: string) =>
    mail.list({ tenantId: tenantId as TenantId, includesStrangers: false }, { limit: 1, offset: 0 }).total;
  expect([total("quiet"), total("busy")]).toEqual([1, 10]);
});
