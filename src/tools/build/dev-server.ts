import { type FSWatcher, watch } from "node:fs";
import { join, relative } from "node:path";

/** Delay before a restart, because editors write a file in several steps, and a change of branch affects many files. */
const SETTLE_MS = 100;
/** Max. duration of a stop of the gateway before it is killed. */
const STOP_MS_MAX = 5000;

interface DevServerOptions {
  /** The checkout. */
  readonly directory: string;
  /** Watched directories and files in it. */
  readonly watched: readonly string[];
  readonly buildConsole: readonly string[];
  readonly serve: readonly string[];
  readonly report: (message: string) => void;
}

/** Returns whether the console is built from a file; other files only concern the gateway. */
const isOfConsole = (path: string): boolean =>
  /^(src\/(web|lib)|static|docs)\//.test(path) ||
  // Forms have the limits of the schemas, and those of the files that schemas import.
  (/^src\/modules\//.test(path) && !/\.(routes|service|repository|tables|module)\.ts$/.test(path));
/** Returns whether the dev server ignores a file: output of the build, tests, and temporary files of editors. */
const isIgnored = (path: string): boolean =>
  /^static\/(console|api-docs|licenses)|(^|\/)\.|~$|\.(tmp|swp)$/.test(path);

/** Runs the gateway from its sources, rebuilds the console and restarts the gateway when a source changes. */
export class DevServer {
  readonly #options: DevServerOptions;
  readonly #watchers: FSWatcher[] = [];
  /** Changed paths that are not handled yet. */
  readonly #changed = new Set<string>();
  #timer: Timer | undefined;
  #gateway: Bun.Subprocess | undefined;
  /** Resolves when all changes so far are handled. */
  #work: Promise<void> = Promise.resolve();
  #stopping: Promise<void> | undefined;

  constructor(options: DevServerOptions) {
    this.#options = options;
  }

  start(): void {
    const { directory, watched } = this.#options;
    for (const name of watched) {
      const base = join(directory, name);
      const watcher = watch(base, { recursive: true }, (_event, file) =>
        this.#handleChange(relative(directory, join(base, file ?? ""))),
      );
      this.#watchers.push(watcher);
    }
    this.#startGateway();
  }

  /** Ends the gateway. Ctrl-C arrives twice: from the terminal and from npm. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stopOnce();
    return this.#stopping;
  }

  async #stopOnce(): Promise<void> {
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers) watcher.close();
    await this.#work;
    await this.#stopGateway();
  }

  #handleChange(path: string): void {
    if (isIgnored(path)) return;
    this.#changed.add(path);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#work = this.#work.then(() => this.#applyChanges());
    }, SETTLE_MS);
  }

  async #applyChanges(): Promise<void> {
    const paths = [...this.#changed];
    this.#changed.clear();
    if (paths.length === 0 || this.#stopping !== undefined) return;
    const others = paths.length === 1 ? "" : ` and ${paths.length - 1} more`;
    this.#options.report(`${paths[0]}${others} changed`);
    if (paths.some(isOfConsole) && !(await this.#rebuildConsole())) return;
    await this.#stopGateway();
    if (this.#stopping === undefined) this.#startGateway();
  }

  async #rebuildConsole(): Promise<boolean> {
    const { buildConsole, directory, report } = this.#options;
    const child = Bun.spawn([...buildConsole], { cwd: directory, stdio: ["ignore", "ignore", "inherit"] });
    const isBuilt = (await child.exited) === 0;
    report(isBuilt ? "console rebuilt" : "the console does not build; the previous one stays");
    return isBuilt;
  }

  #startGateway(): void {
    const { serve, directory, report } = this.#options;
    const gateway = Bun.spawn([...serve], { cwd: directory, stdio: ["ignore", "inherit", "inherit"] });
    this.#gateway = gateway;
    void gateway.exited.then((code) => {
      if (this.#gateway === gateway && this.#stopping === undefined)
        report(`the gateway ended with ${code}; the next change starts it again`);
    });
  }

  async #stopGateway(): Promise<void> {
    const gateway = this.#gateway;
    this.#gateway = undefined;
    gateway?.kill("SIGTERM");
    const timer = setTimeout(() => gateway?.kill("SIGKILL"), STOP_MS_MAX);
    await gateway?.exited;
    clearTimeout(timer);
  }
}
