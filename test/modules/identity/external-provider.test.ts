import { afterEach, expect, test } from "bun:test";
import {
  createExternalProvider,
  PROVIDER_RESPONSE_BYTES_MAX,
} from "../../../src/modules/identity/provider/external-provider.ts";
import { createLogger } from "../../../src/platform/core/log.ts";

const ALGORITHM = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
const PATHS = ["/.well-known/openid-configuration", "/token", "/keys", "/userinfo"] as const;
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

let server: Bun.Server<undefined> | undefined;
afterEach(() => server?.stop(true));

/** A provider that signs everybody in, whose response at one path has a large member besides. */
async function startProvider(
  largePath: string | undefined,
  isCompressed: boolean,
  email = "ann@plant.example",
) {
  const keys = await crypto.subtle.generateKey(
    { ...ALGORITHM, modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) },
    true,
    ["sign", "verify"],
  );
  let nonce: string | undefined;
  async function idToken(iss: string): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss, sub: "1", aud: "client", nonce, iat: now, exp: now + 600 };
    const signed = `${encode({ alg: "RS256", kid: "k" })}.${encode(claims)}`;
    const signature = await crypto.subtle.sign(ALGORITHM.name, keys.privateKey, Buffer.from(signed));
    return `${signed}.${Buffer.from(signature).toString("base64url")}`;
  }
  server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { origin, pathname } = new URL(request.url);
      const bodies: Record<string, () => Promise<object>> = {
        [PATHS[0]]: async () => ({
          issuer: origin,
          authorization_endpoint: `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
          jwks_uri: `${origin}/keys`,
          userinfo_endpoint: `${origin}/userinfo`,
        }),
        "/token": async () => ({ access_token: "a", token_type: "bearer", id_token: await idToken(origin) }),
        "/keys": async () => ({
          keys: [{ ...(await crypto.subtle.exportKey("jwk", keys.publicKey)), kid: "k", use: "sig" }],
        }),
        "/userinfo": async () => ({ sub: "1", email, email_verified: true }),
      };
      const body = await bodies[pathname]?.();
      if (body === undefined) return new Response(null, { status: 404 });
      if (pathname !== largePath) return Response.json(body);
      const text = JSON.stringify({ ...body, more: "x".repeat(PROVIDER_RESPONSE_BYTES_MAX) });
      const headers = { "content-type": "application/json" };
      return isCompressed
        ? new Response(Bun.gzipSync(text), { headers: { ...headers, "content-encoding": "gzip" } })
        : new Response(text, { headers });
    },
  });
  const provider = createExternalProvider(
    {
      issuer: server.url.origin,
      clientId: "client",
      clientSecret: undefined,
      name: "provider",
      scope: "openid",
      trustsEmail: false,
      isDefault: false,
    },
    { now: Date.now, log: createLogger("test") },
  );
  async function signIn() {
    const { pending } = await provider.begin({
      callback: "http://gateway.example/idp/callback",
      loginHint: undefined,
      uiLocales: undefined,
      prompt: undefined,
    });
    nonce = pending.nonce;
    return provider.finish(pending, new URLSearchParams({ code: "c", state: pending.state }));
  }
  return { signIn };
}

test("a user signs in at a provider with short responses", async () => {
  const { signIn } = await startProvider(undefined, false);
  expect(await signIn()).toEqual({ email: "ann@plant.example", fullName: "" });
});

const CODES = ["external.unreachable", "external.refused", "external.refused", "external.refused"];
const cases = PATHS.flatMap((path, index) =>
  [false, true].map((isCompressed) => ({ path, isCompressed, code: CODES[index] })),
);

test.each(cases)(
  "a large response at $path, compressed: $isCompressed, is not read",
  async ({ path, isCompressed, code }) => {
    const { signIn } = await startProvider(path, isCompressed);
    expect(await signIn().catch((error: unknown) => error)).toMatchObject({ code });
  },
);

test("an address that is longer than addresses are is none", async () => {
  const { signIn } = await startProvider(undefined, false, `${"a".repeat(250)}@b.example`);
  expect(await signIn().catch((error: unknown) => error)).toMatchObject({ code: "external.no_email" });
});
