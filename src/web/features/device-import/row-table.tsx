// biome-ignore-all lint/a11y/useSemanticElements: a table that renders only the rows in view cannot be a <table>
// biome-ignore-all lint/a11y/useFocusableInteractive: its rows are read, not operated

import { t } from "../../platform/i18n/i18n.ts";
import { VirtualRows } from "../../ui/page/virtual-rows.tsx";

const COLUMNS =
  "grid grid-cols-[3rem_minmax(0,1fr)_minmax(0,1.2fr)] gap-x-4 px-4 sm:grid-cols-[4rem_minmax(0,1fr)_minmax(0,2fr)]";
/** Height for two lines of mistakes. */
const ROW_HEIGHT = 60;

export interface ShownRow {
  readonly row: number;
  readonly name: string;
  readonly detail: string;
  readonly mistake: string | undefined;
}

/** Rows of a file with their mistakes. */
export function RowTable({
  count,
  rowAt,
  label,
}: {
  count: number;
  rowAt: (index: number) => ShownRow;
  label: string;
}) {
  return (
    <div class="flex min-h-72 flex-1 flex-col">
      <VirtualRows
        count={count}
        rowHeight={ROW_HEIGHT}
        label={label}
        header={
          <div role="rowgroup" class="sticky top-0 z-10 border-b border-base-300 bg-base-100">
            <div role="row" aria-rowindex={1} class={`${COLUMNS} items-center py-2`}>
              {([t("import.row"), t("common.name"), t("import.mistake")] as const).map((text) => (
                <span key={text} role="columnheader" class="panel-label">
                  {text}
                </span>
              ))}
            </div>
          </div>
        }
        renderRow={(index) => <Row key={index} index={index} {...rowAt(index)} />}
      />
    </div>
  );
}

function Row({ index, row, name, detail, mistake }: ShownRow & { index: number }) {
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      class={`${COLUMNS} items-center border-b border-base-300/60`}
      style={{ height: `${ROW_HEIGHT}px` }}
    >
      <span role="cell" class="reading text-sm text-soft">
        {row}
      </span>
      <span role="cell" class="min-w-0">
        <span class="block truncate font-medium">{name || "–"}</span>
        <span class="block truncate text-sm text-soft">{detail}</span>
      </span>
      <span
        role="cell"
        class={`line-clamp-2 text-sm break-words ${mistake === undefined ? "text-success" : "text-error"}`}
        title={mistake}
      >
        {mistake ?? t("import.fine")}
      </span>
    </div>
  );
}
