import { expect, test } from "bun:test";
import type { ApiResponse, CallOptions, TestApp } from "./test-app.ts";

/** One request and what it must answer. Functions are read when the row runs, after the fixtures are there. */
export interface ApiRow {
  readonly name: string;
  readonly request: () => { method: string; path: string } & CallOptions;
  readonly status: number;
  /** `"none"`: no body at all; `"error"`: the contract's error body; else a check of the answer. */
  readonly answer?: "none" | "error" | ((response: ApiResponse) => void);
}

/** Makes each row a test against the app that `get` gives. */
export function apiRows(get: () => TestApp, rows: readonly ApiRow[]): void {
  for (const row of rows) {
    test(row.name, async () => {
      const { method, path, ...options } = row.request();
      const response = await get().call(method, path, options);
      expect(`${response.status} ${response.status === row.status ? "" : response.text}`).toBe(
        `${row.status} `,
      );
      if (row.answer === "none") expect(response.text).toBe("");
      else if (row.answer === "error") expectErrorBody(response, row.status, options.raw);
      else row.answer?.(response);
    });
  }
}

export function expectErrorBody(response: ApiResponse, status: number, sent?: unknown): void {
  expect(response.body).toMatchObject({
    statusCode: status,
    error: expect.any(String),
    message: expect.any(String),
  });
  if (typeof sent === "string" && sent.length > 8) expect(response.text).not.toContain(sent);
}
