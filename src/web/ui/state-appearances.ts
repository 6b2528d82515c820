import { stateOf } from "../../lib/keys/key-format.ts";
import type { KeyMetadata } from "../../lib/keys/key-metadata.ts";
import type { TelemetryValue } from "../lib/api-types.ts";
import { lineColor } from "../lib/line-colors.ts";
import { stateColor } from "../lib/state-colors.ts";
import { formatReading } from "../platform/i18n/format.ts";
import { severityVariable } from "./severity-colors.ts";

/** Colours of states whose names are common in plants. */
const MEANINGS: readonly (readonly [RegExp, string])[] = [
  [
    /^(fault|error|failed|failure|alarm|critical|trip|down|broken|offline)/i,
    `var(${severityVariable("CRITICAL")})`,
  ],
  [/^(warn|degraded|maintenance|setup|blocked|starved|waiting)/i, `var(${severityVariable("WARNING")})`],
  [/^(run|on$|true$|ok$|active|auto|open|online|produc)/i, "var(--color-success)"],
  [/^(idle|off$|false$|stop|standby|pause|closed|manual|inactive)/i, "var(--color-neutral)"],
];

/** Returns the colour of a state: by the meaning of its name, or else by its position among the states. */
function colorOf(state: TelemetryValue, others: readonly TelemetryValue[], isDark: boolean): string {
  const meaning = MEANINGS.find(([name]) => name.test(String(state)));
  return meaning?.[1] ?? lineColor(others.indexOf(state), isDark);
}

export interface StateAppearance {
  readonly name: string;
  readonly color: string;
}

/** Returns name and colour of each state: those of its key, or else by what the state is called. */
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
