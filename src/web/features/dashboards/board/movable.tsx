import type { ComponentChildren, JSX, RefObject } from "preact";
import { useRef } from "preact/hooks";

/** Step of the arrow keys, as a share of the plan. */
const STEP = 0.02;
const steps: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-STEP, 0],
  ArrowRight: [STEP, 0],
  ArrowUp: [0, -STEP],
  ArrowDown: [0, STEP],
};
/** Limits a share to the plan and rounds it to hundredths, so that equal positions are easy. */
const within = (share: number) => Math.round(Math.min(Math.max(share, 0), 1) * 100) / 100;

/** Min. movement of a drag in px. Less is a click. */
const DRAG_MIN = 3;

interface Props extends Omit<JSX.ButtonHTMLAttributes<HTMLButtonElement>, "children"> {
  readonly plan: RefObject<HTMLDivElement>;
  /** Shares of the width and height of the plan. */
  readonly x: number;
  readonly y: number;
  readonly label: string;
  readonly onMove: (x: number, y: number) => void;
  readonly onRemove?: () => void;
  /** Called on a click or focus. A click does not focus it in every browser. */
  readonly onSelect?: () => void;
  readonly children: ComponentChildren;
}

/** Element on a plan that can be moved by dragging or with the arrow keys. */
export function Movable({
  plan,
  x,
  y,
  label,
  onMove,
  onRemove,
  onSelect,
  class: own,
  style,
  children,
  ...button
}: Props) {
  /** Start of the pointer, and its distance from the center. */
  const grip = useRef<{ x: number; y: number; dx: number; dy: number; isDragged: boolean }>();
  const move = (toX: number, toY: number) => onMove(within(toX), within(toY));
  return (
    <button
      type="button"
      {...button}
      class={`absolute -translate-x-1/2 -translate-y-1/2 cursor-move touch-none ${own}`}
      style={{ ...(style as JSX.CSSProperties), left: `${x * 100}%`, top: `${y * 100}%` }}
      aria-label={label}
      onFocus={onSelect}
      onPointerDown={(e) => {
        const own = e.currentTarget.getBoundingClientRect();
        const [dx, dy] = [e.clientX - own.left - own.width / 2, e.clientY - own.top - own.height / 2];
        grip.current = { x: e.clientX, y: e.clientY, dx, dy, isDragged: false };
        e.currentTarget.setPointerCapture(e.pointerId);
        onSelect?.();
      }}
      onPointerMove={(e) => {
        const box = plan.current?.getBoundingClientRect();
        const held = grip.current;
        if (!box || !held || !e.currentTarget.hasPointerCapture(e.pointerId)) return;
        held.isDragged ||= Math.hypot(e.clientX - held.x, e.clientY - held.y) >= DRAG_MIN;
        if (held.isDragged)
          move((e.clientX - held.dx - box.left) / box.width, (e.clientY - held.dy - box.top) / box.height);
      }}
      onKeyDown={(e) => {
        if (onRemove && (e.key === "Delete" || e.key === "Backspace")) {
          e.preventDefault();
          if (!e.repeat) onRemove();
          return;
        }
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
