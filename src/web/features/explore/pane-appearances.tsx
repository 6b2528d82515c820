import {
  type ExploreView,
  type Pane,
  type PaneAppearance,
  seriesId,
  withAppearance,
} from "../../lib/explore-view.ts";
import { LINE_STYLES, toLineStyle } from "../../lib/line-styles.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { keyName } from "../../platform/key-metadata.ts";
import { SelectField } from "../../ui/select-field.tsx";
import { AxisEnd } from "../dashboards/line-fields.tsx";

interface Props {
  readonly view: ExploreView;
  readonly onChange: (changes: Partial<ExploreView>) => void;
}

const titleOf = ({ series }: Pane): string =>
  [...new Set(series.map(({ deviceId, key }) => keyName(deviceId, key)))].join(", ");

/** How the lines of each chart are drawn, and where its value axis begins and ends. */
export function PaneAppearances({ view, onChange }: Props) {
  const { panes } = view;
  return (
    <details class="w-full">
      <summary class="btn btn-sm">{t("explore.appearance")}</summary>
      <div class="panel mt-2 flex flex-col gap-4 p-4">
        {panes.map((pane, position) => {
          if (pane.kind !== "lines") return null;
          const set = (appearance: PaneAppearance) =>
            onChange({ panes: withAppearance(panes, position, appearance) });
          return (
            <fieldset
              key={pane.series.map(seriesId).join()}
              class="grid items-end gap-3 sm:grid-cols-[minmax(0,2fr)_1fr_1fr]"
            >
              <legend class="mb-1 text-sm font-medium wrap-anywhere">{titleOf(pane)}</legend>
              <SelectField
                label={t("line.style")}
                class="select select-sm w-full"
                value={toLineStyle(pane.style)}
                options={LINE_STYLES}
                text={(id) => t(`line.${id}`)}
                onSelect={(chosen) => set({ style: chosen })}
              />
              <AxisEnd
                end="min"
                class="input input-sm w-full"
                value={pane.min}
                onChange={(min) => set({ min })}
              />
              <AxisEnd
                end="max"
                class="input input-sm w-full"
                value={pane.max}
                onChange={(max) => set({ max })}
              />
            </fieldset>
          );
        })}
      </div>
    </details>
  );
}
