import { useEffect, useState } from "preact/hooks";

/** Counts down from the latest call of `restart`. */
export function useCountdown(from: number): [left: number, restart: () => void] {
  const [until, setUntil] = useState(() => performance.now() + from * 1000);
  const [left, setLeft] = useState(from);
  useEffect(() => {
    const tick = () => setLeft(Math.max(0, Math.ceil((until - performance.now()) / 1000)));
    tick();
    const timer = setInterval(tick, 500);
    return () => clearInterval(timer);
  }, [until]);
  return [left, () => setUntil(performance.now() + from * 1000)];
}
