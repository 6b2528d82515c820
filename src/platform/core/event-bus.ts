import type { Logger } from "./log.ts";

/** Calls listeners in the order of registration, one event at a time. An error of a listener is logged and does not affect others. */
export interface EventBus<Events> {
  on<Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => void): () => void;
  emit<Name extends keyof Events>(name: Name, event: Events[Name]): void;
}

export function createEventBus<Events>(log: Logger): EventBus<Events> {
  const listeners = new Map<keyof Events, Set<(event: never) => void>>();
  return {
    on(name, listener) {
      const set = listeners.get(name) ?? new Set();
      listeners.set(name, set);
      set.add(listener);
      return () => set.delete(listener);
    },
    emit(name, event) {
      for (const listener of listeners.get(name) ?? []) {
        try {
          listener(event as never); // the set under a name holds only listeners of that name's event
        } catch (error) {
          log.error("event listener failed", { event: String(name), error });
        }
      }
    },
  };
}
