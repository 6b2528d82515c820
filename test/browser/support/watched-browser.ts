import { existsSync } from "node:fs";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

const CANDIDATES = [
  process.env.CHROMIUM,
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];
const ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Max. time a page may take to do what a test waits for: long, because a wait ends as soon as it is done. */
const WAIT_MS_MAX = 60_000;

/**
 * Longest time in ms that each answer of the API is held back, from the environment. Pages and tests that take what is not yet loaded for an
 * answer fail with it, as they do now and then on a slow machine.
 */
const SLOW_API_MS = Number(process.env.SLOW_API_MS ?? 0);

export interface WatchedBrowser {
  readonly page: Page;
  /** Console errors, uncaught exceptions and requests to other hosts, each as one line. */
  readonly complaints: string[];
  /** From here on, a 404 for a URL that contains `part` is not reported: whether the page requests it again depends on timing. */
  allowNotFound(part: string): void;
  close(): Promise<void>;
}

function watch(context: BrowserContext, origin: string, complaints: string[], gone: readonly string[]): void {
  context.on("console", (message) => {
    const url = message.location().url;
    if (message.text().includes("status of 404") && gone.some((part) => url.includes(part))) return;
    if (message.type() === "error") complaints.push(`console: ${message.text()} at ${message.page()?.url()}`);
  });
  context.on("weberror", (error) => complaints.push(`exception: ${error.error().stack}`));
  context.on("request", (request) => {
    const url = new URL(request.url());
    const local = url.origin === origin || url.protocol === "data:" || url.protocol === "blob:";
    if (!local) complaints.push(`outside request: ${request.url()}`);
  });
}

/** The one Chromium of this process: its start takes longer than many a test. Playwright kills it when the process exits. */
let chromiumOfProcess: Promise<Browser> | undefined;

function launchChromium(): Promise<Browser> {
  const executablePath = CANDIDATES.find((path) => path && existsSync(path));
  if (!executablePath) throw new Error("no Chromium found; name one in the environment variable CHROMIUM");
  return chromium.launch({ executablePath, headless: true, args: ARGS });
}

const holdResponsesBack = (context: BrowserContext): Promise<unknown> =>
  context.route("**/api/**", async (route) => {
    await Bun.sleep(Math.random() * SLOW_API_MS);
    // A page that was left meanwhile takes no answer.
    await route.continue().catch(() => undefined);
  });

/** A fresh profile in a headless browser that notes everything a console page must not do. */
export async function openBrowser(origin: string, { anyCertificate = false } = {}): Promise<WatchedBrowser> {
  chromiumOfProcess ??= launchChromium();
  const context = await (await chromiumOfProcess).newContext({
    locale: "en-GB",
    ignoreHTTPSErrors: anyCertificate,
    viewport: { width: 1440, height: 900 },
  });
  context.setDefaultTimeout(WAIT_MS_MAX);
  if (SLOW_API_MS > 0) await holdResponsesBack(context);
  const complaints: string[] = [];
  const gone: string[] = [];
  watch(context, origin, complaints, gone);
  return {
    page: await context.newPage(),
    complaints,
    allowNotFound: (part) => gone.push(part),
    close: () => context.close(),
  };
}
