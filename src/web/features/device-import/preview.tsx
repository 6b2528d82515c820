import { useMemo, useState } from "preact/hooks";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { Segments } from "../../ui/form/segments.tsx";
import type { Validation } from "./bulk-api.ts";
import type { CsvTable } from "./csv-rows.ts";
import { mistakeText } from "./mistake-text.ts";
import { RowTable } from "./row-table.tsx";

/** Max. rows listed by number. */
const NAMED_ROWS = 12;

interface Props {
  readonly name: string;
  readonly table: CsvTable;
  readonly validation: Validation;
  readonly busy: boolean;
  readonly onImport: (partial: boolean) => void;
  readonly onOther: () => void;
}

/** Preview of the file with the mistakes of each row. */
export function ImportPreview({ name, table, validation, busy, onImport, onOther }: Props) {
  const { total, errors } = validation;
  /** Errors by row. */
  const mistakes = useMemo(() => {
    const byRow = new Map<number, string[]>();
    for (const error of errors) byRow.set(error.row, [...(byRow.get(error.row) ?? []), mistakeText(error)]);
    return byRow;
  }, [errors]);
  const wrong = useMemo(() => [...mistakes.keys()].sort((a, b) => a - b), [mistakes]);
  const [show, setShow] = useState<"all" | "wrong">(wrong.length > 0 ? "wrong" : "all");
  const columns = useMemo(() => table.columns.map((column) => column.toLowerCase()), [table]);
  const good = total - wrong.length;
  const cell = (row: number, column: string) => table.rows[row - 1]?.[columns.indexOf(column)] ?? "";
  const rowAt = (index: number) => {
    const row = show === "all" ? index + 1 : (wrong[index] ?? 0);
    const detail = [cell(row, "devicetype"), cell(row, "label")].filter((text) => text !== "").join(" · ");
    return { row, name: cell(row, "name"), detail, mistake: mistakes.get(row)?.join("; ") };
  };
  return (
    <>
      <div class="flex flex-wrap items-center justify-between gap-3">
        <p role="status">
          <span class="font-medium wrap-anywhere">{name}</span> · {plural("import.rows", total)} ·{" "}
          <span class={wrong.length > 0 ? "text-error" : "text-success"}>
            {wrong.length > 0 ? plural("import.wrongRows", wrong.length) : t("import.good")}
          </span>
        </p>
        {wrong.length > 0 && (
          <Segments
            label={t("import.show")}
            items={[
              { id: "wrong", text: t("import.showWrong") },
              { id: "all", text: t("common.all") },
            ]}
            current={show}
            onSelect={setShow}
          />
        )}
      </div>
      {validation.warnings.length > 0 && (
        <p class="text-sm text-warning">
          {plural("import.sameNames", validation.warnings.length)} {t("import.sameNamesRows")}{" "}
          {validation.warnings
            .slice(0, NAMED_ROWS)
            .map(({ row }) => row)
            .join(", ")}
          {validation.warnings.length > NAMED_ROWS && " …"}
        </p>
      )}
      <RowTable
        key={show}
        count={show === "all" ? total : wrong.length}
        rowAt={rowAt}
        label={t("common.devices")}
      />
      <div class="flex flex-wrap justify-end gap-2">
        <button type="button" class="btn btn-ghost" disabled={busy} onClick={onOther}>
          {t("import.other")}
        </button>
        {good > 0 && (
          <button
            type="button"
            class="btn btn-primary"
            disabled={busy}
            onClick={() => onImport(wrong.length > 0)}
          >
            {plural(wrong.length > 0 ? "import.partial" : "import.all", good)}
          </button>
        )}
      </div>
    </>
  );
}
