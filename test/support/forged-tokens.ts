import { createHmac, generateKeyPairSync, sign as signWith } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestApp } from "./test-app.ts";

export interface ForgedToken {
  /** What is wrong with it. */
  readonly name: string;
  readonly token: string;
}

type Claims = Record<string, unknown> & { readonly exp: number };

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

const sign = (key: Uint8Array, claims: unknown, { alg = "HS256", hash = "sha256" } = {}): string => {
  const content = `${encode({ alg, typ: "JWT" })}.${encode(claims)}`;
  return `${content}.${createHmac(hash, key).update(content).digest("base64url")}`;
};

/**
 * Tokens that must open nothing, made from one that is good and, worst case, with the gateway's own key; each is wrong in one
 * thing only. `good` stays good.
 */
export async function forgeTokens(fixture: TestApp, good: string): Promise<ForgedToken[]> {
  const key = await readFile(join(fixture.directory, "secrets", "jwt.key"));
  const [head = "", payload = "", signature = ""] = good.split(".");
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as Claims;
  const { exp: _, ...endless } = claims;
  const pair = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const byRsa = `${encode({ alg: "RS256", typ: "JWT" })}.${payload}`;
  const flipped = signature.startsWith("A") ? `B${signature.slice(1)}` : `A${signature.slice(1)}`;
  return [
    { name: "nothing", token: "" },
    { name: "no token at all", token: "x" },
    { name: "alg none without a signature", token: `${encode({ alg: "none", typ: "JWT" })}.${payload}.` },
    {
      name: "alg NONE with the old signature",
      token: `${encode({ alg: "NONE" })}.${payload}.${signature}`,
    },
    { name: "no signature", token: `${head}.${payload}.` },
    { name: "another signature", token: `${head}.${payload}.${flipped}` },
    { name: "another key", token: sign(crypto.getRandomValues(new Uint8Array(32)), claims) },
    { name: "an empty key", token: sign(new Uint8Array(0), claims) },
    { name: "another algorithm", token: sign(key, claims, { alg: "HS512", hash: "sha512" }) },
    {
      name: "a public-key algorithm",
      token: `${byRsa}.${signWith("sha256", Buffer.from(byRsa), pair.privateKey).toString("base64url")}`,
    },
    {
      name: "claims of one's own under the old signature",
      token: `${head}.${encode({ ...claims, role: "TENANT_OWNER", exp: claims.exp + 9_999 })}.${signature}`,
    },
    { name: "another audience", token: sign(key, { ...claims, aud: "somewhere-else" }) },
    { name: "no audience", token: sign(key, { ...claims, aud: undefined }) },
    { name: "another issuer", token: sign(key, { ...claims, iss: "somewhere-else" }) },
    // A day back: the fake clocks of tests and the real one are both past it.
    { name: "expired", token: sign(key, { ...claims, exp: claims.exp - 24 * 3_600 }) },
    { name: "no expiry", token: sign(key, endless) },
    { name: "not good yet", token: sign(key, { ...claims, nbf: claims.exp + 3_600 }) },
    {
      name: "a session that there is not",
      token: sign(key, { ...claims, sid: "01900000-0000-7000-8000-000000000000" }),
    },
    { name: "no session", token: sign(key, { ...claims, sid: undefined }) },
  ];
}

/** A token of a user of that kind whose session has been ended by signing out. */
export async function revokedToken(fixture: TestApp): Promise<ForgedToken> {
  const { token } = await fixture.signIn("TENANT_OWNER");
  await fixture.call("POST", "/api/auth/logout", { token });
  return { name: "a session that was ended", token };
}
