import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { strictHostOf } from "../../src/http/http-server.ts";
import { createAuthority, createServerCertificate } from "../../src/platform/network/tls-certificates.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

const hasOpenssl = Bun.which("openssl") !== null;

/** The suite that a client with only this one agrees on with the port; undefined when they find none. */
async function agreedOn(port: number, cipher: string): Promise<string | undefined> {
  const address = `127.0.0.1:${port}`;
  const command = ["openssl", "s_client", "-connect", address, "-tls1_2", "-cipher", cipher];
  const child = Bun.spawn(command, { stdin: "ignore", stdout: "pipe", stderr: "ignore" });
  const found = /Cipher is (\S+)/.exec(await new Response(child.stdout).text())?.[1];
  return found === "(NONE)" ? undefined : found;
}

describe.skipIf(!hasOpenssl)("TLS 1.2", () => {
  let fixture: TestApp;
  beforeAll(async () => {
    fixture = await createTestApp({ config: { tls: "auto" } });
  });
  afterAll(() => fixture.stop());

  test.each(["https", "mqtt"] as const)(
    "over %s has authenticated suites and none in CBC mode",
    async (kind) => {
      const port = fixture.app.tlsPorts[kind] ?? 0;
      for (const cipher of ["ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305"])
        expect(await agreedOn(port, cipher)).toBe(cipher);
      for (const cipher of ["ECDHE-ECDSA-AES128-SHA", "ECDHE-ECDSA-AES256-SHA", "AES128-SHA"])
        expect([cipher, await agreedOn(port, cipher)]).toEqual([cipher, undefined]);
    },
  );

  test("asks no browser to stay with HTTPS while the gateway is its own authority", async () => {
    const response = await fetch(`https://127.0.0.1:${fixture.app.tlsPorts.https}/healthz`, {
      tls: { rejectUnauthorized: false },
    });
    expect(response.headers.get("strict-transport-security")).toBeNull();
  });
});

test.each([
  ["files", "https://gateway.example", "gateway.example"],
  ["files", "https://gateway.example:8443/x", "gateway.example"],
  ["files", "http://gateway.example", undefined],
  ["files", undefined, undefined],
  ["auto", "https://gateway.example", undefined],
  ["off", "https://gateway.example", undefined],
] as const)("tls = %s and public_url = %s keep browsers to HTTPS at %s", (tls, public_url, host) => {
  expect(strictHostOf({ tls, public_url })).toBe(host);
});

test("browsers are kept to HTTPS at the public host, and at no other", async () => {
  const authority = await createAuthority(Date.now(), "test");
  const names = { dns: ["localhost"], ip: ["127.0.0.1"] };
  const { cert, key } = await createServerCertificate(authority, names, Date.now());
  const fixture = await createTestApp();
  const [certFile, keyFile] = [join(fixture.directory, "cert.pem"), join(fixture.directory, "key.pem")];
  await Promise.all([writeFile(certFile, cert), writeFile(keyFile, key)]);
  const secured = await createTestApp({
    config: { tls: "files", tls_cert: certFile, tls_key: keyFile, public_url: "https://localhost" },
  });
  const strictness = async (url: string) =>
    (await fetch(url, { tls: { rejectUnauthorized: false } })).headers.get("strict-transport-security");
  const { https } = secured.app.tlsPorts;
  expect(await strictness(`https://localhost:${https}/healthz`)).toBe("max-age=15552000");
  expect(await strictness(`https://localhost:${https}/api/nothing`)).toBe("max-age=15552000");
  expect(await strictness(`https://127.0.0.1:${https}/healthz`)).toBeNull();
  await secured.stop();
  await fixture.stop();
});
