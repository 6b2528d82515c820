export type Listener = "http" | "https" | "mqtt" | "mqttTls";

/** TCP ports on which the gateway listens. Each server adds its own. */
export class OwnPorts {
  readonly #readers = new Map<Listener, () => number | undefined>();

  /** `read` returns undefined while the server does not listen. */
  add(listener: Listener, read: () => number | undefined): void {
    this.#readers.set(listener, read);
  }

  get(listener: Listener): number | undefined {
    return this.#readers.get(listener)?.();
  }

  all(): number[] {
    return [...this.#readers.values()].flatMap((read) => read() ?? []);
  }
}
