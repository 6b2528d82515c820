// What /readyz, a supervisor and `lineside healthcheck` see of a gateway that cannot store data.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { Health, type Problem } from "../../src/platform/core/health.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { PROGRAM } from "../support/program.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { untilAnswer } from "../support/until.ts";

const MB = 1024 * 1024;
const clock = new FakeClock(Date.now());
let space = { free: 10_000 * MB, total: 50_000 * MB };
let readOnly = false;
let fixture: TestApp;

beforeAll(async () => {
  fixture = await createTestApp({ clock, readSpace: async () => space, isReadOnly: async () => readOnly });
});
afterAll(() => fixture.stop());

const ready = () => fixture.call("GET", "/readyz");
/** Lets the disk be checked until the answer has the status. */
const readyAfterChecks = (status: number) =>
  untilAnswer(
    () => {
      clock.advance(2_000);
      return ready();
    },
    (response) => response.status === status,
  );
async function healthcheck(): Promise<[number, string]> {
  const child = Bun.spawn([...PROGRAM, "healthcheck", "--data", fixture.directory], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  return [await child.exited, await new Response(child.stdout).text()];
}

test("a gateway that takes data is ready", async () => {
  expect((await ready()).body).toEqual({ status: "ready", warnings: [] });
  expect(await healthcheck()).toEqual([0, "ready\n"]);
});

test("a full disk is named, and forgotten when there is room again", async () => {
  space = { ...space, free: MB };
  const { body, headers } = await readyAfterChecks(503);
  const reason = {
    code: "storage.disk_full",
    params: {},
    message: "The disk is almost full. Data is stored again when there is space.",
  };
  expect(body).toEqual({ statusCode: 503, error: "Service Unavailable", ...reason, reasons: [reason] });
  expect(headers.get("retry-after")).toBe("1");
  expect(await healthcheck()).toEqual([1, `not ready\n- ${reason.message}\n`]);
  expect(fixture.app.health.problems()[0]?.severity).toBe("UNREADY");
  space = { ...space, free: 10_000 * MB };
  await readyAfterChecks(200);
});

test("a file system that stays read-only is fatal, one that was read-only for a moment is not", async () => {
  readOnly = true;
  const { body } = await readyAfterChecks(503);
  expect(body).toMatchObject({ code: "storage.file_system_read_only", params: { path: fixture.directory } });
  expect(fixture.app.health.problems()[0]?.severity).toBe("UNREADY");
  readOnly = false;
  await readyAfterChecks(200);
  readOnly = true;
  const fatal = await untilAnswer(
    () => {
      clock.advance(2_000);
      return fixture.app.health.problems()[0]?.severity;
    },
    (severity) => severity === "FATAL",
  );
  expect(fatal).toBe("FATAL");
  readOnly = false;
  await readyAfterChecks(200);
});

test("the watch calls back once, for a fatal problem alone", () => {
  const health = new Health();
  let problem: Problem | undefined = { severity: "UNREADY", code: "storage.disk_full", params: {} };
  health.add(() => problem);
  const seen: Problem[] = [];
  health.onFatal(clock, (fatal) => seen.push(fatal));
  clock.advance(5_000);
  expect(seen).toEqual([]);
  problem = { severity: "FATAL", code: "storage.failed", params: {} };
  clock.advance(5_000);
  expect(seen).toEqual([problem]);
});

test("owners get one mail about a problem that lasts", async () => {
  const { services } = fixture.app;
  clock.leap(2 * 60 * 60_000); // the problems of the tests before are forgotten
  const owner = await fixture.signIn("TENANT_OWNER", { tenant: "host" });
  const mails = async () => {
    clock.advance(5_000);
    const { token } = await fixture.signIn("TENANT_OWNER", { tenant: "host" });
    const { body } = await fixture.call("GET", "/api/outbox", { token });
    return body.filter(
      ({ template, to }: { template: string; to: string }) =>
        template === "gateway_problem" && to === owner.user.email,
    );
  };
  expect(await mails()).toEqual([]);
  space = { ...space, free: MB };
  const [mail] = await untilAnswer(mails, (found) => found.length > 0);
  const { token } = await fixture.signIn("TENANT_OWNER", { tenant: "host" });
  const { body } = await fixture.call("GET", `/api/outbox/${mail.mailId}`, { token });
  expect(body.subject).toContain("the gateway reports a problem");
  expect(body.text).toContain("The disk is almost full.");
  for (let minute = 0; minute < 3; minute++) expect(await mails()).toHaveLength(1);
  expect(services.mail.isDelivering).toBe(false);
  space = { ...space, free: 10_000 * MB };
  await readyAfterChecks(200);
});
