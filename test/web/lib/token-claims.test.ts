import { expect, test } from "bun:test";
import { claimsOf } from "../../../src/web/lib/token-claims.ts";

const tokenOf = (payload: string) => `head.${Buffer.from(payload).toString("base64url")}.signature`;

test("a token's claims are read whatever letters they hold", () => {
  const claims = { sid: "s1", exp: 1_772_323_200, email: "jörg-ünal@plant.example" };
  expect(claimsOf(tokenOf(JSON.stringify(claims)))).toEqual(claims);
});

test("what is no token has none", () => {
  for (const text of [
    undefined,
    "",
    "lsk_abc",
    "a.b.c",
    "a.%%%.c",
    tokenOf("7"),
    tokenOf("null"),
    tokenOf("{"),
  ])
    expect(claimsOf(text)).toBeUndefined();
});
