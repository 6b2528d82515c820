// A damaged authority of the gateway's own certificates is never replaced: every device that trusts it would be locked out.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger } from "../../../src/platform/core/log.ts";
import { type DataDirectory, openDataDirectory } from "../../../src/platform/files/data-directory.ts";
import { createTls, type Tls } from "../../../src/platform/network/tls.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { until } from "../../support/until.ts";

let directory: string;
let data: DataDirectory;
let clock: FakeClock;
const running: Tls[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "lineside-authority-"));
  data = openDataDirectory(directory);
  clock = new FakeClock(Date.parse("2027-03-01T00:00:00Z"));
});
afterEach(() => {
  for (const tls of running.splice(0)) tls.stop();
  data.release();
  rmSync(directory, { recursive: true, force: true });
});

async function start(): Promise<Tls> {
  const namesOf = () => ({ dns: ["localhost", "gateway"], ip: ["127.0.0.1"] });
  const tls = createTls({ data, clock, log: createLogger("tls"), publicUrl: undefined, namesOf });
  running.push(tls);
  await tls.start();
  return tls;
}

const secret = (name: string) => join(directory, "secrets", name);
const problem = (tls: Tls) => JSON.stringify(tls.problem() ?? "");
const isNamed = (tls: Tls) =>
  until(() => {
    clock.advance(10_000);
    return problem(tls).includes("the certificate authority");
  });

for (const [kind, damage] of [
  ["an empty key", () => writeFileSync(secret("tls-ca.key"), "")],
  ["a missing key", () => rmSync(secret("tls-ca.key"))],
  [
    "a key of something else",
    () => writeFileSync(secret("tls-ca.key"), readFileSync(secret("tls-server.key"))),
  ],
] as const)
  test(`${kind} of the authority is named, and the certificate stays in use`, async () => {
    const first = await start();
    const authority = readFileSync(secret("tls-ca.pem"), "utf8");
    damage();
    await isNamed(first);
    const second = await start();
    expect(second.current).toEqual(first.current);
    await isNamed(second);
    clock.advance(400 * 86_400_000);
    await expect(start()).rejects.toThrow("the certificate authority");
    expect(readFileSync(secret("tls-ca.pem"), "utf8")).toBe(authority);
  });

test("a damaged certificate of the authority is recovered from the one of the server", async () => {
  const first = await start();
  const authority = readFileSync(secret("tls-ca.pem"), "utf8");
  for (const text of ["", authority.replace("A", "B").slice(0, -40)]) {
    writeFileSync(secret("tls-ca.pem"), text);
    const second = await start();
    expect(second.current).toEqual(first.current);
    expect(readFileSync(secret("tls-ca.pem"), "utf8")).toBe(authority);
    expect(problem(second)).toBe('""');
  }
});

test("a first start that was interrupted creates the authority again", async () => {
  data.writeSecret("tls-ca.key", Buffer.from("of an interrupted start"));
  const tls = await start();
  expect(tls.authority).toContain("BEGIN CERTIFICATE");
});
