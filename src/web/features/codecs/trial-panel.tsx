import { inputLimits } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import { t } from "../../platform/i18n/i18n.ts";
import { Segments } from "../../ui/form/segments.tsx";
import { TextAreaField } from "../../ui/form/text-area-field.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { Json, ScriptNotes } from "./script-notes.tsx";
import type { TrialState } from "./use-trial.ts";

/** Tests a codec with a frame of a device, or with content for a device. */
export function TrialPanel({ input, setInput, trial, error, isMalformed }: TrialState) {
  const isUplink = input.direction === "uplink";
  return (
    <section class="panel flex min-w-0 flex-col gap-4 p-4 lg:sticky lg:top-4" aria-label={t("common.test")}>
      <h2 class="font-semibold">{t("common.test")}</h2>
      <Segments
        label={t("trial.direction")}
        items={[
          { id: "uplink", text: t("trial.uplink") },
          { id: "downlink", text: t("trial.downlink") },
        ]}
        current={input.direction}
        onSelect={(direction) => setInput({ direction })}
      />
      <div class="grid gap-4 sm:grid-cols-[minmax(0,1fr)_6rem]">
        {isUplink ? (
          <TextField
            label={t("trial.frame")}
            hint={t("trial.frameHint")}
            spellcheck={false}
            autocapitalize="off"
            autocomplete="off"
            value={input.frame}
            class="input reading w-full"
            onText={(text) => setInput({ frame: text })}
          />
        ) : (
          <TextAreaField
            label={t("trial.data")}
            error={isMalformed ? t("trial.notJson") : undefined}
            rows={4}
            spellcheck={false}
            value={input.data}
            onText={(text) => setInput({ data: text })}
          />
        )}
        <TextField
          label={t("trial.fPort")}
          type="number"
          {...inputLimits("codecs/codecs.schemas.ts", "trialBody", "fPort")}
          value={input.fPort}
          onInput={(e) => setInput({ fPort: Math.min(255, Math.max(0, e.currentTarget.valueAsNumber || 0)) })}
        />
      </div>
      <ErrorNote error={error} />
      {trial && (
        <div class="flex flex-col gap-3" data-testid="trial" aria-live="polite">
          <h3 class="text-sm font-medium">{t("common.result")}</h3>
          {trial.error === null && !trial.dropped && (
            <Json value={trial.bytes ? `${spaced(trial.bytes.hex)}\n${trial.bytes.base64}` : trial.result} />
          )}
          {trial.bytes?.fPort != null && (
            <p class="text-sm text-soft">{t("trial.toPort", { fPort: trial.bytes.fPort })}</p>
          )}
          {trial.dropped && <p>{t("trial.dropped")}</p>}
          <ScriptNotes {...trial} />
        </div>
      )}
    </section>
  );
}

const spaced = (hex: string): string => hex.toUpperCase().replace(/../g, "$& ").trim();
