import { t } from "../../platform/i18n/i18n.ts";
import { Checkbox } from "../../ui/form/choice.tsx";
import { setShowsAnnotations, showsAnnotations } from "./use-annotations.ts";

/** Shows or hides alarms, commands and notes on all charts. */
export const AnnotationSwitch = () => (
  <Checkbox checked={showsAnnotations.value} onCheck={setShowsAnnotations}>
    <span class="text-sm">{t("annotation.switch")}</span>
  </Checkbox>
);
