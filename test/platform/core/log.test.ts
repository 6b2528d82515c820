import { expect, test } from "bun:test";
import { formatRecord } from "../../../src/platform/core/log.ts";

const lineOf = (error: unknown, format: "text" | "json") =>
  formatRecord(
    {
      timestamp: 0,
      level: "warning",
      category: ["lineside"],
      message: ["failed"],
      rawMessage: "failed",
      properties: { error },
    },
    format,
  );

test.each(["text", "json"] as const)("as %s, a response that caused an error is not logged", (format) => {
  const response = { body: { access_token: "a secret", refresh_token: "a secret" } };
  const line = lineOf(new Error("no ID token", { cause: response }), format);
  expect(line).toContain("no ID token");
  expect(line).not.toContain("a secret");
});

test("errors that caused an error are logged, also in a circle", () => {
  const inner: Error = new TypeError("inner");
  const outer = new Error("outer", { cause: inner });
  inner.cause = outer;
  const { error } = JSON.parse(lineOf(outer, "json"));
  expect([error.message, error.cause.name, error.cause.message]).toEqual(["outer", "TypeError", "inner"]);
});

test.each(["text", "json"] as const)("as %s, a long message is shortened", (format) => {
  const line = lineOf(new Error("x".repeat(100_000)), format);
  expect(line.length).toBeLessThan(16_000);
  expect(line).toContain("characters)");
});
