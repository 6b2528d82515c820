import { t } from "../../platform/i18n/i18n.ts";
import { CodeEditor } from "../../ui/form/code-editor.tsx";
import type { ScriptTransform } from "./transform-api.ts";

const FIRST_SCRIPT = `function transform(message, metadata) {
  // metadata: kind, ts, device, topic, radio, fPort, bytes
  return { ...message };
}
`;

interface Props {
  readonly script: ScriptTransform;
  readonly wrongLine: number | undefined;
  readonly mayChange: boolean;
  readonly onChange: (script: ScriptTransform) => void;
}

/** Script of the integration, which runs after the mapping. */
export function ScriptSection({ script, wrongLine, mayChange, onChange }: Props) {
  const isShown = script.enabled || script.source !== "";
  return (
    <section class="panel flex min-w-0 flex-col gap-3 p-4" aria-label={t("common.script")}>
      <div class="flex flex-wrap items-start gap-x-6 gap-y-2">
        <div class="min-w-0 flex-[1_1_16rem]">
          <h2 class="font-semibold">{t("common.script")}</h2>
          <p class="text-sm text-soft">{t("transform.scriptHint")}</p>
        </div>
        <label class="flex cursor-pointer items-center gap-2 text-sm">
          <input
            type="checkbox"
            class="toggle toggle-sm"
            checked={script.enabled}
            disabled={!mayChange}
            onChange={({ currentTarget: { checked } }) =>
              onChange({
                enabled: checked,
                source: script.source === "" && checked ? FIRST_SCRIPT : script.source,
              })
            }
          />
          {t("transform.scriptOn")}
        </label>
      </div>
      {isShown && (
        <CodeEditor
          label={t("common.script")}
          value={script.source}
          onInput={(source) => onChange({ ...script, source })}
          wrongLine={wrongLine}
          describedBy="script-error"
          readOnly={!mayChange}
        />
      )}
    </section>
  );
}
