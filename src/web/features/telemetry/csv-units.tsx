import { signal } from "@preact/signals";
import { t } from "../../platform/i18n/i18n.ts";
import { readStored, writeStored } from "../../platform/preferences.ts";
import { Checkbox } from "../../ui/form/choice.tsx";

const STORED_AS = "lineside.csvUnits";

/** Whether column names of CSV files include units; stored in the browser. */
export const hasCsvUnits = signal(readStored(STORED_AS) === "on");

export const CsvUnits = () => (
  <Checkbox
    checked={hasCsvUnits.value}
    onCheck={(isOn) => {
      hasCsvUnits.value = isOn;
      writeStored(STORED_AS, isOn ? "on" : undefined);
    }}
  >
    <span class="text-sm">{t("data.csvUnits")}</span>
  </Checkbox>
);
