import { withoutNoise } from "../../../lib/keys/key-format.ts";
import { serverPhrase } from "../../platform/i18n/error-texts.ts";
import { t } from "../../platform/i18n/i18n.ts";
import type { Preview } from "./pipelines-api.ts";
import { changesOf, type KeyChange } from "./step-form.ts";

export type TraceState = Preview["trace"][number] | "off" | "not reached" | undefined;

const KEYS_SHOWN = 50;

const MARKS: Record<KeyChange["change"], string> = { same: "", changed: "≠", added: "+", removed: "−" };

/** Formats a value with quotes around texts: `"21.5"` differs from 21.5. */
const shown = (value: unknown): string => (value === undefined ? "" : JSON.stringify(withoutNoise(value)));

/** Effect of a step on the test message: each key before and after. */
export function StepTrace({ trace }: { trace: TraceState }) {
  if (trace === undefined) return null;
  if (typeof trace === "string")
    return <p class="text-sm text-soft">{t(trace === "off" ? "step.off" : "step.notReached")}</p>;
  if (trace.errorText !== undefined)
    return <p class="text-sm">{t("step.leftOut", { error: serverPhrase(trace.errorText) })}</p>;
  const changes = changesOf(trace.in, trace.out);
  return (
    <div class="flex flex-col gap-2 border-t border-base-300 pt-3" data-testid="trace">
      {trace.out === null && <p class="font-medium">{t("step.droppedHere")}</p>}
      <table class="w-full table-fixed text-sm" aria-label={t("step.inAndOut")}>
        <thead>
          <tr class="text-left text-soft">
            <th class="w-[40%] pr-2 font-normal">{t("common.key")}</th>
            <th class="pr-2 font-normal">{t("step.before")}</th>
            <th class="font-normal">{t("step.after")}</th>
          </tr>
        </thead>
        <tbody>
          {changes.slice(0, KEYS_SHOWN).map(({ key, before, after, change }) => (
            <tr key={key} class={change === "same" ? "text-soft" : "font-medium"}>
              <td class="truncate pr-2" title={key}>
                {MARKS[change] !== "" && `${MARKS[change]} `}
                {key}
              </td>
              <td class="reading truncate pr-2" title={shown(before)}>
                {shown(before)}
              </td>
              <td class="reading truncate" title={shown(after)}>
                {change === "removed" ? "–" : shown(after)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {changes.length > KEYS_SHOWN && (
        <p class="text-sm text-soft">{t("access.more", { count: changes.length - KEYS_SHOWN })}</p>
      )}
    </div>
  );
}
