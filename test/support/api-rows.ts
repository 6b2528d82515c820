import { expect, test } from "bun:test";
import type { ApiAnswer, CallOptions, TestApp } from "./test-app.ts";

/** One request and what it must answer. Functions are read when the row runs, after the fixtures are there. */
export interface ApiRow {
  readonly name: string;
  readonly request: () => { method: string; path: string } & CallOptions;
  readonly status: number;
  /** `"none"`: no body at all; `"error"`: the contract's error body; else a check of the answer. */
  readonly answer?: "none" | "error" | ((answer: ApiAnswer) => void);
}

/** Makes each row a test against the app that `get` gives. */
export function apiRows(get: () => TestApp, rows: readonly ApiRow[]): void {
  for (const row of rows) {
    test(row.name, async () => {
      const { method, path, ...options } = row.request();
      const answer = await get().call(method, path, options);
      expect(`${answer.status} ${answer.status === row.status ? "" : answer.text}`).toBe(`${row.status} `);
      if (row.answer === "none") expect(answer.text).toBe("");
      else if (row.answer === "error") expectErrorBody(answer, row.status, options.raw);
      else row.answer?.(answer);
    });
  }
}

export function expectErrorBody(answer: ApiAnswer, status: number, sent?: unknown): void {
  expect(answer.body).toMatchObject({
    statusCode: status,
    error: expect.any(String),
    message: expect.any(String),
  });
  if (typeof sent === "string" && sent.length > 8) expect(answer.text).not.toContain(sent);
}
