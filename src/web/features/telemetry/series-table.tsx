// biome-ignore-all lint/a11y/useSemanticElements: a table that renders only the rows in view cannot be a <table>
// biome-ignore-all lint/a11y/useFocusableInteractive: its rows are read, not operated; what is operated in them is a link

import type { KeyMetadata } from "../../../lib/keys/key-metadata.ts";
import type { TelemetryValue } from "../../lib/api-types.ts";
import { formatDate, formatReading, zoneName } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { VirtualRows } from "../../ui/page/virtual-rows.tsx";

const ROW_PX = 32;

interface Props {
  readonly keys: ReadonlyArray<{ readonly key: string; readonly metadata: KeyMetadata | undefined }>;
  readonly rows: readonly { ts: number; values: readonly (TelemetryValue | undefined)[] }[];
}

export function SeriesTable({ keys, rows }: Props) {
  const columns = {
    gridTemplateColumns: `11rem repeat(${keys.length}, minmax(7rem, 1fr))`,
    minWidth: `${13 + keys.length * 8}rem`,
  };
  return (
    <div class="flex h-[32rem] max-h-[70dvh] flex-col">
      <VirtualRows
        count={rows.length}
        rowHeight={ROW_PX}
        label={t("data.table")}
        header={
          <div role="rowgroup" class="sticky top-0 z-10">
            <div
              role="row"
              class="grid items-baseline gap-x-4 border-b border-base-300 bg-base-100 px-4 py-2"
              style={columns}
            >
              <span role="columnheader" class="panel-label">
                {t("common.time")} ({zoneName(rows[0]?.ts ?? Date.now())})
              </span>
              {keys.map(({ key, metadata }) => (
                <span
                  key={key}
                  role="columnheader"
                  class="truncate text-right text-sm font-semibold"
                  title={key}
                >
                  {metadata?.name ?? key}
                </span>
              ))}
            </div>
          </div>
        }
        renderRow={(index) => {
          const row = rows[index];
          if (!row) return null;
          return (
            <div
              key={row.ts}
              role="row"
              aria-rowindex={index + 2}
              class="reading grid items-center gap-x-4 border-b border-base-300/60 px-4 text-sm"
              style={{ ...columns, height: `${ROW_PX}px` }}
            >
              <span role="cell">{formatDate(row.ts, "full")}</span>
              {row.values.map((value, i) => {
                const text = value === undefined ? "" : formatReading(value, keys[i]?.metadata);
                return (
                  <span key={keys[i]?.key} role="cell" class="truncate text-right" title={text}>
                    {text}
                  </span>
                );
              })}
            </div>
          );
        }}
      />
    </div>
  );
}
