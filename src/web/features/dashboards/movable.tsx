import type { ComponentChildren, JSX, RefObject } from "preact";

/** A share of the plan. */
const STEP = 0.02;
const steps: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-STEP, 0],
  ArrowRight: [STEP, 0],
  ArrowUp: [0, -STEP],
  ArrowDown: [0, STEP],
};
/** Places on one hundredth of the plan are easily made equal. */
const within = (share: number) => Math.round(Math.min(Math.max(share, 0), 1) * 100) / 100;

interface Props extends Omit<JSX.ButtonHTMLAttributes<HTMLButtonElement>, "children"> {
  readonly plan: RefObject<HTMLDivElement>;
  /** Shares of the plan's width and height. */
  readonly x: number;
  readonly y: number;
  readonly label: string;
  readonly onMove: (x: number, y: number) => void;
  readonly onRemove?: () => void;
  readonly children: ComponentChildren;
}

/** Something on a plan that is moved by dragging or with the arrow keys. */
export function Movable({
  plan,
  x,
  y,
  label,
  onMove,
  onRemove,
  class: own,
  style,
  children,
  ...button
}: Props) {
  const move = (toX: number, toY: number) => onMove(within(toX), within(toY));
  return (
    <button
      type="button"
      {...button}
      class={`absolute -translate-x-1/2 -translate-y-1/2 cursor-move touch-none ${own}`}
      style={{ ...(style as JSX.CSSProperties), left: `${x * 100}%`, top: `${y * 100}%` }}
      aria-label={label}
      onPointerDown={(e) => e.currentTarget.setPointerCapture(e.pointerId)}
      onPointerMove={(e) => {
        const box = plan.current?.getBoundingClientRect();
        if (box === undefined || !e.currentTarget.hasPointerCapture(e.pointerId)) return;
        move((e.clientX - box.left) / box.width, (e.clientY - box.top) / box.height);
      }}
      onKeyDown={(e) => {
        if (e.key === "Delete" && onRemove) return onRemove();
        const by = steps[e.key];
        if (by === undefined) return;
        e.preventDefault();
        move(x + by[0], y + by[1]);
      }}
    >
      {children}
    </button>
  );
}
