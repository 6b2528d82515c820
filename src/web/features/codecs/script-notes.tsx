import { TriangleAlert } from "lucide-preact";
import { withoutNoise } from "../../../lib/keys/key-format.ts";
import { serverText } from "../../platform/i18n/error-texts.ts";
import { formatNumber } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import type { ConsoleLine, Trial } from "./codecs-api.ts";

export const Json = ({ value }: { value: unknown }) => (
  <pre class="reading max-h-72 overflow-auto rounded-field bg-base-200 p-3 text-sm break-words whitespace-pre-wrap">
    {typeof value === "string" ? value : JSON.stringify(withoutNoise(value), null, 2)}
  </pre>
);

export function Notes({ title, notes }: { title: string; notes: readonly string[] }) {
  if (notes.length === 0) return null;
  return (
    <ul class="flex flex-col gap-1.5 text-sm" aria-label={title}>
      {notes.map((note, index) => (
        <li key={index} class="flex items-start gap-2">
          <TriangleAlert size={16} class="mt-0.5 flex-none" aria-hidden="true" />
          <span class="min-w-0 wrap-anywhere">{note}</span>
        </li>
      ))}
    </ul>
  );
}

export function ScriptConsole({ lines }: { lines: readonly ConsoleLine[] }) {
  if (lines.length === 0) return null;
  return (
    <div class="flex flex-col gap-1.5">
      <h3 class="text-sm font-medium">{t("script.console")}</h3>
      <Json
        value={lines.map(({ level, text }) => (level === "log" ? text : `${level}: ${text}`)).join("\n")}
      />
    </div>
  );
}

/** Shows the error of a script, its warnings, its console output and its duration. */
export function ScriptNotes(props: Pick<Trial, "error" | "warnings" | "console" | "usedMs">) {
  const { error, warnings, console, usedMs } = props;
  return (
    <>
      {error && (
        <p id="script-error" class="flex items-start gap-2 text-sm">
          <TriangleAlert size={16} class="mt-0.5 flex-none text-error" aria-hidden="true" />
          <span class="min-w-0 wrap-anywhere">
            {error.line !== null && <b>{t("common.atLine", { line: error.line })} </b>}
            {serverText(error, error.message)}
          </span>
        </p>
      )}
      <Notes title={t("script.warnings")} notes={warnings} />
      <ScriptConsole lines={console} />
      <p class="text-sm text-soft">{t("script.used", { ms: formatNumber(usedMs) })}</p>
    </>
  );
}
