import { TriangleAlert } from "lucide-preact";
import { serverPhrase, serverText } from "../../platform/i18n/error-texts.ts";
import { formatDate, formatNumber } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { Json, Notes, ScriptConsole } from "../codecs/script-notes.tsx";
import type { TransformPreview } from "./transform-api.ts";

/** Preview of a message: its device, its values, and errors. */
export function TransformResult({ preview }: { preview: TransformPreview }) {
  const { results, errors, warningTexts, ignoredText, scripts } = preview;
  const lines = scripts.flatMap(({ console }) => console);
  const usedMs = scripts.reduce((sum, script) => sum + script.usedMs, 0);
  return (
    <section
      class="panel flex min-w-0 flex-col gap-4 p-4"
      aria-label={t("common.result")}
      aria-live="polite"
      data-testid="transformed"
    >
      <h2 class="font-semibold">{t("common.result")}</h2>
      {errors.map(({ stage, message, code, params, line }, index) => (
        <p key={index} id={index === 0 ? "script-error" : undefined} class="flex items-start gap-2 text-sm">
          <TriangleAlert size={16} class="mt-0.5 flex-none text-error" aria-hidden="true" />
          <span class="min-w-0 wrap-anywhere">
            <b>{t(`eventStage.${stage}` as "eventStage.script")}: </b>
            {line !== null && `${t("common.atLine", { line })} `}
            {serverPhrase({ code, params }, message)}
          </span>
        </p>
      ))}
      {ignoredText !== null && (
        <p class="text-sm">{t("transform.ignored", { reason: serverPhrase(ignoredText) })}</p>
      )}
      {results.length === 0 && errors.length === 0 && ignoredText === null && <p>{t("trial.dropped")}</p>}
      {results.map((result, index) => (
        <Result key={index} {...result} />
      ))}
      <Notes
        title={t("script.warnings")}
        notes={[
          ...warningTexts.map((text) => serverText(text)),
          ...scripts.flatMap((script) => script.warnings),
        ]}
      />
      <ScriptConsole lines={lines} />
      {scripts.length > 0 && (
        <p class="text-sm text-soft">{t("script.used", { ms: formatNumber(usedMs) })}</p>
      )}
    </section>
  );
}

function Result({ device, readings, attributes }: TransformPreview["results"][number]) {
  const name = device.name ?? Object.values(device.reference)[0] ?? "";
  return (
    <div class="flex min-w-0 flex-col gap-1.5">
      <h3 class="text-sm font-medium wrap-anywhere">
        {t(device.isNew ? "transform.newDevice" : "transform.device", { name })}
      </h3>
      {readings.map(({ ts, values }, index) => (
        <div key={index} class="flex flex-col gap-1">
          <p class="text-sm text-soft">{formatDate(ts, "zoned")}</p>
          <Json value={values} />
        </div>
      ))}
      {Object.entries(attributes).map(([scope, values]) => (
        <div key={scope} class="flex flex-col gap-1">
          <p class="text-sm text-soft">{t("sample.attributes", { scope })}</p>
          <Json value={values} />
        </div>
      ))}
    </div>
  );
}
