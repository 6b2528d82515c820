import { afterEach, beforeEach, expect, test } from "bun:test";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger } from "../../../src/platform/core/log.ts";
import { type DataDirectory, openDataDirectory } from "../../../src/platform/files/data-directory.ts";
import { createTls, type Tls } from "../../../src/platform/network/tls.ts";
import { namesIn, ownNames, plainAddress } from "../../../src/platform/network/tls-names.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { until } from "../../support/until.ts";

const DAY_MS = 86_400_000;
let directory: string;
let data: DataDirectory;
let clock: FakeClock;
let names = { dns: ["localhost", "gateway"], ip: ["127.0.0.1"] };
/** How often the names were looked up. */
let lookups = 0;
const running: Tls[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "lineside-tls-"));
  data = openDataDirectory(directory);
  clock = new FakeClock(Date.parse("2027-03-01T00:00:00Z"));
  names = { dns: ["localhost", "gateway"], ip: ["127.0.0.1"] };
});
afterEach(() => {
  for (const tls of running.splice(0)) tls.stop();
  data.release();
  rmSync(directory, { recursive: true, force: true });
});

function namesOf() {
  lookups++;
  return names;
}

async function start(): Promise<Tls> {
  const log = createLogger("tls");
  const tls = createTls({ data, clock, log, publicUrl: undefined, namesOf });
  running.push(tls);
  await tls.start();
  return tls;
}

const serialOf = ({ current }: Tls) => new X509Certificate(current.cert).serialNumber;
/** Lets checks of names and files happen until a condition holds. */
const advanceUntil = (condition: () => boolean) =>
  until(() => {
    clock.advance(10_000);
    return condition();
  });

/** Waits until a check has changed the certificate. */
async function changed(tls: Tls, serial: string): Promise<string> {
  await advanceUntil(() => serialOf(tls) !== serial);
  return serialOf(tls);
}

/** Waits until a check of the present names and files has ended: the second one after now has begun. */
async function checked(): Promise<void> {
  const wanted = lookups + 2;
  await advanceUntil(() => lookups >= wanted);
}

test("the pair survives a restart", async () => {
  const first = await start();
  const second = await start();
  expect(second.current).toEqual(first.current);
  expect(second.authority).toBe(first.authority);
});

test("a new name or address gets a certificate that keeps the old ones, under the same authority", async () => {
  const tls = await start();
  const authority = tls.authority;
  const received: string[] = [];
  tls.onChange(({ cert }) => received.push(cert));
  const serial = serialOf(tls);
  clock.advance(60_000);
  names = { dns: ["localhost", "gateway"], ip: ["127.0.0.1", "192.168.7.9", "fd00::7"] };
  expect(await changed(tls, serial)).not.toBe(serial);
  const certificate = new X509Certificate(tls.current.cert);
  expect(namesIn(certificate.subjectAltName)).toEqual({
    dns: ["localhost", "gateway"],
    ip: ["127.0.0.1", "192.168.7.9", "fd00::7"],
  });
  expect(received).toEqual([tls.current.cert]);
  expect(tls.authority).toBe(authority);
  names = { dns: ["localhost", "gateway"], ip: ["127.0.0.1"] };
  const kept = serialOf(tls);
  await checked();
  expect(serialOf(tls)).toBe(kept);
});

test("it is renewed two months before it ends", async () => {
  const tls = await start();
  const serial = serialOf(tls);
  clock.jump(330 * DAY_MS);
  await checked();
  expect(serialOf(tls)).toBe(serial);
  clock.jump(10 * DAY_MS);
  expect(await changed(tls, serial)).not.toBe(serial);
});

test("a clock that jumps far ahead and back costs certificates, never the authority that devices trust", async () => {
  const tls = await start();
  const { authority } = tls;
  const serial = serialOf(tls);
  clock.jump(4_000 * DAY_MS);
  const ahead = await changed(tls, serial);
  clock.jump(-4_000 * DAY_MS);
  await changed(tls, ahead);
  const certificate = new X509Certificate(tls.current.cert);
  expect(Date.parse(certificate.validFrom)).toBeLessThan(clock.now());
  expect(Date.parse(certificate.validTo)).toBeGreaterThan(clock.now() + 300 * DAY_MS);
  expect(tls.authority).toBe(authority);
});

test("a gateway that boots in the past makes a certificate that is good once the clock is set, and keeps a good one", async () => {
  clock = new FakeClock(0);
  const tls = await start();
  expect(Date.parse(new X509Certificate(tls.current.cert).validTo)).toBeGreaterThan(Date.UTC(2027, 0, 1));
  clock = new FakeClock(Date.parse("2026-06-01T00:00:00Z"));
  const later = await start();
  const serial = serialOf(later);
  clock = new FakeClock(0);
  expect(serialOf(await start())).toBe(serial);
});

test("half a pair on the disk is replaced", async () => {
  const first = await start();
  writeFileSync(join(directory, "secrets", "tls-server.key"), "cut off");
  const second = await start();
  expect(serialOf(second)).not.toBe(serialOf(first));
  expect(second.authority).toBe(first.authority);
});

test("a listener that fails is called again", async () => {
  const tls = await start();
  let calls = 0;
  tls.onChange(() => {
    if (++calls === 1) throw new Error("the port is taken");
  });
  names = { dns: ["localhost", "gateway", "another"], ip: [] };
  clock.advance(60_000);
  await advanceUntil(() => calls >= 2);
  expect(calls).toBe(2);
});

test("own names are this machine's, and addresses are written one way", () => {
  const { dns, ip } = ownNames("https://plant.example:8443/");
  expect(dns).toContain("localhost");
  expect(dns).toContain("plant.example");
  expect(ip).toEqual(expect.arrayContaining(["127.0.0.1", "::1"]));
  expect(plainAddress("0:0:0:0:0:0:0:1")).toBe("::1");
  expect(ownNames("http://10.0.0.5").ip).toContain("10.0.0.5");
});

test("a certificate of the operator that ends soon, has ended or is refused is a problem of the gateway", async () => {
  const { current } = await start();
  const files = { cert: join(directory, "given.pem"), key: join(directory, "given.key") };
  writeFileSync(files.cert, current.cert);
  writeFileSync(files.key, current.key);
  const end = Date.parse(new X509Certificate(current.cert).validTo);
  const problemAt = async (now: number) => {
    const clockThen = new FakeClock(now);
    const tls = createTls({ data, clock: clockThen, log: createLogger("tls"), publicUrl: undefined, files });
    running.push(tls);
    await tls.start();
    return { tls, clockThen };
  };
  expect((await problemAt(end - 30 * DAY_MS)).tls.problem()).toBeUndefined();
  expect((await problemAt(end + DAY_MS)).tls.problem()).toMatchObject({ code: "tls.certificate_expired" });
  const { tls, clockThen } = await problemAt(end - 10 * DAY_MS);
  expect(tls.problem()).toMatchObject({ code: "tls.certificate_expires", params: { days: 10 } });
  writeFileSync(files.cert, "not a certificate");
  await until(() => {
    clockThen.advance(10_000);
    return tls.problem()?.code === "tls.certificate_refused";
  });
});

/** A pair with an RSA key, as PEM. */
async function rsaPair(modulusLength: number) {
  await import("reflect-metadata"); // x509 asks for it when it is loaded
  const { X509CertificateGenerator } = await import("@peculiar/x509");
  const signingAlgorithm = {
    ...{ name: "RSASSA-PKCS1-v1_5", hash: "SHA-256", modulusLength },
    publicExponent: new Uint8Array([1, 0, 1]),
  };
  const keys = await crypto.subtle.generateKey(signingAlgorithm, true, ["sign", "verify"]);
  const [notBefore, notAfter] = [new Date(clock.now()), new Date(clock.now() + 365 * DAY_MS)];
  const names = { name: "CN=localhost", notBefore, notAfter };
  const cert = await X509CertificateGenerator.createSelfSigned({ ...names, keys, signingAlgorithm });
  const der = Buffer.from(await crypto.subtle.exportKey("pkcs8", keys.privateKey));
  const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  return { cert: cert.toString("pem"), key: key.export({ format: "pem", type: "pkcs8" }).toString() };
}

test.each([
  [2_048, undefined],
  [3_072, { code: "tls.key_slow", params: { bits: 3_072 } }],
])("an RSA key of %d bits of the operator is a problem of the gateway: %o", async (bits, problem) => {
  const files = { cert: join(directory, "rsa.pem"), key: join(directory, "rsa.key") };
  const { cert, key } = await rsaPair(bits);
  writeFileSync(files.cert, cert);
  writeFileSync(files.key, key);
  const tls = createTls({ data, clock, log: createLogger("tls"), publicUrl: undefined, files });
  running.push(tls);
  await tls.start();
  if (problem === undefined) expect(tls.problem()).toBeUndefined();
  else expect(tls.problem()).toMatchObject(problem);
});
