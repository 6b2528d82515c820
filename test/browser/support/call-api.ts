import type { Page } from "playwright-core";
import type { RunningApp } from "./running-app.ts";

/** What happens behind the page's back: a request of the person who is signed in there. */
export async function callApi(
  page: Page,
  app: RunningApp,
  method: string,
  path: string,
  body?: unknown,
): Promise<unknown> {
  const bearer = await page.evaluate(() => localStorage.getItem("lineside.token") ?? "");
  const response = await fetch(app.url + path, {
    method,
    headers: { "content-type": "application/json", authorization: `Bearer ${bearer}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.json();
}
