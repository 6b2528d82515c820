import { t } from "../../platform/i18n/i18n.ts";
import { useKept } from "../../platform/resource.ts";
import { toast } from "../../platform/toasts.ts";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Section } from "../../ui/section.tsx";
import { SelectField } from "../../ui/select-field.tsx";
import { useAction } from "../../ui/use-form.ts";
import { LOG_LEVELS, type LogLevel, logApi } from "./log-api.ts";

/** The level at which the running gateway writes lines. */
export function LogLevelSetting() {
  const resource = useKept(logApi.level, []);
  const action = useAction();
  const change = (level: LogLevel) =>
    action.run(async () => {
      resource.set(await logApi.setLevel(level));
      toast("success", t("log.levelChanged"));
    });
  return (
    <Section id="log-level" title={t("log.levelTitle")}>
      <Loaded of={resource}>
        {(current) => (
          <div class="max-w-xl">
            <SelectField
              label={t("log.level")}
              hint={t("log.levelHint")}
              value={current}
              disabled={action.busy}
              options={LOG_LEVELS}
              text={(level) => t(`logLevel.${level}`)}
              onSelect={change}
            />
          </div>
        )}
      </Loaded>
      <ErrorNote error={action.error} />
    </Section>
  );
}
