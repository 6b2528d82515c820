import { CircleDashed, Wrench } from "lucide-preact";
import type { AlarmSeverity } from "../../../lib/alarms/severity.ts";
import type { DeviceState } from "../../../lib/devices/device-state.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { SeverityMark } from "./severity-mark.tsx";

interface StateLampProps {
  readonly state: DeviceState;
  /** The most severe of its open alarms. */
  readonly severity?: AlarmSeverity | undefined;
  /** Name of the child of the gateway that has this alarm; undefined if it is the device's own. */
  readonly childName?: string | undefined;
  /** True if the word is only for screen readers and the tooltip. */
  readonly bare?: boolean;
}

/** Returns the words for the worst of state and open alarms: `Active`, `Major`, or `Major: Press 1` for an alarm of a child. */
export function stateText({ state, severity, childName }: Omit<StateLampProps, "bare">): string {
  if (severity === undefined) return t(`deviceState.${state}`);
  const word = t(`severity.${severity}`);
  return childName === undefined ? word : t("state.ofChild", { state: word, name: childName });
}

/** Shows the worst of state and open alarms as an icon and a word, so that state is never shown by color alone. */
export function StateLamp({ state, severity, childName, bare = false }: StateLampProps) {
  const text = stateText({ state, severity, childName });
  const full = severity === undefined ? text : `${text}, ${stateText({ state })}`;
  return (
    <span class="inline-flex max-w-full min-w-0 items-center gap-2.5" title={full}>
      <span class="flex size-3 flex-none items-center justify-center">
        {severity === undefined ? <StateMark state={state} /> : <SeverityMark severity={severity} />}
      </span>
      <span
        class={
          bare
            ? "sr-only"
            : `line-clamp-2 text-sm leading-tight wrap-anywhere ${severity === undefined ? "" : "font-medium"}`
        }
      >
        {bare ? full : text}
      </span>
    </span>
  );
}

function StateMark({ state }: { state: DeviceState }) {
  if (state === "MAINTENANCE") return <Wrench size={14} class="text-soft" aria-hidden="true" />;
  if (state === "NEVER_CONNECTED") return <CircleDashed size={13} class="text-soft" aria-hidden="true" />;
  return <span class={`lamp ${state === "ACTIVE" ? "lamp-on" : ""}`} aria-hidden="true" />;
}
