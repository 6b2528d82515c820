import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import fc from "fast-check";
import { codeChallenge, randomToken } from "../../../src/web/lib/pkce.ts";
import { sha256 } from "../../../src/web/lib/sha256.ts";

test("the console's own SHA-256 agrees with the platform's for any message", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      expect(Buffer.from(sha256(bytes)).toString("hex")).toBe(
        createHash("sha256").update(bytes).digest("hex"),
      );
    }),
  );
});

test("a verifier gives the challenge of RFC 7636, appendix B", () => {
  expect(codeChallenge("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")).toBe(
    "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
  );
});

test("tokens are URL-safe, long enough for a verifier and never the same", () => {
  const tokens = Array.from({ length: 100 }, () => randomToken());
  expect(new Set(tokens).size).toBe(100);
  for (const token of tokens) expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
});
