import { useEffect, useState } from "preact/hooks";
import { live } from "../../../platform/live.ts";
import type { Rotation } from "./rotation.ts";
import { WallRotation } from "./wall-rotation.ts";

const isConnected = (): boolean => ["ready", "idle"].includes(live.state.peek().kind);

/** Returns the displayed dashboard, or the reason why there is none. Restarts when one of the `inputs` of `load` changes. */
export function useRotation<Slide>(
  { ids, everyMs }: Rotation,
  load: (id: string) => Promise<Slide>,
  inputs: readonly unknown[],
) {
  const [shown, setShown] = useState<{ readonly slide?: Slide; readonly error?: unknown }>({});
  useEffect(() => {
    const rotation = new WallRotation<Slide>({
      ids,
      everyMs,
      load,
      canAdvance: () => document.visibilityState === "visible" && isConnected(),
      onSlide: (slide) => setShown({ slide }),
      onError: (error) => setShown((before) => (before.slide ? before : { error })),
    });
    const check = () => rotation.check();
    document.addEventListener("visibilitychange", check);
    const unsubscribe = live.state.subscribe(check);
    return () => {
      rotation.stop();
      unsubscribe();
      document.removeEventListener("visibilitychange", check);
    };
  }, [ids.join(), everyMs, ...inputs]);
  return shown;
}
