import { expect, test } from "bun:test";
import {
  createPasswordHasher,
  ensurePasswordStrong,
} from "../../../src/modules/identity/provider/password.ts";

test("sign-ins beyond what a gateway can check soon are refused, and the others are checked", async () => {
  // Cheap to check: it is the queue that matters here.
  const hash = await Bun.password.hash("correct horse 42", {
    algorithm: "argon2id",
    memoryCost: 8,
    timeCost: 1,
  });
  const hasher = createPasswordHasher();
  const guesses = Array.from({ length: 150 }, (_, index) =>
    hasher.verify(index === 0 ? "correct horse 42" : `wrong ${index}`, hash, "stranger"),
  );
  const responses = await Promise.allSettled(guesses);
  const checked = responses.filter((response) => response.status === "fulfilled");
  const refused = responses.filter((response) => response.status === "rejected");
  expect(checked.map(({ value }) => value)).toEqual(checked.map((_, index) => index === 0));
  expect(refused.length).toBeGreaterThan(0);
  for (const { reason } of refused) expect(reason).toMatchObject({ kind: "limited", code: "sign_in.busy" });
  expect(await hasher.verify("correct horse 42", hash, "stranger")).toBe(true);
});

test.each([
  "basketball1",
  "1basketball",
  "xx-basketball",
  "Barcelona..12",
  "california!",
  "Password123",
  "qwertyuiop",
  "passwort2026".slice(0, 11),
  "abc-123-----",
])("%s is refused, for it is one of the most common passwords with little added", (password) => {
  expect(() => ensurePasswordStrong(password)).toThrow("too easy to guess");
});

test.each(["correct horse 42", "basketball and oranges", "a long enough password 7"])(
  "%s is taken",
  (password) => {
    expect(() => ensurePasswordStrong(password)).not.toThrow();
  },
);
