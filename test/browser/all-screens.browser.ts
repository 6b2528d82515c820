// Every address of the console, in German, on a plant that is alive: in both themes, from a phone to a wall of screens, and on paper.

import { beforeAll, describe, expect, test } from "bun:test";
import type { Request } from "playwright-core";
import consoleTexts from "../../src/lib/texts/console.en.json";
import firstTexts from "../../src/lib/texts/first-screens.en.json";
import { exploreHref } from "../../src/web/lib/explore-view.ts";
import { until, untilAnswer } from "../support/until.ts";
import { overflow, seriousFindings } from "./support/accessibility.ts";
import { clippedAtWidths } from "./support/clipped.ts";
import { useConsole } from "./support/console-page.ts";

const ui = useConsole({ isStill: true });
/** What stands for parts of the addresses below. */
const ids: Record<string, string | undefined> = {};

const PATHS = [
  "/",
  "/devices",
  "/devices?create=1",
  "/devices/import",
  ...["", "/data", "/attributes", "/commands", "/connect", "/messages", "/history", "/settings"].map(
    (tab) => `/devices/:press${tab}`,
  ),
  "/devices/:gateway",
  "/dashboards",
  "/dashboards?create=1",
  "/dashboards/:dashboard",
  "/dashboards/:dashboard?edit=1",
  "/alarms",
  "/alarms/:alarm",
  "/faults",
  "/pipelines",
  "/pipelines?create=1",
  "/pipelines/:pipeline",
  "/integrations",
  "/integrations/new",
  "/integrations/new?network=MQTT",
  "/integrations/:integration",
  "/integrations/codecs",
  "/integrations/codecs/new",
  "/integrations/codecs/index",
  "/field",
  "/field?create=modbus",
  "/field?create=s7",
  "/field?create=bacnet",
  "/field?create=opcua",
  "/modbus/:modbus",
  "/modbus/:modbus/new",
  "/s7/:s7",
  "/s7/:s7/new",
  "/bacnet/:bacnet",
  "/bacnet/:bacnet/new",
  "/opcua/:opcua",
  "/opcua/:opcua/new",
  "/mqtt-clients",
  "/mqtt-clients/topics",
  "/mqtt-clients/clients/new",
  "/scheduler",
  "/scheduler/new",
  "/generators",
  "/generators/new",
  "/manual",
  "/manual/dashboards",
  ...["profile", "security", "site", "users", "profiles", "notifications", "api-keys"].map(
    (page) => `/settings/${page}`,
  ),
  ...["branding", "audit", "outbox", "backups", "system", "log"].map((page) => `/settings/${page}`),
  "/settings/profiles/new",
  "/settings/notifications/new",
  "/no/such/page",
];

beforeAll(async () => {
  watchRequests();
  ui.browser.allowNotFound("/no/such/page");
  const { page } = ui;
  const call = (method: string, path: string, body?: unknown) => ui.call(method, path, body);
  const plant = (await call("POST", "/api/demo-plant/start")) as { dashboardId: string };
  ids.dashboard = plant.dashboardId;
  for (const [name, search] of [
    ["press", "press 1"],
    ["gateway", "Line 1 gateway"],
  ] as const) {
    const found = (await call("GET", `/api/devices?search=${encodeURIComponent(search)}`)) as {
      deviceId: string;
    }[];
    ids[name] = found[0]?.deviceId ?? "";
  }
  const pipeline = (await call("POST", "/api/data-pipelines", {
    name: "Clean",
    steps: [{ type: "drop_keys", keys: ["noise"] }],
  })) as { pipelineId: string };
  ids.pipeline = pipeline.pipelineId;
  const integration = (await call("POST", "/api/integrations", { name: "Radio", type: "HTTP" })) as {
    integrationId: string;
  };
  ids.integration = integration.integrationId;
  const modbus = (await call("POST", "/api/modbus/connections", {
    name: "Meters",
    host: "127.0.0.1",
    enabled: false,
  })) as { connectionId: string };
  const s7 = (await call("POST", "/api/s7/connections", {
    name: "Press 4",
    host: "192.0.2.1",
    enabled: false,
  })) as { connectionId: string };
  ids.s7 = s7.connectionId;
  const bacnet = (await call("POST", "/api/bacnet/connections", {
    name: "Air 1",
    host: "192.0.2.1",
    deviceInstance: 1_201,
    enabled: false,
  })) as { connectionId: string };
  ids.bacnet = bacnet.connectionId;
  const opcua = (await call("POST", "/api/opcua/connections", {
    name: "Filler",
    host: "192.0.2.1",
    enabled: false,
  })) as { connectionId: string };
  ids.opcua = opcua.connectionId;
  ids.modbus = modbus.connectionId;
  const alarms = await untilAnswer(
    async () => (await call("GET", "/api/alarms")) as { alarmId: string }[],
    ({ length }) => length > 0,
  );
  ids.alarm = alarms[0]?.alarmId;
  const profiles = (await call("GET", "/api/device-profiles")) as { profileId: string; name: string }[];
  ids.profile = profiles.find(({ name }) => name === "Demo press")?.profileId;
  const series = ["temperature", "power", "state"].map((key) => ({ deviceId: ids.press ?? "", key }));
  ids.series = exploreHref(series, { mode: "live", durationMs: 3_600_000 }).replace("/explore", "");
  await page.evaluate(() => localStorage.setItem("lineside.language", "de"));
});

const keys = new Set(Object.keys({ ...firstTexts, ...consoleTexts }));

/** Requests that are not answered yet, and when that last changed. */
const requests = { open: new Set<Request>(), changedAt: 0 };
/** `networkidle` waits for half a second, at each of a hundred screens. */
const IDLE_MS = 150;

function watchRequests(): void {
  const change = (work: (request: Request) => void) => (request: Request) => {
    work(request);
    requests.changedAt = performance.now();
  };
  const end = change((request) => void requests.open.delete(request));
  ui.page.on(
    "request",
    change((request) => void requests.open.add(request)),
  );
  ui.page.on("requestfinished", end);
  ui.page.on("requestfailed", end);
}

async function open(path: string): Promise<void> {
  const { page } = ui;
  const filled = path.replace(/:(\w+)/, (_, name: string) => ids[name] ?? "missing");
  await ui.open(filled);
  await page.locator("main h1, main h2, dialog[open] h2").first().waitFor();
  await settled();
}

/** Waits until no request has been open for a while. */
const settled = () =>
  until(() => requests.open.size === 0 && performance.now() - requests.changedAt > IDLE_MS);

/** Texts that are keys of texts: nobody has written them. */
const unwritten = async (): Promise<string[]> => {
  const texts = await ui.page.evaluate(() =>
    [...document.querySelectorAll("body *")].flatMap((element) => [
      ...[...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.textContent ?? ""),
      element.getAttribute("aria-label") ?? "",
    ]),
  );
  return texts.map((text) => text.trim()).filter((text) => keys.has(text));
};

async function checkScreen(name: string): Promise<void> {
  const { page, complaints } = ui;
  if (process.env.SHOTS)
    await page.screenshot({ path: `${process.env.SHOTS}/${name.replace(/[^a-z0-9]+/gi, "-")}.png` });
  expect(await unwritten()).toEqual([]);
  expect(await overflow(page)).toEqual([0, 0]);
  expect(complaints.splice(0)).toEqual([]);
}

// The other halves are seen in English elsewhere; LINESIDE_ALL_SCREENS=1 looks at all four. The second one follows without another load, as when
// somebody turns a tablet at dusk.
const isAll = process.env.LINESIDE_ALL_SCREENS === "1";
const LOOKS = (["light", "dark"] as const).flatMap((theme) =>
  [360, 1440]
    .filter((width) => isAll || (width === 360) === (theme === "light"))
    .map((width) => ({ theme, width })),
);

async function look({ theme, width }: (typeof LOOKS)[number]): Promise<void> {
  await ui.page.setViewportSize({ width, height: width < 500 ? 740 : 900 });
  await ui.page.emulateMedia({ colorScheme: theme });
}

/** The screens that people see most, in both languages: German words are longer. */
const MAIN_PATHS = PATHS.filter((path) => !/create=1|\/new|manual|such/.test(path)).concat(
  "/alarms/rules",
  "/alarms/statistics",
  "/explore",
  "/explore:series",
  "/settings/profiles/:profile?view=values",
  "/uplinks",
);

describe(`in German, ${LOOKS.map(({ theme, width }) => `${theme} at ${width} px`).join(", ")}`, () => {
  beforeAll(() => ui.page.evaluate(() => localStorage.setItem("lineside.theme", "system")));
  for (const path of PATHS)
    test(path, async () => {
      for (const [index, appearance] of LOOKS.entries()) {
        await look(appearance);
        if (index === 0) await open(path);
        else await settled();
        expect([appearance, await seriousFindings(ui.page)]).toEqual([appearance, []]);
        await checkScreen(`${path}-${appearance.theme}-${appearance.width}`);
      }
      if (MAIN_PATHS.includes(path)) expect(await clippedAtWidths(ui.page)).toEqual([]);
    });
});

describe("no text is cut off on a desk", () => {
  const languages = { de: MAIN_PATHS.filter((path) => !PATHS.includes(path)), en: MAIN_PATHS };
  for (const [language, paths] of Object.entries(languages)) {
    for (const path of paths)
      test(`${path}, ${language}`, async () => {
        await ui.page.evaluate((spoken) => localStorage.setItem("lineside.language", spoken), language);
        await open(path);
        expect(await clippedAtWidths(ui.page)).toEqual([]);
      });
  }
});

describe("on a wall of screens, 3840 px", () => {
  beforeAll(() => ui.page.setViewportSize({ width: 3840, height: 2160 }));
  for (const path of ["/", "/devices", "/dashboards/:dashboard", "/dashboards/:dashboard?wall=1", "/alarms"])
    test(path, async () => {
      await open(path);
      await checkScreen(`${path}-3840`);
    });
});

describe("on paper", () => {
  beforeAll(async () => {
    await ui.page.setViewportSize({ width: 1000, height: 1400 });
    await ui.page.emulateMedia({ media: "print", colorScheme: "dark" });
  });
  for (const path of ["/dashboards/:dashboard", "/devices/:press/data", "/alarms", "/manual/dashboards"])
    test(`${path} prints its content without menus`, async () => {
      await open(path);
      const { page } = ui;
      // As the browser itself does before it prints.
      await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
      expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe("lineside-light");
      expect(await page.getByRole("navigation").filter({ visible: true }).count()).toBe(0);
      expect(await page.locator("main h1").first().isVisible()).toBe(true);
      const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      expect(background).toMatch(/^(rgb\(255, 255, 255\)|rgba\(0, 0, 0, 0\)|oklch\(1 )/);
      await checkScreen(`${path}-print`);
    });
});
