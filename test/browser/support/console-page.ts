import { afterAll, beforeAll } from "bun:test";
import type { Locator, Page, Response } from "playwright-core";
import { callApi } from "./call-api.ts";
import { setUpOwner } from "./first-visit.ts";
import { type RunningApp, startApp } from "./running-app.ts";
import { openBrowser, type WatchedBrowser } from "./watched-browser.ts";

export interface ConsolePageOptions {
  /** Command line arguments of the program; a function is called before it starts. */
  readonly settings?: readonly string[] | (() => Promise<readonly string[]>);
  /** Whether animations are left out: half-way through a fade every text has too little contrast. */
  readonly isStill?: boolean;
  /** `false`: nobody has followed the setup link yet. */
  readonly hasOwner?: boolean;
}

/** The console of a program of its own, in a browser of its own, where the owner is signed in. */
export class ConsolePage {
  readonly #options: ConsolePageOptions;
  #app: RunningApp | undefined;
  #browser: WatchedBrowser | undefined;

  constructor(options: ConsolePageOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { settings = [], isStill = false, hasOwner = true } = this.#options;
    this.#app = await startApp(typeof settings === "function" ? await settings() : settings);
    this.#browser = await openBrowser(this.app.url);
    if (isStill) await this.page.emulateMedia({ reducedMotion: "reduce" });
    if (hasOwner) await setUpOwner(this.page, this.app);
  }

  async stop(): Promise<void> {
    await this.#browser?.close();
    await this.#app?.stop();
  }

  get app(): RunningApp {
    if (this.#app === undefined) throw new Error("the program has not started");
    return this.#app;
  }

  get browser(): WatchedBrowser {
    if (this.#browser === undefined) throw new Error("the browser has not started");
    return this.#browser;
  }

  get page(): Page {
    return this.browser.page;
  }

  /** What a console page must not do and did. */
  get complaints(): string[] {
    return this.browser.complaints;
  }

  /** Opens the screen at a path. */
  open(path = ""): Promise<Response | null> {
    return this.page.goto(this.app.url + path);
  }

  /** Creates a device by the button of the first screen, which leads to its Connect tab; resolves to its id. */
  async connectDevice(): Promise<string> {
    await this.page.getByRole("button", { name: /Connect a device/ }).click();
    await this.page.waitForURL(/\/devices\/[^/]+\/connect$/);
    return /devices\/([^/]+)\//.exec(this.page.url())?.[1] ?? "";
  }

  dialog(): Locator {
    return this.page.getByRole("dialog");
  }

  /** Closes a dialog whose form was changed, without its changes. */
  async discardForm(): Promise<void> {
    await this.page.keyboard.press("Escape");
    await this.page.getByRole("alertdialog").waitFor();
    await this.page.keyboard.press("Shift+Tab");
    await this.page.keyboard.press("Enter");
    await this.dialog().waitFor({ state: "detached" });
  }

  /** A row of a table by its text. */
  row(name: string | RegExp): Locator {
    return this.page.getByRole("row", { name });
  }

  /** Sends a request to the API as the person who is signed in. */
  call(method: string, path: string, body?: unknown): Promise<unknown> {
    return callApi(this.page, this.app, method, path, body);
  }
}

/** Starts a program and a browser for the tests of a file and stops both after them. */
export function useConsole(options: ConsolePageOptions = {}): ConsolePage {
  const ui = new ConsolePage(options);
  beforeAll(() => ui.start());
  afterAll(() => ui.stop());
  return ui;
}
