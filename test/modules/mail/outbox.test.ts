import { afterEach, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TenantId } from "../../../src/lib/core/ids.ts";
import type { DomainEvents } from "../../../src/modules/events.types.ts";
import { createMailRepository } from "../../../src/modules/mail/mail.repository.ts";
import { createMailService, type MailService } from "../../../src/modules/mail/mail.service.ts";
import type { MailState, NewMail } from "../../../src/modules/mail/mail.types.ts";
import { ATTEMPTS_MAX, mailBackOffMs } from "../../../src/modules/mail/mail-delivery.ts";
import { createSmtpTransport } from "../../../src/modules/mail/smtp-transport.ts";
import { createTenantsRepository } from "../../../src/modules/tenants/tenants.repository.ts";
import { createEventBus } from "../../../src/platform/core/event-bus.ts";
import { createLogger } from "../../../src/platform/core/log.ts";
import { type MainDatabase, openMainDatabase } from "../../../src/platform/database/database.ts";
import { allRows } from "../../../src/platform/database/row-list.ts";
import { createMonotonicNow } from "../../../src/platform/time/clock.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { type MailServer, reply, startMailServer } from "../../support/mail-server.ts";

const tenantId = "tenant" as TenantId;
const scope = { tenantId, includesStrangers: true };
const log = createLogger("test");
const undo: Array<() => unknown> = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

interface Outbox {
  readonly mail: MailService;
  readonly database: MainDatabase;
  readonly clock: FakeClock;
  /** Codes of the faults, and where they occurred. */
  readonly faults: string[];
  /** Resolves once a mail has been tried and is in this state. */
  reached(state: MailState): Promise<void>;
  stop(): Promise<void>;
}

async function openOutbox(
  options: { url?: string; directory?: string; clock?: FakeClock; timeoutMs?: number } = {},
): Promise<Outbox & { directory: string }> {
  const directory = options.directory ?? (await mkdtemp(join(tmpdir(), "lineside-mail-")));
  if (options.directory === undefined) undo.push(() => rm(directory, { recursive: true, force: true }));
  const database = openMainDatabase(join(directory, "lineside.db"), "lineside", log);
  const tenants = createTenantsRepository(database);
  const clock = options.clock ?? new FakeClock();
  if (tenants.find(tenantId) === undefined)
    tenants.insert({ tenantId, name: "Plant", planName: "onprem", isHost: true }, clock.now());
  const events = createEventBus<DomainEvents>(log);
  const faults: string[] = [];
  events.on("fault.occurred", ({ code, where = "" }) => faults.push(`${code} ${where}`));
  const waiting: Array<{ state: MailState; resolve: () => void }> = [];
  events.on("mail.changed", ({ state }) => {
    for (const waiter of waiting.filter((candidate) => candidate.state === state)) {
      waiting.splice(waiting.indexOf(waiter), 1);
      waiter.resolve();
    }
  });
  const { url } = options;
  const transport =
    url === undefined
      ? undefined
      : createSmtpTransport({
          url,
          from: "gateway@plant.example",
          timeoutMs: options.timeoutMs ?? 10_000,
        });
  const mail = createMailService({
    retentionTime: () => clock.now(),
    repository: createMailRepository(database),
    transport: () => transport,
    productOf: () => "Lineside",
    events,
    durable: database.durable,
    clock,
    now: createMonotonicNow(clock),
    log,
  });
  mail.start();
  await new Promise(setImmediate); // it has looked for what is due
  let isOpen = true;
  const stop = async () => {
    if (!isOpen) return;
    isOpen = false;
    await mail.stop();
    database.close();
  };
  undo.push(stop);
  const reached = (state: MailState) => new Promise<void>((resolve) => waiting.push({ state, resolve }));
  return { mail, database, clock, directory, faults, reached, stop };
}

async function serve(...input: Parameters<typeof startMailServer>): Promise<MailServer> {
  const server = await startMailServer(...input);
  undo.push(() => server.stop());
  return server;
}

const invitation: NewMail<"invitation"> = {
  tenantId,
  to: "colleague@plant.example",
  template: "invitation",
  values: {
    fullName: "Carla Colleague",
    tenantName: "Plant",
    invitedBy: "owner@plant.example",
    loginUrl: "http://gateway.local/sign-in?login_hint=colleague%40plant.example",
    temporaryPassword: "k7mf-92qx-tdh4-w3ra",
  },
};
const code: NewMail<"sign_up_code"> = {
  tenantId: null,
  to: "newcomer@plant.example",
  template: "sign_up_code",
  values: { fullName: "Nina Newcomer", code: "042137", minutes: 10 },
};
const only = (outbox: Outbox) => {
  const items = allRows(outbox.mail.list(scope, { limit: 10, offset: 0 }));
  expect(items).toHaveLength(1);
  return items[0]!;
};

describe("a mail server that works", () => {
  test("gets the mail as plain text and HTML, and the secret leaves the outbox with it", async () => {
    const server = await serve();
    const outbox = await openOutbox({ url: server.url });
    const sent = outbox.reached("SENT");
    outbox.mail.enqueue(invitation);
    expect(only(outbox).content.text).toContain("k7mf-92qx-tdh4-w3ra");
    const { parsed, sender, recipients } = await server.next();
    await sent;
    expect([sender, recipients]).toEqual(["gateway@plant.example", ["colleague@plant.example"]]);
    expect(parsed.subject).toBe("owner@plant.example invites you to Plant");
    expect(parsed.text).toContain("k7mf-92qx-tdh4-w3ra");
    expect(parsed.html).toContain("k7mf-92qx-tdh4-w3ra");
    expect(parsed.html).toContain('href="http://gateway.local/sign-in?login_hint=colleague%40plant.example"');
    const kept = only(outbox);
    expect(kept.state).toBe("SENT");
    expect(kept.content.text).not.toContain("k7mf");
    expect(JSON.stringify(outbox.database.sqlite.query("SELECT * FROM mails").all())).not.toContain("k7mf");
  });

  test("gets mails one at a time, each once", async () => {
    let open = 0;
    let most = 0;
    const server = await serve({
      onConnect(_session, done) {
        most = Math.max(most, ++open);
        done();
      },
      onClose() {
        open--;
      },
    });
    const outbox = await openOutbox({ url: server.url });
    for (let n = 0; n < 5; n++) outbox.mail.enqueue({ ...invitation, to: `user${n}@plant.example` });
    const mails = [];
    for (let n = 0; n < 5; n++) mails.push(await server.next());
    expect(mails.map(({ recipients }) => recipients[0]).sort()).toEqual(
      [0, 1, 2, 3, 4].map((n) => `user${n}@plant.example`),
    );
    expect(new Set(mails.map(({ parsed }) => parsed.messageId)).size).toBe(5);
    expect(most).toBe(1);
  });

  test("an address with a comma makes no second recipient", async () => {
    const server = await serve();
    const outbox = await openOutbox({ url: server.url });
    outbox.mail.enqueue({ ...invitation, to: "victim@one.example,other@two.example" });
    outbox.mail.enqueue({ ...invitation, to: "<a@one.example>,b@two.example" });
    outbox.mail.enqueue({ ...invitation, to: "honest@plant.example" });
    expect((await server.next()).recipients).toEqual(["honest@plant.example"]);
    const items = allRows(outbox.mail.list(scope, { state: "FAILED", limit: 10, offset: 0 }));
    expect(items).toHaveLength(2);
  });

  test("is signed in to over an encrypted connection", async () => {
    const seen: string[] = [];
    const server = await serve({
      disabledCommands: [],
      authOptional: false,
      onAuth({ username = "", password = "" }, session, done) {
        seen.push(`${username} ${password} ${session.secure}`);
        done(null, { user: username });
      },
    });
    const url = server.url.replace("smtp://", "smtp://mailer%40plant.example:p%3Aw@");
    const outbox = await openOutbox({ url: `${url}?requireTLS=true&tls.rejectUnauthorized=false` });
    outbox.mail.enqueue(invitation);
    expect((await server.next()).encrypted).toBe(true);
    expect(seen).toEqual(["mailer@plant.example p:w true"]);
  });

  test("is not given a password in the clear, nor the mail, when its certificate is not to be trusted", async () => {
    const server = await serve({ disabledCommands: [] });
    const outbox = await openOutbox({ url: server.url });
    const tried = outbox.reached("QUEUED");
    outbox.mail.enqueue(invitation);
    await tried;
    await outbox.reached("QUEUED");
    expect(server.received).toEqual([]);
    expect(only(outbox).lastError).toEqual({
      code: "mail_error.connection",
      params: { reason: expect.objectContaining({ code: "network_error.certificate" }) },
    });
  });
});

describe("a mail server that does not", () => {
  test("a refused recipient is final, and the mail can still be read and handed over", async () => {
    const server = await serve({
      onRcptTo: (_address, _session, done) => done(reply(550, "5.1.1 no such user here")),
    });
    const outbox = await openOutbox({ url: server.url });
    const failed = outbox.reached("FAILED");
    outbox.mail.enqueue(invitation);
    await failed;
    expect(only(outbox)).toMatchObject({ state: "FAILED", attempts: 1 });
    expect(only(outbox).lastError).toEqual({
      code: "mail_error.refused",
      params: { reason: expect.stringContaining("no such user here") },
    });
    expect(only(outbox).content.text).toContain("k7mf-92qx-tdh4-w3ra");
  });

  test("greylisting: the mail is taken when it comes back a minute later", async () => {
    let knocks = 0;
    const server = await serve({
      onRcptTo: (_address, _session, done) =>
        ++knocks === 1 ? done(reply(451, "4.7.1 come back later")) : done(),
    });
    const outbox = await openOutbox({ url: server.url });
    outbox.mail.enqueue(invitation);
    await outbox.reached("QUEUED");
    await outbox.reached("QUEUED");
    expect(only(outbox)).toMatchObject({ state: "QUEUED", attempts: 1 });
    expect(only(outbox).lastError).toMatchObject({
      code: "mail_error.refused",
      params: { reason: expect.stringContaining("come back later") },
    });
    const sent = outbox.reached("SENT");
    outbox.clock.advance(mailBackOffMs(1) - 1);
    expect(knocks).toBe(1);
    outbox.clock.advance(1);
    await sent;
    expect(outbox.faults).toEqual(["fault.mail_retried "]);
    expect(only(outbox)).toMatchObject({ state: "SENT", attempts: 2, lastError: null });
  });

  test("a connection that breaks in the middle: the same mail, under the same Message-ID, once more", async () => {
    const ids: string[] = [];
    const server = await serve({
      onData(stream, _session, done) {
        let raw = "";
        stream.on("data", (chunk: Buffer) => {
          raw += chunk;
        });
        stream.on("end", () => {
          ids.push(/^Message-ID: (.*)$/im.exec(raw)?.[1] ?? "none");
          if (ids.length > 1) return done();
          server.drop(); // taken, but the answer never arrives
        });
      },
    });
    const outbox = await openOutbox({ url: server.url });
    outbox.mail.enqueue(invitation);
    await outbox.reached("QUEUED");
    await outbox.reached("QUEUED");
    const sent = outbox.reached("SENT");
    outbox.clock.advance(mailBackOffMs(1));
    await sent;
    expect(ids).toHaveLength(2);
    expect(ids[0]).toBe(ids[1]!);
    expect(ids[0]).toMatch(/^<[0-9a-f-]{36}@plant\.example>$/);
  });

  test("a server that never answers is given up, and the mail kept", async () => {
    const server = await serve({ onMailFrom: () => undefined });
    const outbox = await openOutbox({ url: server.url, timeoutMs: 200 });
    outbox.mail.enqueue(invitation);
    await outbox.reached("QUEUED");
    await outbox.reached("QUEUED");
    expect(only(outbox)).toMatchObject({ state: "QUEUED", attempts: 1 });
  });

  test("a server that is away for a day: 30 tries, then the mail has failed", async () => {
    const gone = await startMailServer();
    await gone.stop();
    const outbox = await openOutbox({ url: gone.url });
    outbox.mail.enqueue({
      ...invitation,
      template: "password_changed",
      values: { fullName: "", at: "2026-03-01T00:00:00Z" },
    } as NewMail);
    await outbox.reached("QUEUED"); // it was taken in
    let waited = 0;
    for (let attempt = 1; attempt < ATTEMPTS_MAX; attempt++) {
      await outbox.reached("QUEUED");
      expect(only(outbox).attempts).toBe(attempt);
      outbox.clock.advance(mailBackOffMs(attempt));
      waited += mailBackOffMs(attempt);
    }
    await outbox.reached("FAILED");
    expect(only(outbox)).toMatchObject({ state: "FAILED", attempts: 30 });
    expect(waited).toBeGreaterThanOrEqual(24 * 3_600_000);
  });
});

describe("the outbox", () => {
  test("a crash between sending and noting it: the mail goes out again under the same Message-ID", async () => {
    const server = await serve();
    const first = await openOutbox({ url: server.url });
    const sent = first.reached("SENT");
    first.mail.enqueue(invitation);
    const { parsed } = await server.next();
    await sent;
    // What a kill -9 before the last write leaves behind.
    first.database.sqlite.run("UPDATE mails SET state = 'QUEUED', sent_at = NULL");
    await first.stop();
    const second = await openOutbox({ url: server.url, directory: first.directory, clock: first.clock });
    expect(server.received).toHaveLength(1);
    second.clock.advance(mailBackOffMs(1));
    expect((await server.next()).parsed.messageId).toBe(parsed.messageId!);
  });

  test("without a server mails are held and readable; with one, those of the last day go out", async () => {
    const clock = new FakeClock();
    const first = await openOutbox({ clock });
    expect(first.mail.isDelivering).toBe(false);
    first.mail.enqueue({ ...invitation, to: "long-ago@plant.example" });
    clock.advance(25 * 3_600_000);
    first.mail.enqueue(invitation);
    const items = allRows(first.mail.list(scope, { state: "HELD", limit: 10, offset: 0 }));
    expect(items.map(({ recipient }) => recipient)).toEqual([
      "colleague@plant.example",
      "long-ago@plant.example",
    ]);
    expect(items[0]?.content.text).toContain("k7mf-92qx-tdh4-w3ra");
    expect(() => first.mail.retry(scope, items[0]!.mailId)).toThrow("There is no mail server");
    await first.stop();
    const server = await serve();
    const second = await openOutbox({ url: server.url, directory: first.directory, clock });
    expect((await server.next()).recipients).toEqual(["colleague@plant.example"]);
    expect(second.mail.get(scope, items[1]!.mailId).state).toBe("HELD");
    second.mail.retry(scope, items[1]!.mailId);
    expect((await server.next()).recipients).toEqual(["long-ago@plant.example"]);
  });

  test("a code is kept as long as it is good, and then neither shown nor sent", async () => {
    const outbox = await openOutbox();
    outbox.mail.enqueue(code);
    outbox.clock.advance(9 * 60_000);
    expect(only(outbox).content.text).toContain("042137");
    outbox.clock.advance(2 * 60_000);
    expect(only(outbox)).toMatchObject({ state: "FAILED", lastError: { code: "mail_error.expired" } });
    expect(outbox.faults).toEqual([]); // it was there to be read
    expect(only(outbox).content.text).not.toContain("042137");
    expect(() => outbox.mail.retry(scope, only(outbox).mailId)).toThrow("expired");
  });

  test("what a transaction takes back is not sent", async () => {
    const server = await serve();
    const outbox = await openOutbox({ url: server.url });
    const work = () =>
      outbox.database.transact(() => {
        outbox.mail.enqueue({ ...invitation, to: "taken-back@plant.example" });
        throw new Error("the user could not be made");
      });
    expect(work).toThrow("could not be made");
    outbox.mail.enqueue(invitation);
    expect((await server.next()).recipients).toEqual(["colleague@plant.example"]);
    expect(only(outbox).recipient).toBe("colleague@plant.example");
  });

  test("shows nobody the mails of another tenant, and those to strangers only to the gateway's own people", async () => {
    const outbox = await openOutbox();
    outbox.mail.enqueue(invitation);
    outbox.mail.enqueue(code);
    const recipients = (input: typeof scope) =>
      allRows(outbox.mail.list(input, { limit: 10, offset: 0 })).map(({ recipient }) => recipient);
    expect(recipients(scope).sort()).toEqual(["colleague@plant.example", "newcomer@plant.example"]);
    expect(recipients({ tenantId, includesStrangers: false })).toEqual(["colleague@plant.example"]);
    expect(recipients({ tenantId: "other" as TenantId, includesStrangers: false })).toEqual([]);
    const [stranger] = allRows(outbox.mail.list(scope, { search: "newcomer", limit: 1, offset: 0 }));
    expect(() => outbox.mail.get({ tenantId, includesStrangers: false }, stranger!.mailId)).toThrow(
      "no email with this ID",
    );
  });

  test("keeps the newest 5,000 mails that are done with", async () => {
    const outbox = await openOutbox();
    outbox.database.transact(() => {
      for (let n = 0; n < 5_030; n++) outbox.mail.enqueue({ ...invitation, to: `user${n}@plant.example` });
    });
    outbox.clock.advance(61_000);
    const { total } = outbox.mail.list(scope, { limit: 1, offset: 0 });
    expect(total).toBe(5_000);
  });
});
