import { stateOf } from "../../../lib/keys/key-format.ts";
import type { KeyMetadata } from "../../../lib/keys/key-metadata.ts";
import type { TelemetryValue } from "../../lib/api-types.ts";
import { lineColor } from "../../lib/line-colors.ts";
import { stateColor } from "../../lib/state-colors.ts";
import { formatReading } from "../../platform/i18n/format.ts";
import { severityVariable } from "./severity-colors.ts";

type StateMeaning = "fault" | "warning" | "on" | "off";

/** Common names of states in industrial plants. */
const MEANINGS: readonly (readonly [StateMeaning, RegExp])[] = [
  ["fault", /^(fault|error|failed|failure|alarm|critical|trip|down|broken|offline)/i],
  ["warning", /^(warn|degraded|maintenance|setup|blocked|starved|waiting)/i],
  ["on", /^(run|on$|true$|ok$|active|auto|open|online|produc)/i],
  ["off", /^(idle|off$|false$|stop|standby|pause|closed|manual|inactive)/i],
];

const colorsOfMeaning: Readonly<Record<StateMeaning, string>> = {
  fault: `var(${severityVariable("CRITICAL")})`,
  warning: `var(${severityVariable("WARNING")})`,
  on: "var(--color-success)",
  off: "var(--color-neutral)",
};

/** Returns the meaning of a state by its name; undefined for an unknown name. */
export const meaningOf = (state: TelemetryValue): StateMeaning | undefined =>
  MEANINGS.find(([, name]) => name.test(String(state)))?.[0];

/** Returns the color of a state by the meaning of its name, otherwise by its position among the states. */
function colorOf(state: TelemetryValue, others: readonly TelemetryValue[], isDark: boolean): string {
  const meaning = meaningOf(state);
  return meaning === undefined ? lineColor(others.indexOf(state), isDark) : colorsOfMeaning[meaning];
}

export interface StateAppearance {
  readonly name: string;
  readonly color: string;
}

/** Returns the name and color of each state: those defined for its key, otherwise derived from its value. */
export function stateAppearances(
  values: readonly TelemetryValue[],
  metadata: readonly (KeyMetadata | undefined)[],
  isDark: boolean,
): Map<TelemetryValue, StateAppearance> {
  const states = [...new Set(values)].sort((a, b) => String(a).localeCompare(String(b)));
  return new Map(
    states.map((state) => {
      const own = metadata.find((candidate) => stateOf(state, candidate) !== undefined);
      const color = stateOf(state, own)?.color;
      return [
        state,
        {
          name: formatReading(state, own ?? metadata[0]),
          color: color === undefined ? colorOf(state, states, isDark) : stateColor(color, isDark),
        },
      ];
    }),
  );
}
