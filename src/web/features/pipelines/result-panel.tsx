import { TriangleAlert } from "lucide-preact";
import { withoutNoise } from "../../../lib/key-format.ts";
import { serverText } from "../../platform/i18n/error-texts.ts";
import { t } from "../../platform/i18n/i18n.ts";
import type { Preview } from "./pipelines-api.ts";

const Json = ({ value }: { value: unknown }) => (
  <pre class="reading max-h-72 overflow-auto rounded-field bg-base-200 p-3 text-sm break-words whitespace-pre-wrap">
    {typeof value === "string" ? value : JSON.stringify(withoutNoise(value), null, 2)}
  </pre>
);

/** Result of all steps for a message, and what they would send. */
export function ResultPanel({ preview }: { preview: Preview }) {
  const { result, warningTexts, webhookPreviews, webhookWarningTexts } = preview;
  const notes = [...warningTexts, ...webhookWarningTexts].map((note) => serverText(note));
  return (
    <section class="panel flex flex-col gap-4 p-4" aria-label={t("sample.result")} data-testid="result">
      <h2 class="font-semibold">{t("sample.result")}</h2>
      {result === null ? <p>{t("sample.dropped")}</p> : <Json value={result.telemetry} />}
      {Object.entries(result?.attributes ?? {}).map(([scope, values]) => (
        <div key={scope} class="flex flex-col gap-1.5">
          <h3 class="text-sm font-medium">{t("sample.attributes", { scope })}</h3>
          <Json value={values} />
        </div>
      ))}
      {notes.length > 0 && (
        <div class="flex flex-col gap-1.5">
          <h3 class="text-sm font-medium">{t("sample.warnings")}</h3>
          <ul class="flex flex-col gap-1.5 text-sm">
            {notes.map((note) => (
              <li key={note} class="flex items-start gap-2">
                <TriangleAlert size={16} class="mt-0.5 flex-none" aria-hidden="true" />
                <span class="min-w-0 wrap-anywhere">{note}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
      {webhookPreviews.length > 0 && (
        <div class="flex flex-col gap-2">
          <h3 class="text-sm font-medium">{t("common.webhooks")}</h3>
          <p class="text-sm text-soft">{t("sample.webhooksHint")}</p>
          {webhookPreviews.map(({ url, method, headers, body }, index) => (
            <details key={index} class="rounded-field border border-base-300 p-3" open={index === 0}>
              <summary class="cursor-pointer text-sm font-medium wrap-anywhere">
                {method} {url}
              </summary>
              <div class="mt-2 flex flex-col gap-2 text-sm">
                <p>{t("sample.headers")}</p>
                <Json
                  value={Object.entries(headers)
                    .map(([name, value]) => `${name}: ${value}`)
                    .join("\n")}
                />
                <p>{t("sample.body")}</p>
                <Json value={body} />
              </div>
            </details>
          ))}
        </div>
      )}
    </section>
  );
}
