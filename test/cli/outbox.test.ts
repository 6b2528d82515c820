import { afterAll, beforeAll, expect, test } from "bun:test";
import { startMailServer } from "../support/mail-server.ts";
import { PROGRAM } from "../support/program.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

let fixture: TestApp;

beforeAll(async () => {
  fixture = await createTestApp();
  fixture.app.services.mail.enqueue({
    tenantId: null,
    to: "newcomer@plant.example",
    template: "sign_up_code",
    values: { fullName: "Nina", code: "042137", minutes: 10 },
  });
});
afterAll(() => fixture.stop());

async function run(args: readonly string[], env: Record<string, string> = {}) {
  const child = Bun.spawn([...PROGRAM, "outbox", ...args], {
    env: { PATH: process.env.PATH ?? "", LINESIDE_DATA: fixture.directory, ...env },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, output, errors };
}

test("a code is read at the machine, beside a running gateway without a mail server", async () => {
  const list = await run(["list", "--state", "held"]);
  expect([list.code, list.errors]).toEqual([0, ""]);
  expect(list.output).toContain("newcomer@plant.example");
  expect(list.output).not.toContain("042137");
  const shown = await run(["show", "newcomer@plant.example"]);
  expect(shown.output).toContain("042137");
  const json = JSON.parse((await run(["list", "--json"])).output);
  expect(json).toMatchObject([{ state: "HELD", subject: "Your Lineside code" }]);
  expect((await run(["show", json[0].mailId])).output).toContain("042137");
});

test("what cannot be done is said in a sentence", async () => {
  const sentences = await Promise.all(
    [
      ["show", "nobody@plant.example"],
      ["retry", "newcomer@plant.example"],
      ["burn"],
      ["--json"],
      ["list", "--state", "lost"],
    ].map(async (args) => {
      const { code, errors } = await run(args);
      return `${code} ${errors.trim()}`;
    }),
  );
  expect(sentences).toEqual([
    "1 lineside outbox: There is no email to nobody@plant.example. Use lineside outbox list to see all emails.",
    "1 lineside outbox: There is no mail server. Set it in the console under Settings → Notifications → Mail server, or as smtp_url (LINESIDE_SMTP_URL).",
    '1 lineside outbox: "burn" is not an action; the actions are list, show, retry.',
    "1 lineside outbox: An action is missing; the actions are list, show, retry.",
    "1 lineside outbox: --state must be one of queued, sent, failed, held.",
  ]);
});

test("a mail that is to be tried again goes out when the gateway starts", async () => {
  const server = await startMailServer();
  const queued = await run(["retry", "newcomer@plant.example"], { LINESIDE_SMTP_URL: server.url });
  expect(queued.code).toBe(0);
  await fixture.app.stop();
  const again = await createTestApp({ directory: fixture.directory, config: { smtp_url: server.url } });
  try {
    expect((await server.next()).parsed.text).toContain("042137");
  } finally {
    await again.stop();
    await server.stop();
  }
});
