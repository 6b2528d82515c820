import { useId } from "preact/hooks";
import { levelClass } from "../../../ui/state/severity-colors.ts";
import type { SymbolLevel, SymbolShape } from "./symbol-shapes.ts";
import { type SymbolLook, shapeOf } from "./symbols.ts";

const SIDE = 64;
const NORMAL: SymbolLook = { isOn: false, share: undefined, level: "normal", color: undefined };

/** Draws a symbol. State is never shown by color alone: running parts turn or are filled, and values beyond a critical limit blink. */
export function SymbolDrawing(props: {
  symbol: string;
  look?: SymbolLook;
  rotation?: number;
  /** True for a silent device: broken outlines and no movement. */
  isSilent?: boolean;
}) {
  const { symbol, look = NORMAL, rotation = 0, isSilent = false } = props;
  const shape = shapeOf(symbol);
  const { isOn, level, color } = look;
  // A vessel shows a number as its level.
  const runs = isOn && !shape.isReading && !(shape.level && look.share !== undefined);
  const ink =
    level === "normal" ? (runs ? "text-primary" : "text-base-content/70") : levelClass(level, "graphic");
  return (
    <svg
      viewBox={`0 0 ${SIDE} ${SIDE}`}
      class={`block size-full overflow-visible ${ink} ${level === "critical" ? "symbol-blink" : ""}`}
      style={{
        ...(level === "normal" && color !== undefined && { color }),
        ...(rotation !== 0 && { transform: `rotate(${rotation}deg)` }),
      }}
      fill="none"
      stroke="currentColor"
      stroke-width={2}
      stroke-linejoin="round"
      stroke-linecap="round"
      stroke-dasharray={isSilent ? "3 3" : undefined}
      data-symbol={symbol}
      data-on={runs}
      aria-hidden="true"
    >
      <Parts shape={shape} look={look} runs={runs} moves={runs && !isSilent} />
    </svg>
  );
}

function Parts(props: { shape: SymbolShape; look: SymbolLook; runs: boolean; moves: boolean }) {
  const { shape, look, runs, moves } = props;
  const { body, line, cap, dash, turn, at = [SIDE / 2, SIDE / 2], flow, level } = shape;
  const swap = runs ? shape.on : shape.off;
  return (
    <>
      {body && <path d={body} class="fill-base-100" />}
      {body && runs && <path d={body} fill="currentColor" fill-opacity={0.3} stroke="none" />}
      {level && look.share !== undefined && <Level level={level} body={body} share={look.share} />}
      {line && <path d={line} />}
      {dash && <path d={dash} stroke-dasharray="4 4" />}
      {flow && runs && <path d={flow} stroke-dasharray="6 6" class={moves ? "symbol-flow" : undefined} />}
      {turn && (
        <path
          d={turn}
          class={moves ? "symbol-turn" : undefined}
          style={{ transformOrigin: `${at[0]}px ${at[1]}px` }}
          fill="currentColor"
        />
      )}
      {swap && <path d={swap} />}
      {cap && <path d={cap} class="fill-base-100" />}
    </>
  );
}

/** Content of a vessel, clipped by its walls. */
function Level({ level, body, share }: { level: SymbolLevel; body: string | undefined; share: number }) {
  const id = useId();
  const { path = body, empty, full, isAcross } = level;
  const end = empty + (full - empty) * share;
  const [from, length] = [Math.min(empty, end), Math.abs(end - empty)];
  const box = isAcross
    ? { x: from, y: 0, width: length, height: SIDE }
    : { x: 0, y: from, width: SIDE, height: length };
  return (
    <>
      <clipPath id={id}>
        <path d={path} />
      </clipPath>
      <rect
        {...box}
        clip-path={`url(#${id})`}
        fill="currentColor"
        fill-opacity={0.45}
        stroke="none"
        data-testid="level"
      />
      <path d={path} />
    </>
  );
}
