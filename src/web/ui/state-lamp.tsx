import type { AlarmSeverity } from "../../lib/severity.ts";
import { t } from "../platform/i18n/i18n.ts";
import { SeverityMark } from "./severity-mark.tsx";

interface StateLampProps {
  readonly active: boolean;
  /** The most severe of its open alarms. */
  readonly severity?: AlarmSeverity | undefined;
  /** True if that alarm is one of a child of the gateway. */
  readonly isOfChild?: boolean;
  /** True where the word is for screen readers and the tooltip alone. */
  readonly bare?: boolean;
}

/** Shows the worst of connection and open alarms, as a mark and the word for it: state is never told by colour alone. */
export function StateLamp({ active, severity, isOfChild = false, bare = false }: StateLampProps) {
  const connection = active ? t("state.active") : t("state.inactive");
  const word = severity === undefined ? connection : t(`severity.${severity}`);
  const origin = isOfChild ? ` (${t("state.ofChild")})` : "";
  const full = severity === undefined ? connection : `${word}${origin}, ${connection}`;
  return (
    <span class="inline-flex items-center gap-2.5" title={full}>
      {severity === undefined ? (
        <span class={`lamp ${active ? "lamp-on" : ""}`} aria-hidden="true" />
      ) : (
        <SeverityMark severity={severity} />
      )}
      <span class={bare ? "sr-only" : `text-sm ${severity === undefined ? "" : "font-medium"}`}>
        {bare ? full : word}
      </span>
    </span>
  );
}
