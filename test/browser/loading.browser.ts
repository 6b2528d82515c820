// Screens whose data has not arrived yet: nothing is said to be empty or in order before it is known.
import { beforeAll, expect, test } from "bun:test";
import type { Request, Route } from "playwright-core";
import consoleTexts from "../../src/lib/texts/console.en.json";
import firstTexts from "../../src/lib/texts/first-screens.en.json";
import { until } from "../support/until.ts";
import { useConsole } from "./support/console-page.ts";

const ui = useConsole({ isStill: true });
let deviceId = "";
const loading = new Set<Request>();

const PATHS = [
  "/devices",
  "/",
  ...["", "/data", "/attributes", "/commands", "/connect", "/messages", "/history", "/settings"].map(
    (tab) => `/devices/:device${tab}`,
  ),
  ...["/dashboards", "/explore", "/alarms", "/pipelines", "/integrations", "/integrations/codecs", "/field"],
  ...["/mqtt-clients", "/mqtt-clients/topics", "/scheduler", "/generators", "/uplinks"],
  ...["profile", "security", "site", "users", "profiles", "notifications", "api-keys", "audit", "outbox"].map(
    (page) => `/settings/${page}`,
  ),
  ...["backups", "system", "log"].map((page) => `/settings/${page}`),
];

/** Texts that say that there is nothing, or that all is well. A list of live messages knows what it has, and Explore how to begin. */
const claims: ReadonlySet<string> = new Set(
  Object.entries({ ...firstTexts, ...consoleTexts })
    .filter(([key]) => !/^(messages|explore)\./.test(key))
    .filter(([key, text]) => /[nN]one|[eE]mpty|\.no[A-Z]|allOnline|allClear/.test(key) && !text.includes("{"))
    .map(([, text]) => text),
);

beforeAll(async () => {
  ui.page.on("request", (request) => void (request.resourceType() === "script" && loading.add(request)));
  const ended = (request: Request) => void loading.delete(request);
  ui.page.on("requestfinished", ended).on("requestfailed", ended);
  ({ deviceId } = (await ui.call("POST", "/api/devices", { name: "Press", deviceType: "sensor" })) as {
    deviceId: string;
  });
});

const shownClaims = async (): Promise<string[]> => {
  const texts = await ui.page.evaluate(() =>
    [...document.querySelectorAll("main :not(option)")].flatMap((element) =>
      [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.textContent ?? ""),
    ),
  );
  return texts.map((text) => text.trim()).filter((text) => claims.has(text));
};

/** Resolves when the code of a screen is there and has drawn. */
async function drawn(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) {
    await until(() => loading.size === 0, "the code of the screen");
    await ui.page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
  }
}

test("no screen says that there is nothing, or that all is well, before it knows", async () => {
  const { page } = ui;
  await ui.open("/");
  await page.waitForLoadState("networkidle");
  const early: Record<string, string[]> = {};
  for (const path of PATHS) {
    const held: Route[] = [];
    await page.route("**/api/**", (route) => void held.push(route));
    await page.evaluate(
      (address) => {
        history.pushState(null, "", address);
        dispatchEvent(new PopStateEvent("popstate"));
      },
      path.replace(":device", deviceId),
    );
    await until(() => held.length > 0, `a request of ${path}`);
    await drawn();
    const claimed = await shownClaims();
    if (claimed.length > 0) early[path] = claimed;
    await page.unroute("**/api/**");
    // Those of the screen before are given up by the browser.
    await Promise.all(held.map((route) => route.continue().catch(() => undefined)));
  }
  expect(early).toEqual({});
});
